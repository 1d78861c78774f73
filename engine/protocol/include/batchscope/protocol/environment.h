// SPDX-License-Identifier: Apache-2.0
/// \file
/// The settings that a replica reads from its environment. The ADAPTDL_* names and meanings are AdaptDL's
/// (adaptdl/env.py), so that its scripts run under BatchScope unchanged; BATCHSCOPE_* are ours, all optional:
/// without them a program runs as any program does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/non_finite.h"
#include "batchscope/protocol/time_outs.h"

namespace batchscope::protocol {

namespace variable {
/// The name of the variable that holds the field of this name of Environment.
///@{
inline constexpr char kMasterAddress[] = "ADAPTDL_MASTER_ADDR";
inline constexpr char kMasterPort[] = "ADAPTDL_MASTER_PORT";
inline constexpr char kNumReplicas[] = "ADAPTDL_NUM_REPLICAS";
inline constexpr char kReplicaRank[] = "ADAPTDL_REPLICA_RANK";
inline constexpr char kNumNodes[] = "ADAPTDL_NUM_NODES";
inline constexpr char kNumRestarts[] = "ADAPTDL_NUM_RESTARTS";
inline constexpr char kCheckpointPath[] = "ADAPTDL_CHECKPOINT_PATH";
inline constexpr char kSharePath[] = "ADAPTDL_SHARE_PATH";
inline constexpr char kJobId[] = "ADAPTDL_JOB_ID";
inline constexpr char kSupervisorUrl[] = "ADAPTDL_SUPERVISOR_URL";
inline constexpr char kSchedVersion[] = "ADAPTDL_SCHED_VERSION";
inline constexpr char kTensorboardDir[] = "ADAPTDL_TENSORBOARD_LOGDIR";
inline constexpr char kTelemetrySocket[] = "BATCHSCOPE_TELEMETRY_SOCKET";
inline constexpr char kRendezvousDir[] = "BATCHSCOPE_RENDEZVOUS_DIR";
inline constexpr char kThreads[] = "BATCHSCOPE_THREADS";
inline constexpr char kBackend[] = "BATCHSCOPE_BACKEND";
inline constexpr char kDevice[] = "BATCHSCOPE_DEVICE";
inline constexpr char kNumDevices[] = "BATCHSCOPE_NUM_DEVICES";
inline constexpr char kDevicesPerReplica[] = "BATCHSCOPE_DEVICES_PER_REPLICA";
inline constexpr char kMeasureCores[] = "BATCHSCOPE_MEASURE_CORES";
inline constexpr char kTriggers[] = "BATCHSCOPE_TRIGGERS";
inline constexpr char kSampleLog[] = "BATCHSCOPE_SAMPLE_LOG";
inline constexpr char kCheckpointInterval[] = "BATCHSCOPE_CHECKPOINT_INTERVAL";
inline constexpr char kMemoryPath[] = "BATCHSCOPE_MEMORY_PATH";
inline constexpr char kUnloadable[] = "BATCHSCOPE_UNLOADABLE_CHECKPOINTS";
inline constexpr char kCollectiveTimeout[] = "BATCHSCOPE_COLLECTIVE_TIMEOUT";
inline constexpr char kMaxLocalBatchSize[] = "BATCHSCOPE_MAX_LOCAL_BATCH_SIZE";
inline constexpr char kNonFinite[] = "BATCHSCOPE_NON_FINITE";
inline constexpr char kRendezvousToken[] = "BATCHSCOPE_RENDEZVOUS_TOKEN";
inline constexpr char kMeetingTimeout[] = "BATCHSCOPE_MEETING_TIMEOUT";
///@}
/// Not a replica's: it makes a program the fork server of its replicas, see fork_server.h.
inline constexpr char kForkServer[] = "BATCHSCOPE_FORK_SERVER";
/// Not a replica's either: "on" or "off" says whether the supervisor serves AdaptDL's endpoints over HTTP.
/// Without it the supervisor does so for programs that do not link our engine.
inline constexpr char kHttp[] = "BATCHSCOPE_HTTP";
/// Not a replica's either: "off" keeps the supervisor from putting our folder of Python into PYTHONPATH,
/// which it otherwise does for the same programs.
inline constexpr char kPythonHook[] = "BATCHSCOPE_PYTHON_HOOK";
}  // namespace variable

/// The fewest characters of a token; fewer can be guessed.
inline constexpr int kLeastToken = 16;

/// The value that SIGTERM carries (sigqueue) where the next generation follows at once. With any other value
/// the run ends for now.
inline constexpr int kRestartFollows = 1;

/// The variables' values, each at its default where the variable is not set.
struct Environment {
  std::string master_address = "127.0.0.1";  ///< host of rank 0
  int master_port = 0;   ///< 0: none given; needed with more than one replica and no rendezvous directory
  int num_replicas = 1;  ///< over all nodes
  int replica_rank = 0;  ///< 0 to num_replicas - 1
  int num_nodes = 1;     ///< machines
  int num_restarts = 0;  ///< also the generation's number
  /// Directory of the checkpoints; empty: `<program name>.checkpoints` in the working directory.
  std::string checkpoint_path;
  std::string share_path;      ///< directory that the replicas share; empty: none
  std::string job_id;          ///< the run's id; empty: none
  std::string supervisor_url;  ///< where a cluster's supervisor answers over HTTP; empty: none
  /// Version of AdaptDL's scheduler, compared by its programs with their own; "0.0.0": not to be compared.
  std::string sched_version;
  std::string tensorboard_dir;   ///< directory for event files; empty: none
  std::string telemetry_socket;  ///< of the supervisor, see telemetry.h; empty: nobody listens
  std::string rendezvous_dir;    ///< directory; empty: replicas meet at master_address:master_port
  std::optional<int> threads;    ///< compute threads of this replica
  std::string backend = "auto";  ///< auto | gloo | nccl
  std::string device = "auto";   ///< auto | cpu | cuda:N
  int num_devices = 0;           ///< shared by all replicas, or sets of devices_per_replica; 0: one each
  int devices_per_replica = 0;   ///< RunSpec::devices_per_replica
  bool measure_cores = true;     ///< a lone replica takes some steps with fewer threads, to know their worth
  std::string triggers;          ///< JSON array of protocol::Trigger, see run_spec.h
  std::string sample_log;        ///< directory: every replica logs the sample ids it uses there
  double checkpoint_interval = 60;  ///< seconds between two periodic checkpoints; 0: none
  std::string memory_path;  ///< where a checkpoint that a restart waits for may lie in memory; empty: nowhere
  /// JSON object: the checkpoints, by directory name, that replicas of this run could not load, and why.
  std::string unloadable;
  double collective_timeout = TimeOuts{}.collective;  ///< seconds, see time_outs.h
  std::int64_t max_local_batch_size = 0;   ///< samples of a micro-batch that memory is known to hold; 0: any
  NonFinite non_finite = NonFinite::skip;  ///< what a gradient that is not finite does
  /// A secret of at least kLeastToken characters that the replicas share when they meet at a port, the same
  /// on every node; empty: whoever connects to the port is not asked for a secret.
  std::string rendezvous_token;
  /// Seconds for the replicas to find one another; 0: collective_timeout's on one node, time_out::kMeeting on
  /// several, where a program may have to come over the network before it starts.
  double meeting_timeout = 0;

  /// Reads the process environment. Throws Error(usage) naming the variable, its value and what was expected.
  static Environment from_process();

  /// The variables to set for a replica, only those that are not at their default.
  std::map<std::string, std::string> to_variables() const;
};

}  // namespace batchscope::protocol
