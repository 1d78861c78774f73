// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collectives over small values: exit flags, batch sizes, accumulators, RNG states. Rank 0 is the hub:
/// every replica sends it its bytes over a Unix socket (TCP with a token across machines), rank 0 reduces in
/// rank order and sends the result back; Gloo's own small all-reduce takes three times as long. Every replica
/// must make the same calls in the same order; each call carries its sequence number and tag, so that a
/// mismatch is an Error naming both calls instead of a hang.
/// Every call blocks on all replicas, at most for the process group's timeout; then Error(timeout)
/// names the ranks that are missing, Error(failure) a rank whose connection ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::collective {

using Bytes = std::string;
/// Associative; called on rank 0 in rank order.
using Combine = std::function<Bytes(const Bytes&, const Bytes&)>;

/// A result on its way. wait() blocks and may be called once.
class Pending {
 public:
  Bytes wait();

 private:
  friend Pending all_reduce_async(std::string_view, Bytes, Combine);
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

Bytes all_reduce(std::string_view tag, Bytes value, const Combine& combine);
Pending all_reduce_async(std::string_view tag, Bytes value, Combine combine);
Bytes broadcast(std::string_view tag, Bytes value);            ///< rank 0's value
std::vector<Bytes> gather(std::string_view tag, Bytes value);  ///< by rank, on every replica
/// timeout 0: the process group's; longer where one replica has long work of its own, as writing a
/// checkpoint.
void barrier(std::string_view tag, std::chrono::milliseconds timeout = {});

/// The usual numbers. Sums are taken in rank order, so the result is the same on every run.
double sum(std::string_view tag, double value);
std::vector<double> sum(std::string_view tag, const std::vector<double>& values);  ///< same length everywhere
std::int64_t max(std::string_view tag, std::int64_t value);

}  // namespace batchscope::collective
