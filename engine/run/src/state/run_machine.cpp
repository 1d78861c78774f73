// SPDX-License-Identifier: Apache-2.0
#include "state/run_machine.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <regex>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/time_outs.h"
#include "words.h"

namespace batchscope::run {
namespace {

namespace time_out = protocol::time_out;

double in_seconds(std::chrono::duration<double> time) { return time.count(); }

// Before the restart that follows so many crashes without progress.
double back_off(int crashes) {
  if (crashes <= 1) return 0;
  return std::min(in_seconds(time_out::kLongestBackOff),
                  in_seconds(time_out::kFirstBackOff) * std::exp2(crashes - 2));
}

bool all_clean(const std::vector<Exit>& exits) {
  return std::all_of(exits.begin(), exits.end(), [](const Exit& e) { return e.clean(); });
}

// As many of these devices as give each replica `of_each`.
std::vector<std::string> whole_sets(std::vector<std::string> devices, int of_each) {
  const auto set = static_cast<std::size_t>(of_each);
  devices.resize(devices.size() / set * set);
  return devices;
}

// Returns an exception's text without what differs from process to process: "<Batch object at 0x..>".
std::string without_addresses(const std::string& text) {
  static const std::regex address("0x[0-9a-fA-F]+");
  return std::regex_replace(text, address, "0x..");
}

// The reason of a rescale that somebody asked for.
constexpr char kByPerson[] = "rescale";

[[noreturn]] void conflict(const std::string& message) { throw Error(ErrorKind::conflict, message); }

}  // namespace

RunMachine::RunMachine(const Limits& limits, Orders& orders) : limits_(limits), orders_(orders) {}

RunState RunMachine::state() const {
  if (phase_ == Phase::over) return end_state_;
  if (phase_ == Phase::idle) return allocation_.replicas == 0 ? RunState::starting : RunState::paused;
  if (intent_ == Intent::pause) return RunState::pausing;
  if (intent_ == Intent::stop) return RunState::stopping;
  if (phase_ == Phase::launching && fresh_) return RunState::starting;
  // Replicas that end of their own accord one after the other are still the running run.
  const bool finishing = phase_ == Phase::ending && !asked_ && !killed_ && all_clean(exits_);
  if (phase_ == Phase::training || finishing) return RunState::running;
  return RunState::restarting;
}

const Allocation& RunMachine::target() const {
  if (intent_ == Intent::rescale) return target_;
  return queued_ ? *queued_ : allocation_;
}

Allocation RunMachine::in_place(int replicas) const {
  return replicas == allocation_.replicas ? allocation_ : Allocation(replicas);
}

// --- what happens ---

void RunMachine::start(const Allocation& allocation, const std::string& reason) {
  fresh_ = true;
  launch(std::exchange(queued_, std::nullopt).value_or(allocation), reason);
}

void RunMachine::rest(const Allocation& allocation) { allocation_ = allocation; }

void RunMachine::launch(const Allocation& allocation, const std::string& reason) {
  phase_ = Phase::launching;
  intent_ = Intent::none;
  allocation_ = allocation;
  progressed_ = asked_ = killed_ = false;
  hang_.reset();
  exits_.clear();
  orders_.set_timer(-1);
  try {
    orders_.launch(allocation_, reason);
  } catch (const std::exception& error) {
    end(RunState::failed, error.what());
    return;
  }
  // Only a restart on another allocation has something to go back to; a first start may take as long as its
  // data needs.
  if (old_) orders_.set_timer(limits_.rescale_timeout);
}

void RunMachine::first_step() {
  if (progressed_) return;
  progressed_ = true;
  stillborn_ = 0;
  old_.reset();
  fresh_ = false;
  if (phase_ != Phase::launching) return;
  phase_ = Phase::training;
  orders_.set_timer(-1);
  if (const auto next = std::exchange(queued_, std::nullopt); next && *next != allocation_) rescale(*next);
}

void RunMachine::checkpoint_written(std::int64_t step) {
  if (step > crash_step_) crashes_ = 0;
}

void RunMachine::triggered(const protocol::Trigger& trigger) {
  using Action = protocol::Trigger::Action;
  if (trigger.action == Action::checkpoint) return;  // the replicas have done it
  first_step();
  if (phase_ != Phase::training && phase_ != Phase::ending) return;
  // A person's request that is on its way outranks a script.
  if (intent_ == Intent::pause || intent_ == Intent::stop) return;
  if (intent_ == Intent::rescale && reason_ == kByPerson && trigger.action == Action::replicas) return;
  Intent intent = Intent::rescale;
  if (trigger.action == Action::pause) intent = Intent::pause;
  if (trigger.action == Action::stop) intent = Intent::stop;
  if (phase_ == Phase::training) begin_ending(intent);
  if (intent == Intent::pause) keep_pending_rescale();
  intent_ = intent;
  asked_ = true;
  target_ = in_place(trigger.replicas);
  reason_ = "trigger";
}

void RunMachine::replica_exited(const Exit& exit) {
  exits_.push_back(exit);
  Exit& last = exits_.back();
  last.killed = killed_;
  if (killed_ && hang_ && hang_->rank == exit.rank && exit.cause == Cause::unknown) {
    last.cause = Cause::hang;
    last.why = hang_->why;
  }
  if (exit.cause == Cause::peer && !hang_) hang_ = orders_.suspect();
  if (static_cast<int>(exits_.size()) == allocation_.replicas) {
    generation_ended();
    return;
  }
  if (phase_ == Phase::launching || phase_ == Phase::training) begin_ending(Intent::none);
  if (!exit.clean() && !killed_)
    orders_.set_timer(in_seconds(asked_ ? time_out::kLastWordsWhileSaving : time_out::kLastWords));
}

void RunMachine::hung(const Suspect& suspect) {
  const bool runs = phase_ == Phase::launching || phase_ == Phase::training || phase_ == Phase::ending;
  if (!runs || killed_) return;
  hang_ = suspect;
  if (phase_ != Phase::ending) begin_ending(Intent::none);
  if (intent_ != Intent::none)
    orders_.tell("warning", fmt::format("rank {} hangs: {}; the replicas are killed and the newest complete "
                                        "checkpoint is used",
                                        suspect.rank, suspect.why));
  killed_ = true;
  orders_.kill();
}

void RunMachine::refused(const std::string& why) {
  const bool ending = phase_ == Phase::ending && exits_.empty() && !killed_;
  if (phase_ != Phase::training && !ending) return;
  const Intent intent = std::exchange(intent_, Intent::none);
  const std::string what = intent == Intent::rescale ? "the run stays on " + allocation_text(allocation_)
                           : intent == Intent::pause ? "the run is not paused"
                                                     : "training goes on";
  orders_.tell("error", what + ", because no checkpoint can be written: " + why);
  phase_ = Phase::training;
  asked_ = false;
  queued_.reset();
  orders_.set_timer(-1);
  if (intent == Intent::stop) stop();  // asked for on the way
}

void RunMachine::fail(const std::string& why) {
  if (phase_ == Phase::over) return;
  const bool alive = phase_ != Phase::idle && phase_ != Phase::backing_off &&
                     static_cast<int>(exits_.size()) < allocation_.replicas;
  const bool again = !failure_.empty();
  if (!again) failure_ = why;
  if (again || !alive)
    end(RunState::failed, failure_);
  else if (intent_ != Intent::stop)
    stop();
}

void RunMachine::confine(int most, const std::function<bool(const std::string& device)>& lost) {
  const auto fit = [&](Allocation& allocation) {
    std::vector<std::string> left = allocation.devices;
    const int of_each = std::max(1, static_cast<int>(left.size()) / std::max(1, allocation.replicas));
    if (lost && std::erase_if(left, lost) > 0) {
      left = whole_sets(std::move(left), of_each);
      allocation =
          left.empty() ? Allocation(std::min(allocation.replicas, most)) : Allocation(0, left, of_each);
    } else if (allocation.devices.empty() && allocation.replicas > most) {
      allocation = Allocation(most);
    }
  };
  fit(target_);
  for (auto* const later : {&old_, &queued_})
    if (*later) fit(**later);
  const bool runs = phase_ == Phase::launching || phase_ == Phase::training || phase_ == Phase::ending;
  Allocation next = allocation_;
  fit(next);
  if (!runs)
    allocation_ = next;
  else if (next != allocation_ && !queued_)
    queued_ = next;
}

void RunMachine::time_out() {
  switch (phase_) {
    case Phase::launching:
      orders_.tell("warning", "no first step on " + allocation_text(allocation_) + " within " +
                                  seconds_text(limits_.rescale_timeout) + "; the run gives up this start");
      begin_ending(Intent::none);
      killed_ = true;
      orders_.kill();
      break;
    case Phase::ending:
      if (all_clean(exits_) && !killed_)
        orders_.tell("warning", std::string(asked_ ? "the replicas did not stop within "
                                                   : "not every replica ended with the others within ") +
                                    seconds_text(limits_.checkpoint_timeout) +
                                    " and the rest were killed; the newest complete checkpoint is used");
      killed_ = true;
      orders_.kill();
      break;
    case Phase::backing_off: launch(allocation_, "crash"); break;
    default: break;
  }
}

// --- the end of a generation ---

void RunMachine::begin_ending(Intent intent) {
  phase_ = Phase::ending;
  intent_ = intent;
  orders_.set_timer(limits_.checkpoint_timeout);
}

void RunMachine::generation_ended() {
  orders_.set_timer(-1);
  const Outcome outcome = judge(exits_, asked_);
  orders_.ended(outcome);
  if (outcome.kind == Outcome::Kind::finished) {
    end(RunState::finished);
  } else if (intent_ != Intent::none) {
    if (outcome.kind == Outcome::Kind::crashed && !killed_)
      orders_.tell("warning", describe(outcome.culprit) + " after it was asked to stop; going on from " +
                                  orders_.restart_point());
    if (outcome.kind == Outcome::Kind::unsaved)
      orders_.tell("warning",
                   "the program ended without a checkpoint when it was asked to stop; going on from " +
                       orders_.restart_point());
    carry_out(outcome);
  } else if (outcome.kind == Outcome::Kind::checkpointed) {
    end(RunState::stopped, "a signal from outside asked a replica to stop");
  } else {
    crashed(outcome.culprit);
  }
}

void RunMachine::carry_out(const Outcome& outcome) {
  switch (std::exchange(intent_, Intent::none)) {
    case Intent::rescale:
      old_.reset();
      if (progressed_ && target_ != allocation_) old_ = allocation_;
      launch(target_, reason_);
      break;
    case Intent::pause: become_idle(); break;
    default: end(RunState::stopped); break;
  }
}

void RunMachine::crashed(const Exit& culprit) {
  // The next generation tries another checkpoint, whatever else is asked of it.
  const auto unloadable =
      std::find_if(exits_.begin(), exits_.end(), [](const Exit& e) { return e.cause == Cause::checkpoint; });
  if (unloadable != exits_.end()) {
    stillborn_ = 0;
    return restart(unloadable->why, 0, {});
  }
  // Their number is finite.
  const auto lost =
      std::find_if(exits_.begin(), exits_.end(), [](const Exit& e) { return e.cause == Cause::node; });
  if (lost != exits_.end()) {
    stillborn_ = 0;
    return restart(lost->why, 0, {});
  }
  // A file that a program reads at its start is damaged, such as all of its checkpoints: no restart mends
  // that.
  const auto damage = std::find_if(exits_.begin(), exits_.end(),
                                   [](const Exit& e) { return e.signal == 0 && e.code == kExitCorrupt; });
  if (!progressed_ && damage != exits_.end())
    return end(RunState::failed, damage->why.empty() ? orders_.last_words(damage->rank) : damage->why);
  const bool unstarted = culprit.killed && culprit.cause == Cause::unknown;
  const std::string what = unstarted ? "it did not start in time" : describe(culprit);
  std::string log = culprit.why.empty() ? orders_.last_words(culprit.rank) : std::string();
  if (!log.empty()) log = "; its log ends with: " + log;
  log += " (" + orders_.log_command(culprit.rank) + ")";
  const std::string why = what + log;

  const std::string lowered = culprit.cause == Cause::memory
                                  ? orders_.lower_local_batch_size(culprit.local_batch_size)
                                  : std::string();
  if (!lowered.empty()) {  // the next try is another one, and their number is finite
    stillborn_ = 0;
    return restart(what + "; " + lowered, 0, log);
  }
  if (restore_old_allocation(why)) return;
  if (culprit.cause == Cause::non_finite && limits_.stop_when_not_finite) return end(RunState::failed, why);

  // A program's own exception before the run's first step leaves nothing to go on from, and one that comes
  // back in the same step is not an accident.
  const std::int64_t step = orders_.step();
  const std::string exception = culprit.cause == Cause::exception ? without_addresses(culprit.why) : "";
  if (!exception.empty() && step == 0) return end(RunState::failed, why);
  if (!exception.empty() && exception == exception_ && step == exception_step_)
    return end(
        RunState::failed,
        fmt::format(
            "the program threw the same exception twice after step {}, so another restart would not help: {}",
            step, why));
  exception_ = exception;
  exception_step_ = step;

  crashes_++;
  crash_step_ = std::max(crash_step_, orders_.step());
  stillborn_ = progressed_ ? 0 : stillborn_ + 1;
  if (stillborn_ >= 2)
    return end(RunState::failed, "the run failed twice in a row before a first step: " + why);
  if (crashes_ > limits_.restart_budget)
    return end(RunState::failed,
               fmt::format("the budget of {} restarts without progress is used up; the last failure: {}",
                           limits_.restart_budget, why));
  restart(what, back_off(crashes_), log);
}

void RunMachine::restart(const std::string& what, double delay, const std::string& log) {
  allocation_ = std::exchange(queued_, std::nullopt).value_or(allocation_);
  orders_.tell("error", what + "; restarting " + (delay > 0 ? "in " + seconds_text(delay) : "at once") +
                            " from " + orders_.restart_point() + log);
  phase_ = Phase::backing_off;
  fresh_ = false;
  orders_.set_timer(delay);
}

// A generation that was to run elsewhere and never made a step gives way to the old allocation.
bool RunMachine::restore_old_allocation(const std::string& why) {
  const auto old = std::exchange(old_, std::nullopt);
  if (!old || progressed_) return false;
  const Allocation next = std::exchange(queued_, std::nullopt).value_or(*old);
  orders_.tell("error", fmt::format("the restart on {} failed, back to {}: {}", allocation_text(allocation_),
                                    allocation_text(next), why));
  launch(next, "rescale");
  return true;
}

void RunMachine::become_idle() {
  phase_ = Phase::idle;
  intent_ = Intent::none;
  orders_.set_timer(-1);
}

// A run that is paused on its way to another allocation goes on with that.
void RunMachine::keep_pending_rescale() {
  if (intent_ == Intent::rescale) queued_ = target_;
}

void RunMachine::end(RunState state, const std::string& message) {
  phase_ = Phase::over;
  intent_ = Intent::none;
  queued_.reset();
  const bool failed = !failure_.empty() && state != RunState::finished;
  end_state_ = failed ? RunState::failed : state;
  message_ = failed ? failure_ : message;
  orders_.set_timer(-1);
}

// --- what is asked ---

void RunMachine::rescale(const Allocation& allocation, const std::string& reason) {
  switch (phase_) {
    case Phase::idle:
      if (state() == RunState::starting) {
        queued_ = allocation;
        return;
      }
      conflict(std::string("the run is ") + protocol::run_state_name(state()) +
               "; to continue it on another number of replicas: batchscope resume RUN --replicas N");
    case Phase::over: conflict("the run is over");
    default: break;
  }
  if (intent_ == Intent::pause || intent_ == Intent::stop)
    conflict(std::string("the run is ") + protocol::run_state_name(state()));
  switch (phase_) {
    case Phase::training:
      begin_ending(Intent::rescale);
      asked_ = true;
      target_ = allocation;
      reason_ = reason;
      orders_.ask_exit();
      break;
    case Phase::ending:
      if (intent_ == Intent::rescale)
        target_ = allocation;
      else
        queued_ = allocation;
      break;
    case Phase::backing_off: allocation_ = allocation; break;
    default: queued_ = allocation; break;
  }
}

void RunMachine::pause() {
  switch (phase_) {
    case Phase::idle:
      conflict(std::string("the run is ") + protocol::run_state_name(state()) + " already" +
               (state() == RunState::paused ? "; to continue it: batchscope resume RUN" : ""));
    case Phase::over: conflict("the run is over");
    case Phase::backing_off: become_idle(); break;
    case Phase::ending:
      if (intent_ == Intent::stop) conflict("the run is stopping");
      keep_pending_rescale();
      intent_ = Intent::pause;
      break;
    default:
      begin_ending(Intent::pause);
      asked_ = true;
      orders_.ask_exit();
  }
}

void RunMachine::resume(const Allocation& allocation) {
  if (phase_ != Phase::idle)
    conflict(std::string("the run is ") + protocol::run_state_name(state()) + ", not paused");
  if (allocation.replicas > 0) queued_ = allocation;
  start(allocation_, "resume");
}

void RunMachine::stop() {
  switch (phase_) {
    case Phase::over: conflict("the run is over");
    case Phase::idle:
    case Phase::backing_off: end(RunState::stopped); break;
    case Phase::ending: intent_ = Intent::stop; break;
    default:
      begin_ending(Intent::stop);
      asked_ = true;
      orders_.ask_exit();
  }
}

}  // namespace batchscope::run
