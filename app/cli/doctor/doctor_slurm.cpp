// SPDX-License-Identifier: Apache-2.0
//
// doctor --slurm: checks whether this site allows what a run on Slurm needs. It asks where it can. What it
// can only try, it tries with two held jobs, which never start and are cancelled at once.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <QDateTime>
#include <QRegularExpression>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/random_text.h"
#include "doctor/doctor.h"
#include "slurm/programs.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;
using Level = Finding::Level;
using slurm::Fields;

constexpr int kUsualKillWait = 30;  // s, Slurm's default
constexpr int kMostSkew = 5;        // s
constexpr char kNothing[] = "(null)";

std::string valueOf(const Fields& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() || found->second == kNothing ? "" : found->second;
}

bool names(const Fields& config, const std::string& field, const std::string& word) {
  return valueOf(config, field).find(word) != std::string::npos;
}

// "30 sec" -> 30
int secondsOf(const std::string& text) { return std::atoi(text.c_str()); }

std::vector<Finding> examinePartitions() {
  std::vector<Finding> findings;
  std::istringstream lines(slurm::told("scontrol", {"--oneliner", "show", "partition"}));
  for (std::string line; std::getline(lines, line);) {
    const Fields partition = slurm::fieldsOf(line);
    const std::string name = valueOf(partition, "PartitionName"), state = valueOf(partition, "State");
    if (name.empty()) continue;
    std::string text = say("{}: {} nodes, at most {} a job, {} long; jobs get {} without --time",
                           valueOf(partition, "Default") == "YES" ? say("{} (default)", name) : name,
                           valueOf(partition, "TotalNodes"), valueOf(partition, "MaxNodes"),
                           valueOf(partition, "MaxTime"), valueOf(partition, "DefaultTime"));
    const int grace = secondsOf(valueOf(partition, "GraceTime"));
    if (grace > 0) text += say("; preempted jobs get {} s to end", grace);
    if (state == "UP")
      findings.push_back({Level::ok, word("partition"), text});
    else
      findings.push_back({Level::warning, word("partition"), say("{}; it is {}", text, state),
                          say("submit to another partition, or ask the site's administrators")});
  }
  return findings;
}

Finding examinePreemption(const Fields& config) {
  const std::string type = valueOf(config, "PreemptType"), mode = valueOf(config, "PreemptMode");
  if (type.empty() || type == "preempt/none" || mode == "OFF")
    return {Level::ok, word("preemption"), say("none here: a job keeps its nodes until its time limit")};
  const bool isTold = names(config, "SlurmctldParameters", "preempt_send_user_signal");
  return {Level::ok, word("preemption"),
          say("{}, {}: {}, and the next job goes on when there are nodes again", type, mode,
              isTold ? say("the run is told beforehand, where the partition has a GraceTime")
                     : say("the run is told by SIGTERM"))};
}

Finding examineKillWait(const Fields& config) {
  const int seconds = secondsOf(valueOf(config, "KillWait"));
  const std::string text =
      say("{} s for a checkpoint when a job is cancelled or preempted; if it takes longer, the run loses all "
          "steps since the last periodic one",
          seconds);
  if (seconds >= kUsualKillWait) return {Level::ok, "KillWait", text};
  return {Level::warning, "KillWait", text, "batchscope submit --checkpoint-every 30s"};
}

Finding examineRequeue(const Fields& config) {
  return {Level::ok, word("requeue"),
          valueOf(config, "JobRequeue") == "1"
              ? say("on here; runs are submitted with --no-requeue, and the next job goes on")
              : say("off here, and not needed: the next job goes on")};
}

// A job of no consequence, held until it is cancelled.
class HeldJob {
 public:
  explicit HeldJob(const std::string& name)
      : number_(slurm::told("sbatch", {"--parsable", "--hold", "--job-name=" + name, "--dependency=singleton",
                                       "--nodes=1-2", "--no-requeue", "--signal=B:USR1@180", "--time=5",
                                       "--output=/dev/null", "--wrap=true"})) {
    number_ = number_.substr(0, number_.find(';'));
  }
  ~HeldJob() {
    try {
      slurm::call("scancel", {number_});
    } catch (const Error&) {  // it is held, and does nothing
    }
  }
  HeldJob(const HeldJob&) = delete;
  HeldJob& operator=(const HeldJob&) = delete;

  const std::string& number() const { return number_; }

 private:
  std::string number_;
};

// Compares the controller's clock with ours, by when it says that it got the job.
std::optional<Finding> examineClock(const std::string& job, const QDateTime& submitted) {
  const auto theirs =
      QDateTime::fromString(QString::fromStdString(valueOf(slurm::job(job), "SubmitTime")), Qt::ISODate);
  if (!theirs.isValid()) return std::nullopt;
  const auto skew = std::abs(submitted.secsTo(theirs));
  if (skew <= kMostSkew) return Finding{Level::ok, word("clock"), say("agrees with the controller's")};
  return Finding{
      Level::warning, word("clock"),
      say("this clock and the controller's differ by {} s: the record's times will be wrong", skew),
      say("synchronise both clocks by NTP")};
}

