// SPDX-License-Identifier: Apache-2.0
//
// A job of a run, and its hand-over to the next one. One mechanism serves time limits, preemption, lost nodes
// and growth alike: the successor, a pending job of the same name that Slurm holds back while this one lives.
// A job that dies need not tell anybody, because its end starts the next one. The price is that the next one
// also starts after a scancel, so each job first asks Slurm how the last one ended.
#include "slurm/slurm_job.h"

#include <fmt/core.h>

#include <QCoreApplication>
#include <QEventLoop>
#include <QProcess>
#include <QThread>
#include <algorithm>
#include <csignal>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/catalogue.h"
#include "records/record_file.h"
#include "slurm/job_folder.h"
#include "slurm/node_store.h"
#include "slurm/node_watch.h"
#include "slurm/programs.h"
#include "slurm/reach.h"
#include "terminal/interrupts.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using namespace slurm;
using protocol::RunState;

constexpr int kMostLooks = 30;  // a second apart

std::string variable(const char* name) { return qEnvironmentVariable(name).toStdString(); }

// Prints into the job's output, at once.
void logLine(const std::string& text) {
  fmt::print("slurm-job: {}\n", text);
  std::fflush(stdout);
}

class SlurmJob {
 public:
  SlurmJob(const SlurmJobOptions& options)
      : folder_(options.folder), range_(NodeRange::parse(options.nodes)) {
    nodes_.job = variable("SLURM_JOB_ID");
    if (nodes_.job.empty())
      throw Error(ErrorKind::usage, say("the script {} calls this command: submit the script with "
                                        "sbatch, or put a command for the run after \"--\"",
                                        folder_.script().string()));
    nodes_.partition = variable("SLURM_JOB_PARTITION");
    nodes_.host = variable("SLURMD_NODENAME");
    nodes_.nodes = std::max(1, qEnvironmentVariableIntValue("SLURM_JOB_NUM_NODES"));
    nodes_.replicas_per_node = std::max(1, qEnvironmentVariableIntValue("BATCHSCOPE_REPLICAS_PER_NODE"));
  }

  int exec() {
    const std::vector<Job> before = folder_.jobs();
    tell({{"host", nodes_.host},
          {"nodes", nodes_.nodes},
          {"most_nodes", range_.most},
          {"replicas_per_node", nodes_.replicas_per_node},
          {"cluster", variable("SLURM_CLUSTER_NAME")},
          {"begun", storage::now()}});
    if (!before.empty() && wasCancelled(before.back())) {
      logLine(say("job {} was cancelled, so the run is stopped; continue it with: {}", before.back().number,
                  folder_.submission()));
      return end(end::kStopped, kExitOk);
    }
    submitNext(before);
    const NodeStore store(folder_.run(), nodes_.job);
    const storage::Run run = store.takeIn(folder_);
    tell({{"first_step", run.step}, {"store", variable("BATCHSCOPE_DB")}});
    if (run.state != RunState::finished) train();
    return conclude(store.run());
  }

 private:
  // Returns whether a person cancelled the job, which ends the run and not only the job. Slurm tells this
  // from a preemption only when the job has ended completely, which may be a moment after the successor has
  // started.
  static bool wasCancelled(const Job& job) {
    if (!job.how.empty() && job.how != end::kAsked) return false;
    std::string state = stateOf(job.number);
    for (int i = 0; i < kMostLooks && (state == "COMPLETING" || state == "RUNNING"); ++i) {
      QThread::sleep(1);
      state = stateOf(job.number);
    }
    logLine(say("job {} before this one: {}", job.number,
                state.empty() ? say("Slurm no longer knows how it ended") : state));
    return state.starts_with("CANCELLED");
  }

  void submitNext(const std::vector<Job>& before) {
    if (const int without = jobsWithoutStep(before); without >= folder_.spec().restart_budget) {
      logLine(say("{} in a row have made no step: if this job makes none either, no further job is submitted",
                  plural(without, "job")));
      return;
    }
    try {
      wanted_ = folder_.wanted();
      asked_ = nextNodes();
      next_ = submit({"--nodes=" + asked_.text()}, folder_.script());
      tell({{"next", next_}});
      logLine(say("job {} continues the run when this job has ended", next_));
    } catch (const Error& error) {
      logLine(
          say("no further job can be submitted, so the run writes a checkpoint and ends with this job: {}",
              error.what()));
    }
  }

  void tell(const protocol::Json& news) const { folder_.tell(nodes_.job, news); }
  NodeRange nextNodes() const { return folder_.nextNodes(nodes_.replicas_per_node, range_); }

