// SPDX-License-Identifier: Apache-2.0
#include "follow/attachment.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "batchscope/common/queue_json.h"
#include "batchscope/common/run_clock.h"
#include "batchscope/run/supervisor.h"
#include "follow/crash.h"
#include "records/job_records.h"
#include "records/store.h"
#include "terminal/terminal.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr int kTickMs = 200;
constexpr auto kBeginPatience = std::chrono::seconds(30);  // longer than a program may take to be loaded

// Returns whether the supervisor has come so far as to start replicas: the run trains, or will say why not.
bool hasBegun(const protocol::RunStatus& status) { return status.replicas > 0 && !isAtRest(status.state); }

}  // namespace

Attachment::Attachment(storage::Catalogue& catalogue, const std::string& id, const AttachOptions& options,
                       View& view, Interrupts& interrupts)
    : catalogue_(catalogue), id_(id), options_(options), view_(view), client_(id) {
  if (!options_.quiet)
    output_.emplace(
        id_, options_.outputAfter,
        isTerminal(STDOUT_FILENO) ? ReplicaOutput::Flood::isLeftOut : ReplicaOutput::Flood::isKept);
  connect(&client_, &run::ControlClient::statusChanged, this, [this](const protocol::RunStatus& status) {
    status_ = status;
    statusIsNew_ = true;
    if (options_.untilBegun && hasBegun(status)) leave();
  });
  connect(&client_, &run::ControlClient::connectedChanged, this, [this](bool connected) {
    if (connected && stopAsked_ && !stopSent_) sendStop();
  });
  connect(&interrupts, &Interrupts::raised, this, &Attachment::interrupt);
  connect(&ticks_, &QTimer::timeout, this, &Attachment::tick);
}

Outcome Attachment::follow() {
  showPlace();
  ticks_.start(kTickMs);
  if (options_.timeout)
    deadline_ =
        QDeadlineTimer(std::chrono::milliseconds(static_cast<std::int64_t>(*options_.timeout * 1000)));
  if (options_.untilBegun) {
    QTimer::singleShot(kBeginPatience, this, [this] {
      fault_ = std::make_exception_ptr(
          Error(ErrorKind::timeout,
                say("run {} has a supervisor, but has not begun within {} s; it may yet: `batchscope "
                    "attach {}` watches it, `batchscope stop {}` ends it",
                    id_, kBeginPatience.count(), id_, id_)));
      loop_.quit();
    });
  }
  loop_.exec();
  ticks_.stop();
  if (fault_) std::rethrow_exception(fault_);
  showRestOfOutput();
  showNewEvents();
  view_.finish();
  outcome_.run = currentRun();
  outcome_.hasCheckpoint = !catalogue_.checkpoints(id_).empty();
  outcome_.frames = framesOfFailure();
  return outcome_;
}

storage::Run Attachment::currentRun() {
  auto run = catalogue_.run(id_);
  if (!run) throw Error(ErrorKind::not_found, say("run {} was removed while we watched it", id_));
  return std::move(*run);
}

void Attachment::leave() {
  outcome_.detached = true;
  loop_.quit();
}

void Attachment::tick() {
  try {
    showOutput();
    if (catalogue_.changed()) {
      showNewEvents();
      showPlace();
    }
    if (std::exchange(statusIsNew_, false)) view_.showStatus(*status_);
    if (deadline_.hasExpired()) stopForTime();
    if (hasEnded()) loop_.quit();
  } catch (...) {
    fault_ = std::current_exception();
    loop_.quit();
  }
}

void Attachment::showOutput() {
  if (!output_) return;
  const std::string lines = output_->read();
  view_.showOutput(lines, output_->unfinished());
}

// Reads once more the output of a run that goes on; reads the log of an ended run to its end.
void Attachment::showRestOfOutput() {
  do showOutput();
  while (output_ && output_->hasGrown() && !outcome_.detached);
  if (!output_) return;
  const std::string unfinished = output_->unfinished();
  view_.showOutput(unfinished.empty() ? "" : unfinished + '\n', "");
}

// Returns the frames of the traceback; empty if the output has shown them already.
std::string Attachment::framesOfFailure() {
  if (outcome_.run.state != protocol::RunState::failed) return {};
  const auto crash = lastCrash(catalogue_.generations(id_));
  return crash && (!output_ || crash->rank != 0) ? ownFrames(id_, *crash) : std::string();
}

void Attachment::showNewEvents() {
  const auto events = catalogue_.events(id_, options_.eventsAfter);
  if (events.empty()) return;
  // A run that waited has another clock once it is launched.
  const double origin = common::clockOrigin(currentRun(), catalogue_.generations(id_));
  for (const storage::Event& event : events) {
    options_.eventsAfter = event.id;
    if (event.text.starts_with(run::kSilentProgram)) outcome_.silence = event.text;
    view_.showEvent(event, origin);
  }
}

// Shows the run's place in the queue while it waits for devices.
void Attachment::showPlace() {
  const storage::Run run = currentRun();
  std::string place;
  if (waitsForPool(catalogue_, run))
    if (const auto job = common::placedJob(catalogue_, run)) {
      place = fmt::format("{} {}", title(run), common::placeText(*job));
      if (!job->entry.job.reason.empty()) place += ": " + job->entry.job.reason;
    }
  if (!place.empty() && place != place_) view_.showNotice(place);
  place_ = place;
}

// A run is over when its supervisor has recorded everything and ended. A paused run keeps its supervisor, and
// a run that is being resumed may still be paused in the catalogue: the supervisor's word counts first.
bool Attachment::hasEnded() {
  const storage::Run run = currentRun();
  if (waitsForPool(catalogue_, run)) return false;
  if (run.state == protocol::RunState::paused)
    return status_ && status_->state == run.state && run.step >= status_->step;
  return isAtRest(run.state) && run.supervisor_pid == 0;
}

// Returns whether the program has had the time to report checkpoints, and has not.
bool Attachment::endsWithoutCheckpoint() const {
  return status_ && status_->state == protocol::RunState::running && !status_->rescalable;
}

void Attachment::stopForTime() {
  deadline_ = QDeadlineTimer(QDeadlineTimer::Forever);
  outcome_.timedOut = true;
  stopRun(endsWithoutCheckpoint()
              ? say("the time is up: ending the program, which reports no checkpoints ...")
              : say("the time is up: checkpointing ..."));
}

void Attachment::interrupt() {
  if (options_.interrupt == AttachOptions::Interrupt::detaches || stopAsked_) return leave();
  outcome_.interrupted = true;
  stopRun(endsWithoutCheckpoint()
              ? say("ending the program, which reports no checkpoints ... (Ctrl-C once more leaves without "
                    "waiting for it)")
              : say("checkpointing ... (Ctrl-C once more leaves without waiting for it)"));
}

void Attachment::stopRun(const std::string& notice) {
  if (stopAsked_) return;
  stopAsked_ = true;
  view_.showNotice(notice);
  if (client_.connected()) sendStop();
}

void Attachment::sendStop() {
  stopSent_ = true;
  protocol::Request request;
  request.command = protocol::Request::Command::stop;
  client_.send(request, [this](const protocol::Json*, const Error* error) {
    if (error != nullptr) view_.showNotice(say("the run cannot be stopped: {}", error->what()));
  });
}

}  // namespace batchscope::cli
