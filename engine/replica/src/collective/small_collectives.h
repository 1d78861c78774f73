// SPDX-License-Identifier: Apache-2.0
//
// Collectives over small values: rank 0 is the hub, the other replicas its spokes. Every call is one frame
// (sequence number, name, bytes) from each spoke to the hub and one back; the hub folds the values in rank
// order. Calls are finished in the order in which they were started, on every replica, so a call may be
// started early and waited for later without any thread: a spoke's value is on its way at once, the hub folds
// when it first waits. The first failure is final: it is told to every spoke that still listens, and every
// later call repeats it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/error.h"
#include "collective/socket.h"

namespace batchscope::replica {

class SmallCollectives {
 public:
  using Bytes = std::string;
  using Combine = std::function<Bytes(const Bytes&, const Bytes&)>;

  struct Call {
    std::uint64_t sequence = 0;
    std::string name;
    Bytes value;  // this replica's until the call is done, then the result
    Combine combine;
    bool done = false;
  };

  // How the replicas learn the token, without which one is hung up on (handshake.h), and the hub's address,
  // "TOKEN ADDRESS": the hub publishes them, the spokes look them up (and throw Error(timeout) when they do
  // not come).
  struct Rendezvous {
    int rank = 0;
    int size = 1;
    std::string hub;                      // where it listens: "unix:PATH", on one machine, or "tcp:HOST"
    int port = 0;                         // of that host; 0: any that is free
    std::string token = {};               // empty: a random one
    std::chrono::milliseconds meeting{};  // for all replicas to come
    std::chrono::milliseconds timeout{};  // of a call that names none
    std::function<void(const std::string&)> publish;
    std::function<std::string()> look_up;
  };

  // Blocks until all replicas have met. Throws Error(timeout) naming who is missing, Error(failure) where
  // replica 0 has another token.
  explicit SmallCollectives(const Rendezvous& rendezvous);

  std::shared_ptr<Call> start(std::string name, Bytes value, Combine combine);
  // The result; finishes all earlier calls too. Throws Error(timeout), Error(failure) naming ranks,
  // Error(usage) where replicas made different calls.
  Bytes finish(const std::shared_ptr<Call>& call, std::chrono::milliseconds timeout);

 private:
  void accept_spokes(const Rendezvous& rendezvous);
  void join_hub(const Rendezvous& rendezvous);
  void finish_first(std::chrono::milliseconds timeout);
  Bytes fold(const Call& call, Deadline deadline);
  Bytes result_of(const Call& call, std::chrono::milliseconds timeout);
  [[noreturn]] void fail(const Error& error);

  int rank_, size_;
  std::chrono::milliseconds timeout_;
  std::vector<Socket> spokes_;  // hub: by rank, the hub's own closed
  Socket hub_;                  // spoke
  std::uint64_t next_sequence_ = 0;
  std::deque<std::shared_ptr<Call>> unfinished_;
  std::size_t unfinished_bytes_ = 0;
  std::optional<Error> failure_;
};

}  // namespace batchscope::replica