  // Runs the supervisor until it has ended, and beside it the writer of the record for the next job.
  void train() {
    const std::string ours = QCoreApplication::applicationFilePath().toStdString();
    // Slurm tells all processes of a job to end at once. The writer stays to record what the run does as it
    // ends.
    QProcess writer;
    writer.setChildProcessModifier([] {
      std::signal(SIGTERM, SIG_IGN);
      std::signal(SIGINT, SIG_IGN);
    });
    start(writer, {"export", QString::fromStdString(folder_.run()), "--follow", "-o",
                   QString::fromStdString((folder_.path() / kRecordFile).string())});
    // The next job cannot read what lies in this node's memory.
    qputenv("BATCHSCOPE_SHM", "off");
    if (nodes_.nodes > 1) {
      qputenv("BATCHSCOPE_NODES", QByteArray::number(nodes_.nodes));
      qputenv("BATCHSCOPE_NODE_COMMAND",
              QByteArray::fromStdString(fmt::format("srun --overlap --kill-on-bad-exit=0 --nodes={0} "
                                                    "--ntasks={0} --ntasks-per-node=1 --exclude={1} "
                                                    "{2}-node serve",
                                                    nodes_.nodes - 1, nodes_.host, ours)));
    }
    QStringList arguments{"supervise", QString::fromStdString(folder_.run())};
    const protocol::ReplicaCount wanted = folder_.wanted();
    if (!wanted.automatic)
      arguments << "--replicas"
                << QString::number(std::min(wanted.number.value_or(nodes_.room()), nodes_.room()));
    QProcess supervisor;
    QEventLoop loop;
    QObject::connect(&supervisor, &QProcess::finished, &loop, &QEventLoop::quit);
    QObject::connect(&interrupts_, &Interrupts::raised, &loop, [&](int signal) {
      if (signal_ == 0) signal_ = signal;
      logLine(signal == SIGUSR1
                  ? say("the time limit is near; the run writes a checkpoint and leaves this job")
                  : say("told to end; the run writes a checkpoint and leaves this job"));
      supervisor.terminate();
    });
    start(supervisor, arguments);
    NodeWatch watch(folder_, range_, nodes_);
    watch.on_news = logLine;
    watch.on_more = [&](const NodeChoice::More& more) {
      grows_ = true;
      logLine(more.why);
      supervisor.terminate();
    };
    loop.exec();
    ::kill(static_cast<pid_t>(writer.processId()), SIGHUP);  // it writes what is left first
    writer.waitForFinished(-1);
  }

  // A program of ours, with its output in the job's.
  static void start(QProcess& process, const QStringList& arguments) {
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(QCoreApplication::applicationFilePath(), arguments);
    if (!process.waitForStarted())
      throw Error(ErrorKind::io,
                  say("cannot start {}", QCoreApplication::applicationFilePath().toStdString()));
  }

  int conclude(const storage::Run& run) {
    tell({{"last_step", run.step}});
    switch (run.state) {
      case RunState::finished: cancelNext(); return end(end::kFinished, kExitOk);
      case RunState::failed: cancelNext(); return end(end::kFailed, kExitFailure);
      case RunState::stopped: break;
      default: return end(end::kLost, kExitFailure);
    }
    const auto wanted = folder_.wanted().number;
    if (wanted && wanted != wanted_.number && *wanted > nodes_.room()) grows_ = true;
    resizeNext();
    if (signal_ == SIGUSR1) return end(end::kTime, kExitOk);
    if (signal_ != 0) return end(end::kAsked, kExitCheckpointed);
    if (grows_ && !next_.empty()) return end(end::kNodes, kExitOk);
    cancelNext();
    logLine(say("stopped; continue the run with: {}", folder_.submission()));
    return end(end::kStopped, kExitOk);
  }

  // Asks for at least as many nodes as now, if the run is to grow. It asks for a range, because a fixed
  // number may not be free by then, with no job left to ask for fewer. It submits another job, since a job
  // with an updated range gets the least of it. That job begins when this one's nodes are free again, since
  // Slurm would not wait for them.
  void resizeNext() {
    NodeRange nodes = nextNodes();
    nodes.least = std::max(nodes.least, std::min(nodes_.nodes, nodes.most));
    if (next_.empty() || (nodes == asked_ && !grows_)) return;
    Strings options{"--nodes=" + nodes.text()};
    if (grows_) options.emplace_back("--begin=now+5");
    try {
      const std::string other = submit(options, folder_.script());
      tell({{"next", other}});
      cancelNext();
      next_ = other;
    } catch (const Error& error) {
      logLine(say("the next job keeps its number of nodes: {}", error.what()));
    }
  }

  void cancelNext() const {
    if (next_.empty()) return;
    try {
      told("scancel", {next_});
    } catch (const Error& error) {
      logLine(say("job {} is no longer needed, but could not be cancelled ({}); cancel it with scancel",
                  next_, error.what()));
    }
  }

  int end(const char* how, int code) const {
    tell({{"ended", storage::now()}, {"how", how}});
    return code;
  }

  Interrupts interrupts_{{SIGINT, SIGTERM, SIGUSR1}};  // first: Slurm may send them at any moment
  JobFolder folder_;
  NodeRange range_;
  JobNodes nodes_;
  std::string next_;               // the successor's number; empty: there is none
  NodeRange asked_;                // nodes that it was submitted with
  protocol::ReplicaCount wanted_;  // when it was
  bool grows_ = false;             // the run leaves for more nodes
  int signal_ = 0;                 // by which we were told to leave
};

}  // namespace

int workAsSlurmJob(const SlurmJobOptions& options) {
  if (options.state) return tellState(options.folder);
  return options.command.empty() ? SlurmJob(options).exec() : carryOut(options.folder, options.command);
}

}  // namespace batchscope::cli
