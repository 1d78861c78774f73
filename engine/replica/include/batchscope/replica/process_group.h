// SPDX-License-Identifier: Apache-2.0
/// \file
/// The replicas of one generation and how they find each other. The environment decides (protocol's
/// environment.h): without ADAPTDL_* variables the program is a single process with no group at all. Replicas
/// on one machine meet in a directory, BATCHSCOPE_RENDEZVOUS_DIR; on several machines they meet at
/// ADAPTDL_MASTER_ADDR:PORT, rank 0's machine. Small objects travel by the collective's sockets. With several
/// machines, checkpoints must lie where each machine reads them.
#pragma once

#include <chrono>
#include <string>

namespace batchscope {

/// Where replicas meet and how they talk.
struct ProcessGroupOptions {
  /// Backend of tensor collectives, in programs that link engine/train: auto is nccl with CUDA and a GPU for
  /// every replica, else gloo.
  std::string backend = "auto";
  /// Time-out of one collective; 0: BATCHSCOPE_COLLECTIVE_TIMEOUT, which a supervisor sets, or 30 s.
  std::chrono::milliseconds timeout{0};

  /// env://: as the environment says. Instead, tcp://HOST:PORT, where HOST is rank 0's machine as the others
  /// reach it, or file://DIRECTORY, an empty directory that all replicas on this machine reach.
  std::string init_method = "env://";
  int world_size = 0;  ///< replicas; 0: ADAPTDL_NUM_REPLICAS, or 1
  int rank = -1;       ///< of this replica; -1: ADAPTDL_REPLICA_RANK, or 0
};

/// Call once, first thing in main, in a program that computes with arithmetic of its own; one that links
/// engine/train calls init_process_group (train/process_group.h) instead. Catches SIGTERM and SIGINT
/// (checkpoint and exit 143 at the next agreed step; a second SIGINT forces the exit) and SIGUSR1 (checkpoint
/// and go on), meets the other replicas and connects to the supervisor where there is one. Blocks until all
/// replicas are there. Under a supervisor the program may be forked right here, once for each replica: what
/// came before (reading the command line) happens once for all, and must start no thread. Throws
/// Error(timeout) naming who is missing, Error(usage) for a bad environment, Error(conflict) when called
/// twice.
void init_replica(const ProcessGroupOptions& options = {});

int replica_rank();  ///< 0 before init_replica()
int num_replicas();  ///< 1 before init_replica()
int num_restarts();  ///< 0 on a fresh start

}  // namespace batchscope
