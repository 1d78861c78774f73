// SPDX-License-Identifier: Apache-2.0
#include "slurm/reach.h"

#include <QCoreApplication>
#include <QProcess>
#include <filesystem>

#include "batchscope/protocol/error.h"
#include "slurm/job_folder.h"
#include "slurm/programs.h"
#include "slurm/run_job.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli::slurm {
namespace {

using storage::ClusterJob;

// Runs the command by srun, on the node where the run trains, with its store there.
int askJob(const Job& job, const Strings& command) {
  const auto store = std::filesystem::path(job.store);
  QStringList arguments{QString::fromStdString("--jobid=" + job.number),
                        "--overlap",
                        "--nodes=1",
                        "--ntasks=1",
                        QString::fromStdString("--nodelist=" + job.host),
                        "env",
                        QString::fromStdString("BATCHSCOPE_DB=" + job.store),
                        QString::fromStdString("XDG_STATE_HOME=" + store.parent_path().string()),
                        QCoreApplication::applicationFilePath()};
  for (const std::string& word : command) arguments << QString::fromStdString(word);
  QProcess step;
  step.setProcessChannelMode(QProcess::ForwardedChannels);
  step.setInputChannelMode(QProcess::ForwardedInputChannel);
  step.start("srun", arguments);
  if (!step.waitForStarted())
    throw Error(ErrorKind::not_found,
                say("there is no program srun here: call this on a machine of the Slurm cluster"));
  step.waitForFinished(-1);
  return step.exitStatus() == QProcess::NormalExit ? step.exitCode() : kExitFailure;
}

[[noreturn]] void refuseReach(const std::string& why) { throw Error(ErrorKind::conflict, why); }

// Submits the next job, for as many replicas as the command says. The number also holds for later jobs.
std::string submitAgain(const JobFolder& folder, const Strings& command) {
  for (std::size_t i = 0; i + 1 < command.size(); ++i)
    if (command[i] == "--replicas") folder.want(protocol::ReplicaCount::parse(command[i + 1]));
  const std::vector<Job> jobs = folder.jobs();
  if (jobs.empty() || !folder.wanted().number) return submit({}, folder.script());
  const NodeRange nodes = folder.nextNodes(jobs.back().replicas_per_node, {1, jobs.back().nodes.most});
  return submit({"--nodes=" + nodes.text()}, folder.script());
}

// A run that no job trains now.
int askSlurm(const JobFolder& folder, const Strings& command) {
  const std::string& what = command.front();
  const bool isJson = std::find(command.begin(), command.end(), "--json") != command.end();
  const ClusterJob job = jobOf(folder);
  const auto done = [&](const std::string& number, const std::string& sentence) {
    return answer(isJson, {{"run", folder.run()}, {"slurm_job", number}}, folder.run() + ": " + sentence);
  };
  if (what == "resume") {
    if (const auto jobs = folder.jobs(); !jobs.empty() && jobs.back().how == end::kFinished)
      refuseReach(say("the run {} is finished; submit another", folder.run()));
    if (!job.number.empty())
      refuseReach(
          say("job {} goes on with the run {} as soon as Slurm has nodes for it", job.number, folder.run()));
    const std::string number = submitAgain(folder, command);
    return done(number, say("submitted as job {}", number));
  }
  if (storage::waits(job)) {
    if (what == "stop" || what == "cancel") {
      told("scancel", {"--name=" + jobName(folder.run())});
      return done(job.number, say("job {} is cancelled; `batchscope resume` continues the run", job.number));
    }
    if (what == "hold" || what == "release") {
      told("scontrol", {what, job.number});
      return done(job.number, what == "hold"
                                  ? say("job {} is held; `batchscope release` lets it start", job.number)
                                  : say("job {} is released", job.number));
    }
    refuseReach(say("the run {} waits as job {} ({}): try again when it trains", folder.run(), job.number,
                    job.reason));
  }
  refuseReach(say("no job trains the run {} now; continue it with: {}", folder.run(), folder.submission()));
}

}  // namespace

int carryOut(const std::string& place, const Strings& command) {
  const JobFolder folder(place);
  const std::vector<Job> jobs = folder.jobs();
  const bool trains = !jobs.empty() && jobs.back().how.empty() && !jobs.back().store.empty();
  if (!trains) return askSlurm(folder, command);
  Strings asked = command;
  if (asked.front() == "cancel") asked.front() = "stop";
  if (asked.front() == "hold")
    refuseReach(
        say("the run {} trains in job {}, and Slurm cannot hold a job that runs: stop it with a "
            "checkpoint by batchscope stop {}, and let it wait again by batchscope resume {}",
            folder.run(), jobs.back().number, folder.run(), folder.run()));
  return askJob(jobs.back(), asked);
}

int tellState(const std::string& place) {
  const JobFolder folder(place);
  if (!isJobFolder(folder.path()))
    throw Error(ErrorKind::not_found,
                say("{} is not a folder of a run that Slurm starts", folder.path().string()));
  printJson({{"run", folder.run()}, {"spec", folder.spec()}, {"job", jobOf(folder)}});
  return kExitOk;
}

}  // namespace batchscope::cli::slurm
