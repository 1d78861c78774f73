// SPDX-License-Identifier: Apache-2.0
//
// This replica: its environment, its place in the group, and what it has been asked to do. Made by
// init_process_group; a single process's defaults before that.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope {

class Star;

struct Process {
  protocol::Environment environment;
  std::chrono::milliseconds timeout{30'000};  // of one collective
  std::shared_ptr<Star> star;                 // small objects; none for a single replica
  bool initialized = false;
};

const Process& process();
Process& this_process();  // of init_process_group

// Requests by signal, by the clock (or by the supervisor's death, which the telemetry's lifeline notices):
// the strongest so far. The loader's iterator agrees on them with all replicas.
enum class Ask : std::int64_t {
  nothing,
  periodic_checkpoint,
  checkpoint,
  checkpoint_and_restart,
  checkpoint_and_exit
};
Ask pending_ask();          // async-signal-safe to set, cheap to read
void raise_ask(Ask ask);    // also used by triggers and the telemetry thread
void clear_ask(Ask up_to);  // after it has been carried out

// Says goodbye on the telemetry socket, ends threads and leaves with this code, running no static
// destructors.
[[noreturn]] void leave(int code);

// Telemetry: queues a message for the sender thread; never blocks. A no-op without a supervisor.
void send(protocol::Message message);
bool telemetry_connected();

}  // namespace batchscope
