// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of a loop over data: passes, each a permutation of the dataset, and micro-batches, of which
/// every replica has its share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace batchscope {

namespace replica {
class DataLoop;
class PassPlan;
}  // namespace replica

/// How a pass is cut from position `start` on: `replicas` together take `width` samples in one micro-batch. A
/// pass begins with a cut at 0; another one follows where a restart changed the replicas or the width.
struct Cut {
  std::int64_t start = 0;                       ///< a position in the pass
  std::int64_t width = 1;                       ///< samples of a whole micro-batch
  int replicas = 1;                             ///< that share a micro-batch
  bool operator==(const Cut&) const = default;  ///< all of it
};

/// One pass over the data, as it is cut now. Does not change, and may be read from any thread.
class DataPass {
 public:
  ~DataPass();

  /// Returns how many micro-batches this replica gets from here to the end of the pass: numbers 0, 1, ...
  std::int64_t micro_batches() const { return micro_batches_; }
  /// Returns how many samples of a micro-batch are this replica's. May be 0 in training, as all replicas step
  /// together.
  std::int64_t count(std::int64_t number) const;
  /// Returns these samples. Where there are none, a padding sample, which has no weight in the gradient.
  std::vector<std::int64_t> ids(std::int64_t number) const;
  /// Returns their positions in the pass; none where ids is padding.
  std::vector<std::int64_t> positions(std::int64_t number) const;

  /// Returns the sample at each position of the pass; empty for a stream, whose samples are numbered by
  /// position.
  const std::vector<std::int64_t>& order() const { return order_; }
  /// Returns the cuts, of which the last one is in force.
  const std::vector<Cut>& cuts() const { return cuts_; }

 private:
  friend class replica::DataLoop;
  DataPass(std::vector<std::int64_t> order, std::vector<Cut> cuts, const replica::PassPlan& plan, int rank,
           bool training);

  std::vector<std::int64_t> order_;
  std::vector<Cut> cuts_;
  std::unique_ptr<const replica::PassPlan> plan_;
  int rank_;
  std::int64_t micro_batches_;
};

/// The sample at each position of a pass, a permutation of the numbers below size. Must depend on its
/// arguments alone, so that all replicas agree, and must not change what lies before the last cut.
using DataOrder =
    std::function<std::vector<std::int64_t>(int epoch, std::int64_t pass, const std::vector<Cut>& cuts)>;

/// Reads a stream, which has the same samples in the same order on every replica, as far as position `to` of
/// the pass, or to its end. Returns the position that it reached. Samples before `from` are no longer needed.
/// A pass begins where a loop begins.
using DataStream = std::function<std::int64_t(std::int64_t from, std::int64_t to)>;

/// How many samples, and in what steps and order.
struct DataOptions {
  std::int64_t size = 0;        ///< samples in a pass; 0 for a stream
  std::int64_t batch_size = 1;  ///< total, over all replicas; the scale S is relative to it
  bool shuffle = false;         ///< in the ElasticSampler's order
  bool drop_last = false;       ///< leave a short last micro-batch out
  bool training = true;         ///< false: for validation; no padding, no batch-size adaptation, no profile
  DataOrder order = {};         ///< instead of the ElasticSampler's
  DataStream stream = {};       ///< data whose size is not known: a loop is one pass, until the stream ends
  /// Name of the loader in checkpoints and in the ledger, unique to it; empty: named by the order in which a
  /// program makes its loaders.
  std::string name = {};
};

}  // namespace batchscope
