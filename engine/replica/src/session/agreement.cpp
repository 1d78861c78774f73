// SPDX-License-Identifier: Apache-2.0
#include "session/agreement.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "adapt/metrics.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/periodic.h"
#include "checkpoint/registry.h"
#include "checkpoint/save.h"
#include "process/session.h"
#include "process/signals.h"
#include "report/telemetry_client.h"
#include "session/leave.h"
#include "session/triggers.h"

namespace batchscope::replica {
namespace {

struct InFlight : std::optional<collective::Pending> {};

collective::Bytes encode(ExitRequest request) { return {static_cast<char>(request)}; }
ExitRequest decode(const collective::Bytes& bytes) { return static_cast<ExitRequest>(bytes.at(0)); }

bool is_leaving(ExitRequest request) { return request >= ExitRequest::checkpoint_and_restart; }

// Returns the request that all replicas agreed on, and clears it here, so that it is not put into the next
// all-reduce once more.
ExitRequest agreed_request() {
  if (num_replicas() == 1) {
    const ExitRequest request = pending_request();
    clear_request(request);
    return request;
  }
  auto& in_flight = session().part<InFlight>();
  ExitRequest agreed = ExitRequest::nothing;
  if (in_flight) {
    agreed = decode(in_flight->wait());
    in_flight.reset();
    clear_request(agreed);
  }
  if (!is_leaving(agreed))  // else nobody comes for the next result
    in_flight.emplace(collective::all_reduce_async(
        "ask", encode(pending_request()), [](const auto& a, const auto& b) { return std::max(a, b); }));
  return agreed;
}

// Why the checkpoint could not be written, which is not a reason to stop training; none where it was. Throws
// what a collective throws that fails because of another replica.
std::optional<std::string> save(void (*how)(const std::string&), const std::string& reason) {
  try {
    how(reason);
    return std::nullopt;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::failure || e.kind() == ErrorKind::timeout) throw;
    return e.what();
  } catch (const std::exception& e) {
    return e.what();
  }
}

[[noreturn]] void leave_after(const std::optional<std::string>& failure) {
  if (replica_rank() == 0 && failure)
    notice("error", "no checkpoint could be written before the end: " + *failure);
  if (replica_rank() == 0 && !failure && !telemetry_connected())
    std::fprintf(stderr, "batchscope: checkpoint written to %s; run the program again to resume\n",
                 checkpoint_directory().c_str());
  leave(failure ? kExitFailure : kExitCheckpointed);
}

// Leaving can wait for a checkpoint, except at a stop.
void stay(const std::string& failure) {
  if (replica_rank() == 0) send(protocol::Refused{failure, metrics::steps()});
}

void fire(int index) {
  using Action = protocol::Trigger::Action;
  triggers().set_fired(index);  // first: it belongs into the checkpoint
  const Action action = triggers()[index].action;
  const auto failure = save(action == Action::checkpoint ? checkpoint::save_all_states
                            : action == Action::stop     ? save_for_exit
                                                         : save_for_restart,
                            "trigger");
  if (failure && action == Action::checkpoint && replica_rank() == 0) notice("error", *failure);
  if (failure && (action == Action::replicas || action == Action::pause))
    return stay("scripted event " + triggers()[index].text() + ": " + *failure);
  if (replica_rank() == 0) send(protocol::Triggered{index, metrics::steps(), protocol::monotonic_seconds()});
  if (action != Action::checkpoint) leave_after(failure);
}

}  // namespace

void agreement_point() {
  while (const auto index = triggers().due(metrics::steps(), finished_epochs(), metrics::progress()))
    fire(*index);
  periodic::request_when_due(metrics::non_finite_in_a_row() == 0);
  const ExitRequest request = agreed_request();
  if (request == ExitRequest::nothing) return;
  if (request == ExitRequest::periodic_checkpoint) return periodic::checkpoint();
  if (request == ExitRequest::checkpoint_and_exit) leave_after(save(save_for_exit, "exit"));
  if (request == ExitRequest::checkpoint_and_restart) {
    const auto failure = save(save_for_restart, "exit");
    if (!failure) leave_after(failure);
    return stay(*failure);
  }
  if (const auto failure = save(checkpoint::save_all_states, "manual"); failure && replica_rank() == 0)
    notice("error", *failure);
}

}  // namespace batchscope::replica