// Tries what a job needs to hand the run on to the next one.
std::vector<Finding> trySuccession() {
  std::vector<Finding> findings;
  const std::string name = "batchscope-doctor-" + protocol::random_text(8, "0123456789abcdef");
  try {
    const QDateTime now = QDateTime::currentDateTime();
    const HeldJob first(name);
    if (const auto clock = examineClock(first.number(), now)) findings.push_back(*clock);
    try {
      const HeldJob second(name);
      findings.push_back(
          {Level::ok, word("successor"), say("a second job of a run may wait for the first (singleton)")});
      const slurm::Said said =
          slurm::call("scontrol", {"update", "JobId=" + second.number(), "NumNodes=1-1"});
      if (said.code == 0)
        findings.push_back(
            {Level::ok, word("nodes"),
             say("the number of nodes of a waiting job can be changed: rescale can add nodes")});
      else
        findings.push_back({Level::warning, word("nodes"),
                            say("the number of nodes of a waiting job cannot be changed ({}): "
                                "rescale cannot add nodes to a run",
                                printable(said.err)),
                            say("submit with all --nodes that the run may need")});
    } catch (const Error& error) {
      findings.push_back(
          {Level::problem, word("successor"),
           say("a second job may not wait for the first: a run writes a checkpoint and ends with "
               "its first job ({})",
               error.what()),
           say("continue by hand with sbatch FOLDER/ID/job.sh, or ask the site to allow two jobs in the "
               "queue")});
    }
  } catch (const Error& error) {
    findings.push_back(
        {Level::problem, "sbatch", say("a job like those of runs cannot be submitted: {}", error.what()),
         say("give what is missing with --sbatch-arg, such as --sbatch-arg=--account=NAME, and "
             "here in $SBATCH_ACCOUNT and $SBATCH_PARTITION")});
  }
  return findings;
}

Finding examineFolder(const Examination& options) {
  const fs::path folder =
      options.folder.empty() ? fs::current_path() : fs::absolute(options.folder).lexically_normal();
  const fs::path file = folder / fmt::format(".batchscope-doctor-{}", ::getpid());
  const auto problem = [&](const std::string& text, const std::string& remedy) {
    return Finding{Level::problem, word("folder"), fmt::format("{}: {}", folder.string(), text), remedy};
  };
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return problem(std::strerror(errno),
                   say("name a folder of yours on the shared file system with --folder"));
  ::close(descriptor);
  struct Remover {
    fs::path file;
    ~Remover() {
      std::error_code fault;
      fs::remove(file, fault);
    }
  } const remover{file};
  if (!options.tryJob)
    return {Level::ok, word("folder"),
            say("{} can be written here; --try starts a short job to learn whether nodes see it",
                folder.string())};
  const slurm::Said said =
      slurm::call("srun", {"--nodes=1", "--ntasks=1", "--time=1", "--immediate=8", "sh", "-c",
                           "if [ -e \"$0\" ]; then echo seen; else echo missing; fi", file.string()});
  if (said.out == "seen\n") return {Level::ok, word("folder"), say("{} is seen by a node", folder.string())};
  if (said.out != "missing\n")
    return {Level::warning, word("folder"),
            say("no node was free to look at {}: {}", folder.string(), printable(said.err)),
            say("try again later")};
  return problem(say("a node does not see it"), say("name a folder on the shared file system with --folder"));
}

}  // namespace

std::vector<Finding> examineSlurm(const Examination& options) {
  std::vector<Finding> findings;
  try {
    Fields config;
    std::istringstream lines(slurm::told("scontrol", {"show", "config"}));
    static const QRegularExpression kSetting("^(\\S+)\\s+= (.*)$");
    for (std::string line; std::getline(lines, line);)
      if (const auto match = kSetting.match(QString::fromStdString(line)); match.hasMatch())
        config[match.captured(1).toStdString()] = match.captured(2).trimmed().toStdString();
    findings.push_back(
        {Level::ok, "Slurm",
         say("{}, cluster {}", valueOf(config, "SLURM_VERSION"), valueOf(config, "ClusterName"))});
    for (Finding& partition : examinePartitions()) findings.push_back(std::move(partition));
    findings.push_back(examinePreemption(config));
    findings.push_back(examineKillWait(config));
    findings.push_back(examineRequeue(config));
    for (Finding& tried : trySuccession()) findings.push_back(std::move(tried));
  } catch (const Error& error) {
    findings.push_back({Level::problem, "Slurm", error.what(), say("run this where jobs are submitted")});
    return findings;
  }
  try {
    findings.push_back(examineFolder(options));
  } catch (const Error& error) {
    findings.push_back({Level::warning, word("folder"), error.what(), say("try again later")});
  }
  return findings;
}

}  // namespace batchscope::cli
