// SPDX-License-Identifier: Apache-2.0
#include "batchscope/train/stream_data_loader.h"

#include <ATen/ops/stack.h>

#include <deque>
#include <utility>

#include "batchscope/replica/epoch.h"
#include "batchscope/train/replica_device.h"
#include "loader/pin.h"

namespace batchscope {

using namespace train;

// One pass after the other: keeps the samples of the step that comes.
class StreamDataLoader::Reader {
 public:
  explicit Reader(StreamDataset& dataset) : dataset_(dataset) {}

  void begin_anew() {
    begun_ = false;
    samples_.clear();
  }

  // DataStream's.
  std::int64_t read(std::int64_t from, std::int64_t to) {
    if (!std::exchange(begun_, true)) {
      dataset_.begin(current_epoch(), from);
      first_ = from;
    }
    for (; first_ < from && !samples_.empty(); ++first_) samples_.pop_front();
    while (first_ + std::ssize(samples_) < to) {
      std::optional<StreamSample> sample = dataset_.next();
      if (!sample) break;
      samples_.push_back(*std::move(sample));
    }
    return first_ + std::ssize(samples_);
  }

  Batch batch(const std::vector<std::int64_t>& positions) const {
    std::vector<StreamSample> samples;
    samples.reserve(positions.size());
    for (const std::int64_t position : positions)
      samples.push_back(samples_[static_cast<std::size_t>(position - first_)]);
    return dataset_.collate(samples);
  }

 private:
  StreamDataset& dataset_;
  bool begun_ = false;
  std::int64_t first_ = 0;  // the position of the first sample that is kept
  std::deque<StreamSample> samples_;
};

Batch StreamDataset::collate(const std::vector<StreamSample>& samples) const {
  std::vector<at::Tensor> data, target;
  for (const StreamSample& sample : samples) {
    data.push_back(sample.data);
    target.push_back(sample.target);
  }
  return {at::stack(data), at::stack(target), std::ssize(samples)};
}

StreamDataLoader::StreamDataLoader(StreamDataset& dataset, const Options& options)
    : StreamDataLoader(std::make_shared<Reader>(dataset), options) {}

StreamDataLoader::StreamDataLoader(std::shared_ptr<Reader> reader, const Options& options)
    : AdaptiveDataLoaderMixin(
          {.batch_size = options.batch_size,
           .drop_last = options.drop_last,
           .training = options.training,
           .stream = [reader](std::int64_t from, std::int64_t to) { return reader->read(from, to); }}),
      reader_(std::move(reader)),
      pinned_(options.pin_memory && replica_device().is_cuda()) {}

StreamDataLoader::Iterator StreamDataLoader::begin() {
  if (!current_dataloader()) reader_->begin_anew();
  return {loop(), [this](const Loop& at) {
            Batch batch = reader_->batch(at.pass()->ids(at.number()));
            batch.count = at.pass()->count(at.number());
            if (pinned_) pin(batch);
            return batch;
          }};
}

}  // namespace batchscope
