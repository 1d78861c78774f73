// SPDX-License-Identifier: Apache-2.0
//
// Counting loops. The state "loops" holds how many were begun in the epoch that is running.
#include "adapt/loops.h"

#include <algorithm>
#include <map>

#include "checkpoint/json_state.h"
#include "process/session.h"

namespace batchscope::replica {
namespace {

struct Loops final : JsonState {
  Loops() : JsonState("loops") {}

  std::optional<RunningLoop> running;
  std::map<int, int> counts;  // epoch -> loops so far
  std::map<int, int> begun;   // epoch -> loops that were begun, however often the epoch was entered
  std::uint64_t entries = 0;
  int passed_epochs = 0;  // up to which this process has come

 private:
  protocol::Json contents() const override { return {{"begun", begun}}; }
  void restore(const protocol::Json& json) override { json.at("begun").get_to(begun); }
};

Loops& loops() { return session().part<Loops>(); }

}  // namespace

double RunningLoop::fraction(double progress) const {
  if (dataset_size == 0) return 0;
  const double done = progress_to > progress_from
                          ? (progress - progress_from) / (progress_to - progress_from)
                          : static_cast<double>(position) / static_cast<double>(dataset_size);
  return std::clamp(done, 0.0, 1.0);
}

std::optional<RunningLoop>& running_loop() { return loops().running; }

int loop_position(int epoch) { return loops().counts[epoch]; }

void begin_loop(int epoch) {
  auto& begun = loops().begun;
  forget_epochs_before(epoch, begun);
  begun[epoch] = std::max(begun[epoch], loop_position(epoch) + 1);
}

void count_loop(int epoch) { ++loops().counts[epoch]; }

bool replaying_code(int epoch) {
  if (running_loop()) return false;
  auto& begun = loops().begun;  // has no epoch in which no loop was begun, but for this one
  return loop_position(epoch) < begun[epoch] || (epoch < 0 && begun.rbegin()->first >= loops().passed_epochs);
}

void pass_epochs(int until) { loops().passed_epochs = std::max(loops().passed_epochs, until); }

void load_loops_state() { checkpoint::load_state(loops()); }

void enter_epoch(int epoch) {
  loops().counts.erase(epoch);
  ++loops().entries;
}

std::uint64_t epoch_entry() { return loops().entries; }

}  // namespace batchscope::replica
