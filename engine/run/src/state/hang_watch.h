// SPDX-License-Identifier: Apache-2.0
//
// Finds the replica that holds a generation up. Every replica's heartbeats say what it does and since when:
// computing, or waiting in which collective; a thread sends them that nothing in training holds up. A run
// hangs when no replica has begun anything new for the step time-out; the one to name is then
//   the replica whose heartbeats have stopped (SIGSTOP, a process that the system no longer schedules), or
//   else the one that computes while the others wait for it, or else, when each waits for another, the one
//   that has waited longest.
// Judged is only what can be judged: replicas that send heartbeats, after the generation's first step (data
// may take its time before), inside a loop over data and not while a checkpoint is written; and those that
// have said goodbye, whose process is to end. A supervisor that was itself held up has heard nobody for as
// long, which is not a replica's fault.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::run {

struct Suspect {
  int rank = 0;
  std::string why;  // "it has computed for 46 s in step 23 without finishing it"
};

class HangWatch {
 public:
  // Seconds without progress that make a hang; 0: none does.
  explicit HangWatch(double patience) : patience_(patience) {}

  void begin(int replicas);            // a generation
  void greeted(int rank, double now);  // it will send heartbeats
  void heard(int rank, double now);    // anything
  void beat(int rank, const protocol::Heartbeat& heartbeat, double now);
  void said_goodbye(int rank, double now);  // its program is done; heartbeats stop, and its process ends
  void left(int rank);                      // its process has ended

  // The hang's cause, once there is one. Before the first step only silence counts. Call it a few times a
  // second, with all that has arrived heard.
  std::optional<Suspect> check(double now, bool stepping);
  // Returns the replica that has held the others up for at least so many seconds; for where a replica gave up
  // waiting before we did.
  std::optional<Suspect> suspect(double now, double at_least) const;

 private:
  struct Replica {
    double heard = 0;  // 0: never
    bool alive = true;
    std::optional<protocol::Heartbeat> beat;  // the last one; empty for a program that sends none
  };

  bool silent(const Replica& replica, double now) const;
  std::string describe(const Replica& replica, double now) const;

  const double patience_;
  double checked_ = 0;             // when we last looked
  double resumed_ = 0;             // since when we have looked without interruption
  std::vector<Replica> replicas_;  // by rank
};

}  // namespace batchscope::run
