// SPDX-License-Identifier: Apache-2.0
//
// This replica's line to the supervisor: a thread of its own sends what the training thread queues, so that
// nothing a supervisor does or fails to do ever blocks a step. The queue is bounded; steps that do not fit
// are counted, in each Steps message. The line is also the lifeline: when the supervisor's end closes, the
// replicas are asked to checkpoint and exit. Without BATCHSCOPE_TELEMETRY_SOCKET all of this does nothing. It
// knows nobody who writes into it: whoever has a last word registers it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/time_outs.h"
#include "report/row.h"

namespace batchscope::replica {

// Connects, says hello before anything else, and starts the thread; once, when the process group stands.
// Throws Error(io) where the supervisor is not there any more. Where the program has not left when it has
// been orphaned for so long, the thread ends it.
void telemetry_start(const protocol::Environment& environment, protocol::Hello hello = {},
                     std::chrono::milliseconds orphaned = protocol::time_out::kOrphan);

bool telemetry_connected();

// Queues a message for the sender thread; never blocks.
void send(protocol::Message message);

// Calls it with the exit code before Goodbye is sent, after those that were registered before it.
void before_goodbye(std::function<void(int code)> last_word);

// Sends Goodbye with this exit code and what is still queued, has no more patience than this with a
// supervisor that does not read, and ends the thread. Called by leave(), and at the program's orderly end.
void telemetry_stop(int code, std::chrono::milliseconds patience = protocol::time_out::kGoodbye);

// Sends a failure, with the step that this replica is in.
void send_failure(protocol::Failure failure);

// Waits until what was sent is with the system, no longer than two seconds: before a violent end.
void telemetry_flush();

// The step that heartbeats, notices and Goodbye carry: so far this replica has come, and waits for nothing.
void set_step(std::int64_t step);

// One optimizer step's row, on its way to a Steps message: rank 0.
void send_step(std::int64_t step, Row values);

// Where the run stands; the latest goes out with the next batch of steps.
void set_position(protocol::Position position);

// Sets the phase that heartbeats report until the scope ends. `name` is a literal.
class PhaseScope {
 public:
  explicit PhaseScope(const char* name);
  ~PhaseScope();
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  const char* before_;
};

// This replica has begun something new: a micro-batch, a step, a wait. What heartbeats count from.
void mark_progress();

// Sets the collective that heartbeats say this replica waits in, until the scope ends.
class WaitScope {
 public:
  explicit WaitScope(std::string_view collective);
  ~WaitScope();
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;
};

// A sentence for the events list, and for the log on stderr.
void notice(const std::string& level, const std::string& text);

}  // namespace batchscope::replica
