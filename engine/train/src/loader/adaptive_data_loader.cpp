// SPDX-License-Identifier: Apache-2.0
#include "batchscope/train/adaptive_data_loader.h"

#include <memory>
#include <string>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/train/replica_device.h"
#include "loader/pin.h"
#include "loader/prefetcher.h"

namespace batchscope {

using namespace replica;
using namespace train;
namespace {

// The batches of one pass after the other.
class Prefetching {
 public:
  Prefetching(const Dataset& dataset, const AdaptiveDataLoader::Options& options)
      : dataset_(dataset),
        workers_{options.num_workers, options.prefetch_factor, options.worker_init_fn, options.timeout},
        pinned_(options.pin_memory && replica_device().is_cuda()) {}

  Batch operator()(const AdaptiveDataLoaderHelper::Loop& loop) {
    if (pass_ != loop.pass()) {
      pass_ = loop.pass();
      const auto make = [&dataset = dataset_, pinned = pinned_, pass = pass_](std::int64_t number) {
        Batch batch = dataset.collate(pass->ids(number));
        batch.count = pass->count(number);
        if (pinned) pin(batch);
        return batch;
      };
      prefetcher_ = std::make_shared<Prefetcher>(make, pass_->micro_batches(), workers_);
    }
    return prefetcher_->next();
  }

 private:
  const Dataset& dataset_;
  Prefetcher::Workers workers_;
  bool pinned_;
  std::shared_ptr<const DataPass> pass_;
  std::shared_ptr<Prefetcher> prefetcher_;
};

void loader_requires(bool fine, const char* what) {
  if (!fine) throw Error(ErrorKind::usage, std::string("data loader: ") + what);
}

}  // namespace

AdaptiveDataLoader::AdaptiveDataLoader(const Dataset& dataset, const Options& options)
    : AdaptiveDataLoaderMixin({.size = dataset.size(),
                               .batch_size = options.batch_size,
                               .shuffle = options.shuffle,
                               .drop_last = options.drop_last,
                               .training = options.training}),
      dataset_(dataset),
      options_(options) {
  loader_requires(options.num_workers >= 0, "num_workers is negative");
  loader_requires(options.prefetch_factor >= 1, "prefetch_factor must be at least 1");
  loader_requires(options.timeout.count() >= 0, "timeout is negative");
  loader_requires(options.timeout.count() == 0 || options.num_workers > 0,
                  "timeout needs workers: set num_workers");
}

AdaptiveDataLoader::Iterator AdaptiveDataLoader::begin() { return {loop(), Prefetching(dataset_, options_)}; }

}  // namespace batchscope
