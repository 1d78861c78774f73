// SPDX-License-Identifier: Apache-2.0
//
// The pause of a restart, from the last finished step of the old generation to the first finished step of
// the new one, cut into parts that add up to it:
//
//   last step --checkpoint--> on disk --stop--> launch ordered --launch--> group stands --restore--> states
//   loaded --first step--> first finished step
//
// All times are CLOCK_MONOTONIC seconds, which the processes of one machine share. A mark that never came
// (a crash writes no checkpoint) gives its part no time. A validation batch counts as a step: a run that is
// restarted in the midst of its validation has not paused since its last optimizer step. A resumed run has
// its pause measured from the order to resume, for the hours before were asked for.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace batchscope::run {

struct Pause {
  double seconds = 0;
  std::map<std::string, double> parts;  // "checkpoint", "stop", "launch", "restore", "first step"
};

class PauseClock {
 public:
  // The restart was ordered, or the crash noticed; `last_step` is the last progress seen so far.
  void begin(double now, double last_step);
  void stepped(double mono);  // the old generation still made progress
  void checkpointed(double last_step, double complete);
  void launched(double now);       // once for every attempt, the last counts
  void group_stands(double mono);  // from each replica, the last counts
  void restored(double mono);      // from each replica, the last counts
  Pause first_step(double mono);   // ends the pause
  void cancel() { begun_.reset(); }

  bool running() const { return begun_.has_value(); }
  std::string phase() const;         // the part that is under way; empty when there is no pause
  double seconds(double now) const;  // since it began; 0 when there is no pause

 private:
  std::optional<double> begun_;
  double last_step_ = 0;
  std::optional<double> checkpoint_, launch_, group_, restore_;
};

}  // namespace batchscope::run
