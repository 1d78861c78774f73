// SPDX-License-Identifier: Apache-2.0
//
// A loop whose batches are collated ahead.
#include "batchscope/train/adaptive_data_loader.h"

#include <memory>
#include <utility>

#include "batchscope/protocol/error.h"
#include "prefetcher.h"

namespace batchscope {
namespace {

Batch collate(const Dataset& dataset, const DataPass& pass, std::int64_t number) {
  Batch batch = dataset.collate(pass.ids(number));
  batch.count = pass.count(number);
  return batch;
}

// The batches of one pass after the other.
class Prefetching {
 public:
  Prefetching(const Dataset& dataset, int workers) : dataset_(dataset), workers_(workers) {}

  Batch operator()(const AdaptiveDataLoaderHelper::Loop& loop) {
    if (pass_ != loop.pass()) {
      pass_ = loop.pass();
      prefetcher_ =
          std::make_shared<Prefetcher>([&dataset = dataset_, pass = pass_](
                                           std::int64_t number) { return collate(dataset, *pass, number); },
                                       pass_->micro_batches(), workers_);
    }
    return prefetcher_->next();
  }

 private:
  const Dataset& dataset_;
  int workers_;
  std::shared_ptr<const DataPass> pass_;
  std::shared_ptr<Prefetcher> prefetcher_;
};

}  // namespace

AdaptiveDataLoader::AdaptiveDataLoader(const Dataset& dataset, const Options& options)
    : AdaptiveDataLoaderMixin({.size = dataset.size(),
                               .batch_size = options.batch_size,
                               .shuffle = options.shuffle,
                               .drop_last = options.drop_last,
                               .training = options.training}),
      dataset_(dataset),
      workers_(options.num_workers) {
  if (workers_ < 0) throw Error(ErrorKind::usage, "data loader: num_workers is negative");
}

AdaptiveDataLoader::Iterator AdaptiveDataLoader::begin() { return {loop(), Prefetching(dataset_, workers_)}; }

}  // namespace batchscope
