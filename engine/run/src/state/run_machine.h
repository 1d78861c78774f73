// SPDX-License-Identifier: Apache-2.0
//
// The state machine of a run: what happens (a first step, an exit, a time-out) and what is asked (rescale,
// pause, resume, stop) goes in, orders come out. It knows no process, no socket and no clock, so that every
// path can be tested in microseconds. One generation of replicas is in one of these phases:
//
//   launching --first step--> training --asked to exit, or a replica exited--> ending --all exited--+
//       ^                                                                                           |
//       +---- rescale, resume --- idle (paused) <-----------------------------------------+---------+
//       +---- crash ------------- backing_off  <------------------------------------------+
//                                 over (finished, stopped, failed) <----------------------+
//
// What becomes of the run when the last replica has exited is the intent: none (the program ended, or
// crashed), rescale, pause or stop. A rescale asked for while another generation is being launched waits
// for its first step; the newest one wins. Where the replicas are goes with how many: the machine compares
// allocations, and knows nothing of devices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "allocation.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/run_state.h"
#include "state/hang_watch.h"
#include "state/outcome.h"

namespace batchscope::run {

using protocol::RunState;

// The orders of the machine. None of these may call back into the machine.
class Orders {
 public:
  virtual ~Orders() = default;

  // Starts a generation. Throws where it cannot be started at all.
  virtual void launch(const Allocation& allocation, const std::string& reason) = 0;
  virtual void ask_exit() = 0;  // SIGTERM to every replica
  virtual void kill() = 0;      // SIGKILL to every replica
  // The one timer, which calls time_out; a new one replaces the old, a negative one cancels it.
  virtual void set_timer(double seconds) = 0;
  virtual void tell(const std::string& level, const std::string& text) = 0;
  // The generation's last replica has exited.
  virtual void ended(const Outcome& outcome) = 0;

  virtual std::string last_words(int rank) = 0;   // of the replica's log, in a line, or empty
  virtual std::string log_command(int rank) = 0;  // that shows the whole log
  virtual std::string restart_point() = 0;        // "checkpoint-000003 (step 100)", "the beginning, ..."
  virtual std::int64_t step() = 0;                // optimizer steps done
  // Returns who held a replica up that gave up waiting.
  virtual std::optional<Suspect> suspect() = 0;
  // Memory ran out at so many samples: lowers the bound that the next generation gets, and says so in a
  // clause; empty where there is nothing to lower, or where that many fitted on the old number of replicas.
  virtual std::string lower_local_batch_size(std::int64_t local) = 0;
};

class RunMachine {
 public:
  struct Limits {
    double checkpoint_timeout = 120;
    double rescale_timeout = 60;
    int restart_budget = 5;
    bool stop_when_not_finite = false;
  };

  RunMachine(const Limits& limits, Orders& orders);

  // Events.
  void start(const Allocation& allocation, const std::string& reason);  // "start" or "resume"
  // Instead of start(): rests as if it were paused, until a resume.
  void rest(const Allocation& allocation);
  void first_step();                                 // the generation makes progress
  void checkpoint_written(std::int64_t step);        // past the last crash, it renews the budget
  void triggered(const protocol::Trigger& trigger);  // the replicas exit by themselves
  void replica_exited(const Exit& exit);
  void hung(const Suspect& suspect);     // no replica makes progress, because of this one
  void refused(const std::string& why);  // the replicas were to leave, and could not checkpoint: they stay
  // The supervisor cannot go on: the replicas are asked for a last checkpoint, and the run has failed. Said
  // again, before they have left, it ends the run at once.
  void fail(const std::string& why);
  // Confines the run to so many replicas from now on, and to devices that are not lost where they were named:
  // whatever was to be launched on more, or there, is on what is left.
  void confine(int most, const std::function<bool(const std::string& device)>& lost = {});
  void time_out();

  // Requests. Throw Error(conflict) where the run is in no state to do it.
  void rescale(const Allocation& allocation, const std::string& reason = "rescale");
  void pause();
  void resume(const Allocation& allocation);  // none: as before, or as was asked for before the pause
  void stop();

  RunState state() const;
  const Allocation& allocation() const { return allocation_; }  // of the present generation, or of the last
  const Allocation& target() const;                             // what it gives way to, or the same
  // So many where they are, if that is their number, else anywhere.
  Allocation in_place(int replicas) const;
  bool training() const { return phase_ == Phase::training; }
  // The replicas leave, for the next generation to follow at once.
  bool restarting() const { return phase_ == Phase::ending && intent_ == Intent::rescale; }
  bool over() const { return phase_ == Phase::over; }
  const std::string& message() const { return message_; }

 private:
  enum class Phase { idle, launching, training, ending, backing_off, over };
  enum class Intent { none, rescale, pause, stop };

  void launch(const Allocation& allocation, const std::string& reason);
  void begin_ending(Intent intent);
  void generation_ended();
  void carry_out(const Outcome& outcome);
  void crashed(const Exit& culprit);
  void restart(const std::string& what, double delay, const std::string& log);
  bool restore_old_allocation(const std::string& why);
  void keep_pending_rescale();
  void become_idle();
  void end(RunState state, const std::string& message = {});

  const Limits limits_;
  Orders& orders_;

  Phase phase_ = Phase::idle;
  RunState end_state_ = RunState::stopped;
  std::string message_;
  std::string failure_;  // why the supervisor cannot go on; empty: it can

  Allocation allocation_;             // of the present generation, or of the last
  bool fresh_ = true;                 // launched by start or resume, not by a restart
  bool progressed_ = false;           // the present generation has had its first step
  std::vector<Exit> exits_;           // of the present generation, in order
  std::optional<Allocation> old_;     // launching on another: what to go back to
  std::optional<Allocation> queued_;  // asked for while it could not be begun, or before the run was paused

  Intent intent_ = Intent::none;  // ending: what comes after
  Allocation target_;             // Intent::rescale: to what
  std::string reason_;            // Intent::rescale: why
  bool asked_ = false;            // ending: because we or a trigger asked for it
  bool killed_ = false;           // ending: SIGKILL has been sent
  std::optional<Suspect> hang_;   // who holds the generation up

  int crashes_ = 0;              // since a checkpoint that came further than the last of them
  std::int64_t crash_step_ = 0;  // in which the last one happened
  std::string exception_;        // that ended the generation before; empty: none did
  std::int64_t exception_step_ = 0;
  int stillborn_ = 0;  // generations in a row that ended before their first step
};

}  // namespace batchscope::run
