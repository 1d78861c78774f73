// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_follower.h"

#include <algorithm>
#include <utility>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/sweep/driver.h"
#include "records/store.h"
#include "sweep/sweep_text.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using State = sweep::Standing::State;

constexpr int kTickMs = 250;
constexpr double kDriverStarts = 10;  // s in which a driver that was started is there

}  // namespace

SweepFollower::SweepFollower(storage::Catalogue& catalogue, std::string name, Interrupt interrupt,
                             SweepDisplay& display, Interrupts& interrupts)
    : catalogue_(catalogue), name_(std::move(name)), interrupt_(interrupt), display_(display) {
  connect(&interrupts, &Interrupts::raised, this, &SweepFollower::interrupt);
  connect(&ticks_, &QTimer::timeout, this, &SweepFollower::tick);
}

SweepEnd SweepFollower::follow() {
  driven_ = protocol::monotonic_seconds();
  look();
  ticks_.start(kTickMs);
  loop_.exec();
  ticks_.stop();
  display_.finish();
  if (fault_) std::rethrow_exception(fault_);
  return std::move(end_);
}

void SweepFollower::tick() {
  try {
    if (catalogue_.changed()) look();
    display_.showProgress(end_.view);
    if (isOver()) loop_.quit();
  } catch (...) {
    fault_ = std::current_exception();
    loop_.quit();
  }
}

void SweepFollower::look() {
  const std::optional<std::size_t> best = std::exchange(end_.view, sweep::look(catalogue_, name_)).best;
  tellNews();
  if (end_.view.best && end_.view.best != best)
    display_.showNotice(say("best so far: {}, {}", bestText(end_.view),
                            parametersText(end_.view.file, end_.view.trials[*end_.view.best].parameters)));
}

void SweepFollower::tellNews() {
  for (std::size_t number = 0; number < end_.view.trials.size(); ++number) {
    const sweep::TrialView& trial = end_.view.trials[number];
    const State state = trial.standing.state;
    if (state != State::failed && state != State::diverged) continue;
    if (told_.insert(number).second)
      display_.showNotice(
          (state == State::failed ? say("trial {} failed", number) : say("trial {} diverged", number)) +
          (trial.message.empty() ? "" : ": ") + trial.message);
  }
}

// A sweep that is stopped or paused is at rest when the last of its trials has written its checkpoint.
bool SweepFollower::isOver() {
  if (end_.view.sweep.state != storage::SweepState::running) return !isTraining();
  const double now = protocol::monotonic_seconds();
  if (sweep::kDriver.alive()) driven_ = now;
  end_.neglected = now - driven_ > kDriverStarts;
  return end_.neglected;
}

bool SweepFollower::isTraining() {
  for (const sweep::TrialView& trial : end_.view.trials) {
    if (trial.standing.state != State::running) continue;
    for (const std::string& id : trial.runs)
      if (const auto run = catalogue_.run(id); run && !isAtRest(run->state)) return true;
  }
  return false;
}

void SweepFollower::interrupt() {
  if (interrupt_ == Interrupt::leaves || end_.interrupted) {
    end_.left = true;
    return loop_.quit();
  }
  try {
    end_.interrupted = true;
    display_.showNotice(
        say("stopping its trials with checkpoints ... (Ctrl-C once more leaves without waiting for them)"));
    sweep::stop(catalogue_, name_);
    look();
  } catch (const Error& error) {
    display_.showNotice(say("the sweep cannot be stopped: {}", error.what()));
  }
}

}  // namespace batchscope::cli
