// SPDX-License-Identifier: Apache-2.0
/// \file
/// LibTorch's own map-style datasets, as AdaptiveDataLoader takes them. The dataset must make batches of two
/// tensors, as any does after map(Stack<>()):
///
///     TorchDataset dataset(torch::data::datasets::MNIST(folder).map(torch::data::transforms::Stack<>()));
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "batchscope/train/dataset.h"

namespace batchscope {

/// Any stacked map-style dataset of LibTorch.
template <class Stacked>
class TorchDataset final : public Dataset {
 public:
  /// Takes the dataset over.
  explicit TorchDataset(Stacked dataset) : dataset_(std::move(dataset)) {}

  /// Samples.
  std::int64_t size() const override { return static_cast<std::int64_t>(dataset_.size().value()); }

  /// One thread at a time: LibTorch lets get_batch change the dataset.
  Batch collate(const std::vector<std::int64_t>& indices) const override {
    const std::vector<std::size_t> rows(indices.begin(), indices.end());
    const std::lock_guard lock(mutex_);
    auto example = dataset_.get_batch(rows);
    const auto count = example.data.size(0);
    return {std::move(example.data), std::move(example.target), count};
  }

 private:
  mutable std::mutex mutex_;
  mutable Stacked dataset_;
};

}  // namespace batchscope
