// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collectives over small values, of any type that can be serialised: exit flags, batch sizes, accumulators,
/// RNG states. Rank 0 is the hub: every replica sends it its bytes over a Unix socket (TCP with a token
/// across machines), rank 0 reduces in rank order and sends the result back; Gloo's own small all-reduce
/// takes three times as long. Every replica must make the same calls in the same order; each call carries its
/// sequence number and tag, so that a mismatch is an Error naming both calls instead of a hang. Every call
/// blocks on all replicas, at most for the process group's timeout; then Error(timeout) names the ranks that
/// are missing, Error(failure) a rank whose connection ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "batchscope/replica/serialisation.h"

namespace batchscope::collective {

/// A value as its owner serialises it.
using Bytes = std::string;
/// Combines two values; associative, called on rank 0 in rank order.
using Combine = std::function<Bytes(const Bytes&, const Bytes&)>;

/// A result on its way. wait() blocks and may be called once.
class Pending {
 public:
  /// Returns the result. Throws as all_reduce does.
  Bytes wait();

 private:
  friend Pending all_reduce_async(std::string_view, Bytes, Combine);
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Returns all replicas' values combined, on every replica.
Bytes all_reduce(std::string_view tag, Bytes value, const Combine& combine);
/// Does the same without waiting: returns at once, and wait() blocks.
Pending all_reduce_async(std::string_view tag, Bytes value, Combine combine);
/// Rank 0's value, on every replica.
Bytes broadcast(std::string_view tag, Bytes value);
/// The values by rank, on every replica.
std::vector<Bytes> gather(std::string_view tag, Bytes value);
/// Waits for all replicas. timeout 0: the process group's; give a longer one where one replica has long work
/// of its own, such as writing a checkpoint.
void barrier(std::string_view tag, std::chrono::milliseconds timeout = {});

/// A value that the collectives below take: any that can be serialised (serialisation.h), except Bytes
/// itself.
template <class T>
concept Value = Serialisable<T> && !std::is_convertible_v<T, Bytes>;

/// Returns a combination of values as one of bytes.
template <Value T, class Function>
Combine combine_values(Function combine) {
  return [combine](const Bytes& left, const Bytes& right) {
    return to_bytes<T>(combine(from_bytes<T>(left), from_bytes<T>(right)));
  };
}

/// Does the same with values: `combine(T, T)` gives a T, as std::plus<>() or std::logical_or<>() do.
template <Value T, class Function>
requires std::is_invocable_r_v<T, const Function&, T, T> T all_reduce(std::string_view tag, const T& value,
                                                                      const Function& combine) {
  return from_bytes<T>(all_reduce(tag, to_bytes(value), combine_values<T>(combine)));
}
/// The future's get() waits, and throws as all_reduce does.
template <Value T, class Function>
requires std::is_invocable_r_v<T, const Function&, T, T> std::future<T> all_reduce_async(
    std::string_view tag, const T& value, const Function& combine) {
  return std::async(std::launch::deferred,
                    [pending = all_reduce_async(tag, to_bytes(value), combine_values<T>(combine))]() mutable {
                      return from_bytes<T>(pending.wait());
                    });
}
/// Rank 0's value, on every replica.
template <Value T>
T broadcast(std::string_view tag, const T& value) {
  return from_bytes<T>(broadcast(tag, to_bytes(value)));
}
/// The values by rank, on every replica.
template <Value T>
std::vector<T> gather(std::string_view tag, const T& value) {
  std::vector<T> values;
  for (const Bytes& bytes : gather(tag, to_bytes(value))) values.push_back(from_bytes<T>(bytes));
  return values;
}

/// Returns the sum, taken in rank order, so that it is the same on every run.
double sum(std::string_view tag, double value);
/// Returns the sums, entry by entry, of vectors that have the same length on every replica.
std::vector<double> sum(std::string_view tag, const std::vector<double>& values);
/// Returns the largest value.
std::int64_t max(std::string_view tag, std::int64_t value);

}  // namespace batchscope::collective
