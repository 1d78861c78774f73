// SPDX-License-Identifier: Apache-2.0
#include "commands/job_watch.h"

#include "batchscope/protocol/error.h"
#include "follow/remote.h"
#include "slurm/job_folder.h"
#include "slurm/job_submission.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using protocol::Json;
using Strings = std::vector<std::string>;

constexpr double kUsualInterval = 5;  // s
constexpr int kTrainingIntervals = 6;
constexpr int kPatienceMs = 20'000;
constexpr int kNoCommand = 127, kNoConnection = 255;  // exit codes of a shell, and of ssh

std::chrono::milliseconds interval() {
  bool isNumber = false;
  const double seconds = qEnvironmentVariable("BATCHSCOPE_SLURM_INTERVAL").toDouble(&isNumber);
  return std::chrono::milliseconds(static_cast<std::int64_t>(
      1000 * (isNumber && seconds > 0 && seconds < 86'400 ? seconds : kUsualInterval)));
}

QStringList listOf(const Strings& words) {
  QStringList list;
  for (const std::string& word : words) list << QString::fromStdString(word);
  return list;
}

// Returns the last line of the text, without the program's name.
std::string complaint(const QByteArray& text) {
  const QByteArray last = text.trimmed().split('\n').last().trimmed();
  return printable((last.startsWith("batchscope: ") ? last.mid(12) : last).toStdString());
}

}  // namespace

JobWatch::JobWatch(const RecordPlace& place)
    : place_(place),
      interval_(interval()),
      program_(place.host.empty() ? slurm::ownProgram().string() : "batchscope"),
      isJob_(!place.host.empty() || slurm::isJobFolder(place.folder)) {
  process_.setStandardInputFile(QProcess::nullDevice());
}

JobWatch::~JobWatch() {
  process_.kill();
  process_.waitForFinished();
}

std::vector<std::string> JobWatch::control() const {
  if (!isJob_ || (!answers_ && !place_.host.empty())) return {};
  return slurm::controlOf(place_.folder, program_);
}

void JobWatch::hurry() { due_ = std::min(due_, asked_ + interval_ / 2); }

void JobWatch::ask() {
  const Strings words{program_, "slurm-job", place_.folder, "--state"};
  if (place_.host.empty()) {
    process_.start(QString::fromStdString(program_), listOf({words.begin() + 1, words.end()}));
  } else {
    const RemoteCommand command = onHost(place_.host, words, Login::quiet);
    process_.start(command.program, command.arguments);
  }
  asked_ = Clock::now();
  isAsking_ = true;
}

std::optional<JobWatch::News> JobWatch::look() {
  if (!isJob_) return std::nullopt;
  if (!isAsking_ && Clock::now() >= due_) ask();
  if (!isAsking_) return std::nullopt;
  process_.waitForFinished(0);
  return process_.state() == QProcess::NotRunning ? hear() : std::nullopt;
}

std::optional<JobWatch::News> JobWatch::await() {
  if (!isJob_) return std::nullopt;
  if (!isAsking_) ask();
  if (!process_.waitForFinished(kPatienceMs)) process_.kill();
  process_.waitForFinished();
  return hear();
}

std::optional<JobWatch::News> JobWatch::hear() {
  isAsking_ = false;
  due_ = Clock::now() + interval_;
  trouble_.clear();
  const QByteArray said = process_.readAllStandardOutput(), complained = process_.readAllStandardError();
  const int code = process_.error() == QProcess::FailedToStart     ? kNoConnection
                   : process_.exitStatus() == QProcess::NormalExit ? process_.exitCode()
                                                                   : kNoConnection;
  try {
    if (code != kExitOk) throw Error(ErrorKind::failure, complaint(complained));
    const Json json = protocol::parse_object(said.trimmed().toStdString());
    News news{json.at("job").get<storage::ClusterJob>(), json.at("spec")};
    answers_ = true;
    if (!news.job.number.empty() && !storage::waits(news.job)) due_ = asked_ + kTrainingIntervals * interval_;
    return news;
  } catch (const std::exception& error) {
    // An older program there, or none; or a folder without jobs, which is asked no more.
    if (code == kNoCommand || code == kExitUsage || code == kExitNotFound) isJob_ = false;
    if (code != kExitNotFound)
      trouble_ =
          say("Slurm's state of the job is not known: {}", *error.what() ? error.what() : say("no answer"));
    if (code == kNoCommand)
      trouble_ = say("there is no batchscope in PATH on {}, so the run can be watched but not controlled",
                     place_.host);
    return std::nullopt;
  }
}

}  // namespace batchscope::cli
