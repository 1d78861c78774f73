// SPDX-License-Identifier: Apache-2.0
//
// Identifies the running loop over data among an epoch's loops. A program that is restarted runs its code
// from the start: a loop is known again by its position, the number of loops that began before it in the same
// epoch (AdaptDL's scheme), and one that had finished before the restart is skipped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace batchscope {
class AdaptiveDataLoaderHelper;
}

namespace batchscope::replica {

struct RunningLoop {
  bool training = true;
  std::int64_t dataset_size = 0;              // 0: a stream's that is not known
  int finished_epochs = 0;                    // while it runs
  std::int64_t position = 0;                  // in the pass, when the step in flight is done
  double progress_from = 0, progress_to = 0;  // where the loop ends by progress; equal: it ends by samples
  const AdaptiveDataLoaderHelper* loader = nullptr;

  double fraction(double progress) const;  // of the loop, 0..1
};

// Empty between loops.
std::optional<RunningLoop>& running_loop();

// The position of the loop that comes next in this epoch (-1: outside of epochs), that it is begun, and that
// it is over or skipped.
int loop_position(int epoch);
void begin_loop(int epoch);
void count_loop(int epoch);

// Outside of loops: a loop that comes behind, in this epoch or, outside of epochs, in a later one, was begun
// before, in this process or, as the checkpoint knows, in one before it. So the code that is running ran
// before.
bool replaying_code(int epoch);

// The program has come to its epochs up to this one: what follows outside of epochs lies behind them.
void pass_epochs(int until);

// Removes entries of epochs before this one, which are never run again. Entries outside of epochs (-1) stay.
template <class ByEpoch>
void forget_epochs_before(int epoch, ByEpoch& by_epoch) {
  by_epoch.erase(by_epoch.lower_bound(0), by_epoch.lower_bound(std::max(epoch, 0)));
}

// An epoch is entered, or entered again after an exception: its loops are counted from the start. The number
// says which entry this is, for those who replay what happened inside the epoch.
void enter_epoch(int epoch);
std::uint64_t epoch_entry();

void load_loops_state();  // makes it, and loads it from the checkpoint

}  // namespace batchscope::replica
