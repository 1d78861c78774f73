// SPDX-License-Identifier: Apache-2.0
//
// The agreement point.
#include "agreement.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/train/checkpoint.h"
#include "batchscope/train/collective.h"
#include "batchscope/train/epoch.h"
#include "batchscope/train/process_group.h"
#include "checkpoint_registry.h"
#include "metrics.h"
#include "periodic_checkpoint.h"
#include "process.h"
#include "telemetry_client.h"
#include "triggers.h"

namespace batchscope {
namespace {

std::optional<collective::Pending> in_flight;

collective::Bytes encode(Ask ask) { return std::string(1, static_cast<char>(ask)); }
Ask decode(const collective::Bytes& bytes) { return static_cast<Ask>(bytes.at(0)); }

bool is_leaving(Ask ask) { return ask >= Ask::checkpoint_and_restart; }

// What all replicas agreed on; it is cleared here, so that it is not put into the next all-reduce once more.
Ask agreed_ask() {
  if (num_replicas() == 1) {
    const Ask ask = pending_ask();
    clear_ask(ask);
    return ask;
  }
  Ask agreed = Ask::nothing;
  if (in_flight) {
    agreed = decode(in_flight->wait());
    in_flight.reset();
    clear_ask(agreed);
  }
  if (!is_leaving(agreed))  // else nobody comes for the next result
    in_flight = collective::all_reduce_async("ask", encode(pending_ask()),
                                             [](const auto& a, const auto& b) { return std::max(a, b); });
  return agreed;
}

// A checkpoint that cannot be written is no reason to stop training.
bool save(const std::string& reason, bool restart) {
  try {
    restart ? checkpoint::save_for_restart(reason) : checkpoint::save_all_states(reason);
    return true;
  } catch (const Error& e) {
    if (replica_rank() == 0) notice("error", e.what());
    return false;
  }
}

[[noreturn]] void leave_after(bool saved) {
  if (saved && replica_rank() == 0 && !telemetry_connected())
    std::fprintf(stderr, "batchscope: checkpoint written to %s; run the program again to resume\n",
                 checkpoint::directory().c_str());
  leave(saved ? kExitCheckpointed : kExitFailure);
}

void fire(int index) {
  triggers().set_fired(index);  // first: it belongs into the checkpoint
  const auto action = triggers()[index].action;
  const bool saved = save("trigger", action == protocol::Trigger::Action::replicas);
  if (replica_rank() == 0) send(protocol::Triggered{index, metrics::steps(), protocol::monotonic_seconds()});
  if (action != protocol::Trigger::Action::checkpoint) leave_after(saved);
}

}  // namespace

void agreement_point() {
  while (const auto index = triggers().due(metrics::steps(), finished_epochs(), metrics::progress()))
    fire(*index);
  periodic::ask_when_due();
  const Ask ask = agreed_ask();
  if (ask == Ask::nothing) return;
  if (ask == Ask::periodic_checkpoint) return periodic::checkpoint();
  const bool saved = save(is_leaving(ask) ? "exit" : "manual", ask == Ask::checkpoint_and_restart);
  if (is_leaving(ask)) leave_after(saved);
}

}  // namespace batchscope
