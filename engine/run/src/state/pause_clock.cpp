// SPDX-License-Identifier: Apache-2.0
#include "state/pause_clock.h"

#include <algorithm>
#include <utility>

namespace batchscope::run {

void PauseClock::begin(double now, double last_step) {
  *this = {};
  begun_ = now;
  last_step_ = last_step;
}

void PauseClock::stepped(double mono) {
  if (!launch_) last_step_ = std::max(last_step_, mono);
}

void PauseClock::checkpointed(double last_step, double complete) {
  last_step_ = std::max(last_step_, last_step);
  checkpoint_ = complete;
}

void PauseClock::launched(double now) {
  launch_ = now;
  group_.reset();
  restore_.reset();
}

void PauseClock::group_stands(double mono) { group_ = std::max(group_.value_or(mono), mono); }

void PauseClock::restored(double mono) { restore_ = std::max(restore_.value_or(mono), mono); }

Pause PauseClock::first_step(double mono) {
  const std::pair<const char*, std::optional<double>> ends[] = {{"checkpoint", checkpoint_},
                                                                {"stop", launch_},
                                                                {"launch", group_},
                                                                {"restore", restore_},
                                                                {"first step", mono}};
  Pause pause;
  const double end = std::max(mono, last_step_);
  double begin = last_step_;
  for (const auto& [name, mark] : ends) {
    const double at = std::clamp(mark.value_or(begin), begin, end);
    pause.parts[name] = at - begin;
    begin = at;
  }
  pause.seconds = end - last_step_;
  begun_.reset();
  return pause;
}

std::string PauseClock::phase() const {
  if (!begun_) return {};
  if (restore_) return "first step";
  if (group_) return "restore";
  if (launch_) return "launch";
  return checkpoint_ ? "stop" : "checkpoint";
}

double PauseClock::seconds(double now) const { return begun_ ? std::max(0.0, now - *begun_) : 0; }

}  // namespace batchscope::run
