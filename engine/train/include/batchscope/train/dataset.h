// SPDX-License-Identifier: Apache-2.0
/// \file
/// Map-style datasets and the batches that are made of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchscope {

/// One micro-batch of one replica.
struct Batch {
  at::Tensor data;    ///< [n, ...]
  at::Tensor target;  ///< [n, ...]
  /// Real samples: data.size(0), or 0 where the one row is padding that keeps replicas aligned.
  std::int64_t count = 0;
  std::int64_t size() const { return count; }  ///< as count
};

/// A map-style dataset: derive from it for data of your own.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size() const = 0;  ///< samples; the same number at every call
  /// Returns one batch of the samples with these indices (0 to size() - 1), in their order. Called from
  /// prefetching threads too, several at a time. What it throws is thrown in the loop.
  virtual Batch collate(const std::vector<std::int64_t>& indices) const = 0;
};

/// Rows of two tensors, on any device: gathered by index_select.
class TensorDataset : public Dataset {
 public:
  TensorDataset(at::Tensor data, at::Tensor target);  ///< same first dimension, else Error(usage)
  std::int64_t size() const override;                 ///< rows of the tensors
  Batch collate(const std::vector<std::int64_t>& indices) const override;

 private:
  at::Tensor data_, target_;
};

}  // namespace batchscope
