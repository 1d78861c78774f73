// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/environment.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"

namespace batchscope::protocol {
namespace {

std::string text(const char* name, const std::string& fallback = {}) {
  const char* value = std::getenv(name);
  return value && *value ? value : fallback;
}

int integer(const char* name, int fallback, int minimum, int maximum) {
  const std::string value = text(name);
  if (value.empty()) return fallback;
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < minimum || number > maximum)
    throw Error(ErrorKind::usage,
                fmt::format("{}={}: expected a whole number from {} to {}", name, value, minimum, maximum));
  return number;
}

double seconds(const char* name, double fallback) {
  const std::string value = text(name);
  if (value.empty()) return fallback;
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || !std::isfinite(number) || number < 0)
    throw Error(ErrorKind::usage,
                std::string(name) + "=" + value + ": expected a number of seconds, at least 0");
  return number;
}

}  // namespace

Environment Environment::from_process() {
  constexpr int kMost = 1 << 20;
  Environment e;
  e.master_address = text(variable::kMasterAddress, e.master_address);
  e.master_port = integer(variable::kMasterPort, e.master_port, 0, 65535);
  e.num_replicas = integer(variable::kNumReplicas, e.num_replicas, 1, kMost);
  e.replica_rank = integer(variable::kReplicaRank, e.replica_rank, 0, kMost);
  e.num_nodes = integer(variable::kNumNodes, e.num_nodes, 1, kMost);
  e.num_restarts = integer(variable::kNumRestarts, e.num_restarts, 0, kMost);
  e.checkpoint_path = text(variable::kCheckpointPath);
  e.share_path = text(variable::kSharePath);
  e.job_id = text(variable::kJobId);
  e.supervisor_url = text(variable::kSupervisorUrl);
  e.sched_version = text(variable::kSchedVersion);
  e.tensorboard_dir = text(variable::kTensorboardDir);
  e.telemetry_socket = text(variable::kTelemetrySocket);
  e.rendezvous_dir = text(variable::kRendezvousDir);
  if (!text(variable::kThreads).empty()) e.threads = integer(variable::kThreads, 1, 1, 4096);
  e.backend = text(variable::kBackend, e.backend);
  e.device = text(variable::kDevice, e.device);
  e.num_devices = integer(variable::kNumDevices, e.num_devices, 0, kMost);
  e.devices_per_replica = integer(variable::kDevicesPerReplica, 0, 0, kMost);
  e.measure_cores = integer(variable::kMeasureCores, 1, 0, 1) == 1;
  e.triggers = text(variable::kTriggers);
  e.sample_log = text(variable::kSampleLog);
  e.checkpoint_interval = seconds(variable::kCheckpointInterval, e.checkpoint_interval);
  e.memory_path = text(variable::kMemoryPath);
  e.unloadable = text(variable::kUnloadable);
  e.collective_timeout = seconds(variable::kCollectiveTimeout, e.collective_timeout);
  if (e.collective_timeout == 0)
    throw Error(ErrorKind::usage, std::string(variable::kCollectiveTimeout) + "=0: expected a time above 0");
  e.max_local_batch_size = integer(variable::kMaxLocalBatchSize, 0, 0, std::numeric_limits<int>::max());
  const std::string policy = text(variable::kNonFinite, non_finite_name(e.non_finite));
  try {
    e.non_finite = parse_non_finite(policy);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, std::string(variable::kNonFinite) + "=" + policy + ": " + error.what());
  }
  e.rendezvous_token = text(variable::kRendezvousToken);
  if (!e.rendezvous_token.empty() && e.rendezvous_token.size() < kLeastToken)  // a secret: not repeated
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} characters can be guessed; use at least {} (openssl rand -hex 32)",
                            variable::kRendezvousToken, e.rendezvous_token.size(), kLeastToken));
  e.meeting_timeout = seconds(variable::kMeetingTimeout, e.meeting_timeout);
  if (e.replica_rank >= e.num_replicas)
    throw Error(ErrorKind::usage, fmt::format("{}={}: expected less than {}={}", variable::kReplicaRank,
                                              e.replica_rank, variable::kNumReplicas, e.num_replicas));
  return e;
}

std::map<std::string, std::string> Environment::to_variables() const {
  const Environment defaults;
  std::map<std::string, std::string> variables;
  const auto set = [&](const char* name, const std::string& value, const std::string& fallback = {}) {
    if (value != fallback) variables[name] = value;
  };
  // A replica's place is always said, so that nothing of the supervisor's own environment shows through.
  variables[variable::kNumReplicas] = std::to_string(num_replicas);
  variables[variable::kReplicaRank] = std::to_string(replica_rank);
  variables[variable::kNumNodes] = std::to_string(num_nodes);
  variables[variable::kNumRestarts] = std::to_string(num_restarts);
  variables[variable::kMasterAddress] = master_address;
  if (master_port != 0) variables[variable::kMasterPort] = std::to_string(master_port);
  set(variable::kCheckpointPath, checkpoint_path);
  set(variable::kSharePath, share_path);
  set(variable::kJobId, job_id);
  set(variable::kSupervisorUrl, supervisor_url);
  set(variable::kSchedVersion, sched_version);
  set(variable::kTensorboardDir, tensorboard_dir);
  set(variable::kTelemetrySocket, telemetry_socket);
  set(variable::kRendezvousDir, rendezvous_dir);
  if (threads) variables[variable::kThreads] = std::to_string(*threads);
  set(variable::kBackend, backend, defaults.backend);
  set(variable::kDevice, device, defaults.device);
  if (num_devices != 0) variables[variable::kNumDevices] = std::to_string(num_devices);
  if (devices_per_replica != 0) variables[variable::kDevicesPerReplica] = std::to_string(devices_per_replica);
  if (!measure_cores) variables[variable::kMeasureCores] = "0";
  set(variable::kTriggers, triggers);
  set(variable::kSampleLog, sample_log);
  set(variable::kMemoryPath, memory_path);
  set(variable::kUnloadable, unloadable);
  if (collective_timeout != defaults.collective_timeout)
    variables[variable::kCollectiveTimeout] = Json(collective_timeout).dump();
  if (max_local_batch_size != 0)
    variables[variable::kMaxLocalBatchSize] = std::to_string(max_local_batch_size);
  set(variable::kNonFinite, non_finite_name(non_finite), non_finite_name(defaults.non_finite));
  set(variable::kRendezvousToken, rendezvous_token);
  if (meeting_timeout != 0) variables[variable::kMeetingTimeout] = Json(meeting_timeout).dump();
  if (checkpoint_interval != defaults.checkpoint_interval)
    variables[variable::kCheckpointInterval] = Json(checkpoint_interval).dump();
  return variables;
}

}  // namespace batchscope::protocol
