// SPDX-License-Identifier: Apache-2.0
#include "attachment.h"

#include <fmt/core.h>

#include <QEventLoop>
#include <chrono>

#include "store.h"

namespace batchscope::cli {
namespace {

constexpr int kTickMs = 200;

}  // namespace

Attachment::Attachment(storage::Catalogue& catalogue, const std::string& id, const AttachOptions& options,
                       View& view, Interrupts& interrupts)
    : catalogue_(catalogue), id_(id), options_(options), view_(view), client_(id) {
  connect(&client_, &run::ControlClient::statusChanged, this, [this](const protocol::RunStatus& status) {
    status_ = status;
    statusIsNew_ = true;
  });
  connect(&client_, &run::ControlClient::connectedChanged, this, [this](bool connected) {
    if (connected && stopAsked_ && !stopSent_) sendStop();
  });
  connect(&interrupts, &Interrupts::raised, this, &Attachment::interrupt);
  connect(&ticks_, &QTimer::timeout, this, &Attachment::tick);
}

Outcome Attachment::follow() {
  ticks_.start(kTickMs);
  if (options_.timeout) {
    const auto patience = std::chrono::milliseconds(static_cast<std::int64_t>(*options_.timeout * 1000));
    QTimer::singleShot(patience, this, [this] {
      outcome_.timedOut = true;
      stopRun("the time is up: checkpointing ...");
    });
  }
  QEventLoop loop;
  connect(&ticks_, &QTimer::timeout, &loop, [&] {
    if (outcome_.detached || hasEnded()) loop.quit();
  });
  loop.exec();
  ticks_.stop();
  showNewEvents();
  view_.finish();
  outcome_.run = *catalogue_.run(id_);
  return outcome_;
}

void Attachment::tick() {
  if (catalogue_.changed()) showNewEvents();
  if (!statusIsNew_) return;
  statusIsNew_ = false;
  view_.showStatus(*status_);
}

void Attachment::showNewEvents() {
  for (const storage::Event& event : catalogue_.events(id_, options_.eventsAfter)) {
    options_.eventsAfter = event.id;
    view_.showEvent(event);
  }
}

// A run is over when its supervisor has written everything down and gone. A paused run keeps its supervisor,
// and one that is being resumed may still stand as paused in the catalogue: what the supervisor says goes
// first.
bool Attachment::hasEnded() {
  const auto run = catalogue_.run(id_);
  if (!run) throw Error(ErrorKind::not_found, fmt::format("run {} was removed while we watched it", id_));
  if (run->state == protocol::RunState::paused)
    return status_ && status_->state == protocol::run_state_name(run->state) && run->step >= status_->step;
  return isAtRest(run->state) && run->supervisor_pid == 0;
}

void Attachment::interrupt() {
  if (options_.interrupt == AttachOptions::Interrupt::detaches || stopAsked_) {
    outcome_.detached = true;
    return;
  }
  outcome_.interrupted = true;
  stopRun("checkpointing ... (once more leaves the run alone with it)");
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
    if (error != nullptr) view_.showNotice(fmt::format("the run cannot be stopped: {}", error->what()));
  });
}

}  // namespace batchscope::cli
