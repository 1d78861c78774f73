// SPDX-License-Identifier: Apache-2.0
//
// Starts this bench program again as the replicas of a measure, with a supervisor that reads their telemetry
// and forgets it, and returns what rank 0 prints.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collective/socket.h"

namespace batchscope::bench {

using namespace replica;

// Reads what replicas send and forgets it.
inline void listen(Listener& supervisor, int replicas) {
  using std::chrono::steady_clock;
  std::vector<std::jthread> readers;
  for (int i = 0; i < replicas; ++i) {
    Socket line = supervisor.accept(steady_clock::now() + std::chrono::seconds(20));
    if (!line.open()) return;
    readers.emplace_back([line = std::move(line)]() mutable {
      std::vector<char> bytes(1 << 16);
      while (line.receive(bytes.data(), bytes.size(), steady_clock::now() + std::chrono::milliseconds(200)) !=
             Transfer::closed) {
      }
    });
  }
}

// `what` is the argument behind --replica.
inline double measure(const std::string& what, int replicas) {
  char directory[] = "/tmp/batchscope-bench-XXXXXX";
  if (!::mkdtemp(directory)) throw std::runtime_error("cannot make a directory in /tmp");
  Listener supervisor(std::string("unix:") + directory + "/supervisor");
  std::jthread reader([&] { listen(supervisor, replicas); });
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::string command;
  for (int rank = replicas - 1; rank >= 0; --rank)
    command += std::string("BATCHSCOPE_THREADS=1 ADAPTDL_NUM_REPLICAS=") + std::to_string(replicas) +
               " ADAPTDL_REPLICA_RANK=" + std::to_string(rank) + " BATCHSCOPE_RENDEZVOUS_DIR=" + directory +
               " ADAPTDL_CHECKPOINT_PATH=" + directory +
               "/checkpoints BATCHSCOPE_TELEMETRY_SOCKET=" + supervisor.address().substr(5) + " '" + program +
               "' --replica " + what + (rank > 0 ? " & " : "; wait");
  std::FILE* pipe = ::popen(command.c_str(), "r");
  double value = std::nan("");
  if (!pipe || std::fscanf(pipe, "%lf", &value) != 1)
    throw std::runtime_error(what + ": the replicas said nothing");
  ::pclose(pipe);
  std::filesystem::remove_all(directory);
  return value;
}

}  // namespace batchscope::bench
