// SPDX-License-Identifier: Apache-2.0
/// \file
/// StreamDataLoader: batches of data of unknown length. Each sample is used once a pass, whatever the
/// replicas, the batch sizes and the restarts. Every replica reads the whole stream and collates its own
/// samples; the checkpoint holds how many samples of the pass were used:
///
///     class Lines : public StreamDataset {
///      public:
///       void begin(int, std::int64_t skipped) override {
///         file_ = std::ifstream("corpus.txt");
///         for (std::string line; skipped > 0; --skipped) std::getline(file_, line);
///       }
///       std::optional<StreamSample> next() override {
///         std::string line;
///         if (!std::getline(file_, line)) return std::nullopt;
///         return numbers(line);
///       }
///       ...
///     };
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/train/dataset.h"

namespace batchscope {

/// One sample of a stream.
struct StreamSample {
  at::Tensor data;    ///< as collate() takes it
  at::Tensor target;  ///< the same
};

/// A stream: derive from it for data of your own. What it throws is thrown in the loop.
class StreamDataset {
 public:
  virtual ~StreamDataset() = default;
  /// Begins a pass after its first `skipped` samples. A pass of the same epoch (-1: outside of epochs) has
  /// the same samples in the same order on every replica and after a restart, so it draws no order from the
  /// default generator, which differs between them.
  virtual void begin(int epoch, std::int64_t skipped) = 0;
  /// Returns the next sample; none at the end of the pass.
  virtual std::optional<StreamSample> next() = 0;
  /// Makes one batch of these samples, at least one. Stacks them, unless it is overridden.
  virtual Batch collate(const std::vector<StreamSample>& samples) const;
};

/// A loader over one stream. A loop over it is one pass, also with an adapted batch size. Not thread-safe.
class StreamDataLoader : public AdaptiveDataLoaderMixin {
 public:
  /// Options of loading.
  struct Options {
    std::int64_t batch_size = 1;  ///< total, over all replicas; the scale S is relative to it
    bool drop_last = false;       ///< leaves out a short last micro-batch
    bool pin_memory = true;       ///< with replica_device() a GPU, batches on the CPU are in pinned memory
    bool training = true;         ///< false: for validation; no padding, no batch-size adaptation, no profile
  };

  /// The dataset must outlive the loader. Throws Error(usage) for a batch size below 1, and inside a loop.
  /// Collective.
  StreamDataLoader(StreamDataset& dataset, const Options& options);

  /// A running loop. Copies share it.
  using Iterator = LoopIterator<Batch>;

  /// One loop, as AdaptiveDataLoader's. It throws Error(usage) where the stream has no samples, or different
  /// numbers of samples on different replicas, and Error(conflict) where it ends before the sample at which a
  /// checkpoint goes on.
  Iterator begin();
  std::default_sentinel_t end() const { return {}; }  ///< of any loop

 private:
  class Reader;
  StreamDataLoader(std::shared_ptr<Reader> reader, const Options& options);

  std::shared_ptr<Reader> reader_;
  bool pinned_;
};

}  // namespace batchscope
