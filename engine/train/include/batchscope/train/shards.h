// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shards: a stream of files or other shards, the samples of one after the other. A restart does not open
/// shards that were read to their end before the sample at which it goes on. The checkpoint holds their
/// lengths.
///
///     class Lines : public Shards {
///      public:
///       using Shards::Shards;
///       void open(std::int64_t shard) override { file_ = std::ifstream(names[shard]); }
///       std::optional<StreamSample> read() override {
///         std::string line;
///         if (!std::getline(file_, line)) return std::nullopt;
///         return numbers(line);
///       }
///       ...
///     };
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/train/stream_data_loader.h"

namespace batchscope {

/// A stream of shards: derive from it for data of your own. Exceptions that it throws are thrown in the loop.
class Shards : public StreamDataset {
 public:
  /// Makes a stream of `count` shards, by their numbers from 0; with `shuffle` in another order each epoch,
  /// but within a shard in read()'s order. `name` is that of its state in the checkpoint, another one for
  /// each stream. Throws Error(usage) where there are no shards, or the name is in use. Collective.
  explicit Shards(std::int64_t count, bool shuffle = false, const std::string& name = "shards");
  ~Shards() override;

  /// Begins a shard. It has the same samples in the same order each time.
  virtual void open(std::int64_t shard) = 0;
  /// Returns the next sample of the shard that was opened last; none at its end.
  virtual std::optional<StreamSample> read() = 0;

  void begin(int epoch, std::int64_t skipped) final;  ///< StreamDataset's
  std::optional<StreamSample> next() final;           ///< the same

 private:
  class Lengths;
  std::unique_ptr<Lengths> lengths_;
  std::int64_t count_;
  bool shuffle_;
  std::vector<std::int64_t> order_;  // of the shards in this epoch
  std::size_t opened_ = 0;           // of them, with the one that is read
  std::int64_t skipped_ = 0;         // samples that are still to be left out
  std::int64_t read_ = 0;            // of the shard that is read
};

}  // namespace batchscope
