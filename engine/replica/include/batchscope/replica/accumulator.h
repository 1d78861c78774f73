// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sums over all samples of a loop, on all replicas, across restarts (AdaptDL's accumulator.py):
///
///     Accumulator sums;                       // of doubles
///     Accumulator<std::int64_t> counts;       // exact in 64 bits
///     for (auto& batch : validation) { sums["loss"] += ...; counts["seen"] += batch.size(); }
///     auto total = sums.synchronized();       // collective; then total["loss"] / ...
///     sums.clear();
///
/// After a restart, the code before the loop that goes on runs again: a synchronized() that was passed before
/// replays its value, and sums that are added or cleared there a second time do not change.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "batchscope/replica/collective.h"
#include "batchscope/replica/process_group.h"
#include "batchscope/replica/serialisation.h"

namespace batchscope {

/// The part that accumulators of all types share: their name, their state, and what is replayed.
class AccumulatorHistory {
 public:
  using Json = nlohmann::json;  ///< sums by name, of any type
  /// `sums` gives this replica's sums for a checkpoint; `restore` takes those of all ranks that made it.
  AccumulatorHistory(std::function<Json()> sums, std::function<void(const Json&)> restore);
  ~AccumulatorHistory();

  /// Returns whether the program repeats calls that it made before the restart.
  bool replaying() const;
  /// Passes a clear(). Returns whether it is replayed.
  bool pass_clear();
  /// Returns whether the next synchronized() is replayed.
  bool replays_result() const;
  /// Returns the sums of the next synchronized(). Only where it is replayed.
  const Json& result() const;
  /// Passes a synchronized() that gave these sums.
  void pass_result(Json sums);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Named sums over a loop, of numbers, of vectors (entry by entry; the longer one's length) or of any
/// Serialisable type with += whose default value is zero. Make it on all replicas in the same order, like
/// everything collective.
template <Serialisable T = double>
class Accumulator {
 public:
  /// Sums by name.
  using Sums = std::map<std::string, T>;

  /// Begins with these sums, the same on every replica and counted once; those of a checkpoint take their
  /// place. Throws Error(usage) inside a loop over data. Collective.
  explicit Accumulator(const Sums& initial = {})
      : own_(replica_rank() == 0 ? initial : Sums()),
        history_([this] { return Json(own_); }, [this](const Json& by_rank) { restore(by_rank); }) {}
  Accumulator(const Accumulator&) = delete;
  Accumulator& operator=(const Accumulator&) = delete;

  /// Returns this replica's share, for += and -=.
  T& operator[](const std::string& key) { return (history_.replaying() ? replayed_ : own_)[key]; }
  /// Adds each.
  void update(const Sums& values) {
    for (const auto& [key, value] : values) add((*this)[key], value);
  }
  /// Subtracts each.
  void subtract(const Sums& values) {
    for (const auto& [key, value] : values) take((*this)[key], value);
  }
  Accumulator& operator+=(const Sums& values) { return update(values), *this; }    ///< update
  Accumulator& operator-=(const Sums& values) { return subtract(values), *this; }  ///< subtract
  /// Removes this replica's sums.
  void clear() {
    if (!history_.pass_clear()) own_.clear();
  }

  /// Returns the sums over all replicas, taken in rank order, the same on each. Collective.
  Sums synchronized() {
    Sums sums = total();
    history_.pass_result(sums);
    return sums;
  }
  /// Calls `scope(Sums&)` with these sums. It may change them, in the same way on every replica, and the
  /// accumulator goes on from the result. It must not call synchronized(). Collective.
  template <std::invocable<Sums&> Scope>
  void synchronized(Scope&& scope) {
    const bool replayed = history_.replays_result();
    Sums sums = total();
    Json result = sums;
    std::forward<Scope>(scope)(sums);
    history_.pass_result(std::move(result));
    if (replayed) return;
    own_ = replica_rank() == 0 ? std::move(sums) : Sums();
  }

 private:
  using Json = AccumulatorHistory::Json;

  static void add(T& sum, const T& value) {
    if constexpr (requires { sum += value; })
      sum += value;
    else
      entrywise(sum, value, std::plus<>());
  }
  static void take(T& sum, const T& value) {
    if constexpr (requires { sum -= value; })
      sum -= value;
    else
      entrywise(sum, value, std::minus<>());
  }
  template <class Operation>
  static void entrywise(T& sum, const T& value, Operation operation) {
    sum.resize(std::max(sum.size(), value.size()));
    std::transform(value.begin(), value.end(), sum.begin(), sum.begin(),
                   [&](auto entry, auto so_far) { return operation(so_far, entry); });
  }
  static Sums add_all(Sums sums, const Sums& more) {
    for (const auto& [key, value] : more) add(sums[key], value);
    return sums;
  }

  Sums total() {
    if (history_.replays_result()) return history_.result().template get<Sums>();
    return collective::all_reduce("accumulator", own_, add_all);
  }
  // Restores the sums. On as many replicas as before, each has its own again, so that a restart does not even
  // change the rounding.
  void restore(const Json& by_rank) {
    const auto rank = static_cast<std::size_t>(replica_rank());
    own_.clear();
    if (by_rank.size() == static_cast<std::size_t>(num_replicas()))
      own_ = by_rank[rank].template get<Sums>();
    else if (rank == 0)
      for (const Json& sums : by_rank) own_ = add_all(std::move(own_), sums.template get<Sums>());
  }

  Sums own_, replayed_;
  AccumulatorHistory history_;  // last: it loads them
};

}  // namespace batchscope
