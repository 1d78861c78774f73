// SPDX-License-Identifier: Apache-2.0
//
// The run's state machine between a test that says what happens and a log of the orders that come out.
#pragma once

#include <functional>
#include <new>
#include <string>
#include <utility>

#include "state/run_machine.h"
#include "thrown.h"

namespace batchscope::run {

using testing::holds;

// Writes down the orders it gets.
class Log : public Orders {
 public:
  void launch(const Allocation& allocation, const std::string& reason) override {
    if (out_of_memory) throw std::bad_alloc();
    if (unlaunchable) throw Error(ErrorKind::not_found, "there is no program");
    orders += "launch " + std::to_string(allocation.replicas);
    for (const std::string& device : allocation.devices) orders += " " + device;
    orders += " " + reason + "; ";
  }
  void ask_exit() override { orders += "term; "; }
  void kill() override { orders += "kill; "; }
  void set_timer(double seconds) override { timer = seconds; }
  void tell(const std::string& level, const std::string& text) override {
    events += level + ": " + text + "\n";
  }
  void ended(const Outcome& outcome) override { orders += outcome.text() + "; "; }
  std::string last_words(int rank) override { return "last words of " + std::to_string(rank); }
  std::string log_command(int rank) override { return "logs --replica " + std::to_string(rank); }
  std::string restart_point() override { return "checkpoint-000001"; }
  std::int64_t step() override { return steps; }
  std::optional<Suspect> suspect() override { return suspected; }
  std::string lower_local_batch_size(std::int64_t local) override {
    return local > 1 ? "lowered below " + std::to_string(local) : std::string();
  }

  bool tells(const char* text) const { return holds(events, text); }
  std::string take() { return std::exchange(orders, {}); }

  std::string orders, events;
  double timer = -1;
  std::int64_t steps = 0;
  std::optional<Suspect> suspected;
  bool unlaunchable = false, out_of_memory = false;
};

inline Exit exited(int rank, int code) { return {rank, code, 0}; }
inline Exit signalled(int rank, int signal) { return {rank, 0, signal}; }
// Returns an exit with a reason.
inline Exit aborted(int rank, Cause cause, const std::string& why, std::int64_t local = 0) {
  return {rank, 0, 6, false, cause, why, local};
}

struct MachineFixture {
  Log log;
  RunMachine machine;

  // Running on n replicas, with the orders so far forgotten.
  explicit MachineFixture(int n) : machine({120, 60, 3}, log) {
    machine.start(n, "start");
    machine.first_step();
    log.take();
  }
  void all_exit(int n, int code) {
    for (int rank = 0; rank < n; ++rank) machine.replica_exited(exited(rank, code));
  }
};

inline bool conflicts(const std::function<void()>& call) { return testing::kind_of(call) == "conflict"; }

}  // namespace batchscope::run
