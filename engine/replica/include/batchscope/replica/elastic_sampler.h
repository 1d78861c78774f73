// SPDX-License-Identifier: Apache-2.0
/// \file
/// ElasticSampler: the order in which the replicas share a dataset, AdaptDL's exactly (data.py). Pass p of
/// epoch e is a permutation of the dataset drawn by a generator that is seeded with CPython's hash of the
/// tuple (e, p), so that any number of replicas, after any restart, agrees on it. From a base position on,
/// the replicas take turns: rank r of K has positions base + r, base + r + K, ...; where they do not come out
/// even, a rank is padded with one sample from the start of the permutation.
#pragma once

#include <cstdint>
#include <vector>

namespace batchscope {

/// One rank's share of a dataset.
class ElasticSampler {
 public:
  /// Throws Error(usage) for an empty dataset, or a rank outside of the replicas.
  ElasticSampler(std::int64_t dataset_size, int num_replicas, int rank, bool shuffle);

  /// `index` counts samples from the start of the epoch, over all replicas and passes: index / dataset_size
  /// is the pass, the rest the base position.
  void set_epoch(int epoch, std::int64_t index = 0);

  std::int64_t length() const;  ///< samples of this rank, padding included; the same on every rank
  std::vector<std::int64_t> indices() const;  ///< this rank's sample ids; a padding sample comes last

  /// Returns the permutation of one pass: dataset_size sample ids, ascending without shuffle.
  static std::vector<std::int64_t> permutation(std::int64_t dataset_size, int epoch, std::int64_t pass,
                                               bool shuffle);
  /// Returns the seed that it is drawn with.
  static std::uint64_t seed(int epoch, std::int64_t pass);

 private:
  std::int64_t size_;
  int replicas_, rank_;
  bool shuffle_;
  int epoch_ = 0;
  std::int64_t index_ = 0;
};

}  // namespace batchscope
