// SPDX-License-Identifier: Apache-2.0
#include "batchscope/train/adaptive_data_loader.h"

#include <memory>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/train/replica_device.h"
#include "loader/prefetcher.h"

namespace batchscope {

using namespace replica;
using namespace train;
namespace {

// Copies from pinned memory to a GPU need not be waited for.
void pin(at::Tensor& tensor) {
  if (tensor.is_cpu()) tensor = tensor.pin_memory();
}

// The batches of one pass after the other.
class Prefetching {
 public:
  Prefetching(const Dataset& dataset, int workers, bool pinned)
      : dataset_(dataset), workers_(workers), pinned_(pinned) {}

  Batch operator()(const AdaptiveDataLoaderHelper::Loop& loop) {
    if (pass_ != loop.pass()) {
      pass_ = loop.pass();
      const auto make = [&dataset = dataset_, pinned = pinned_, pass = pass_](std::int64_t number) {
        Batch batch = dataset.collate(pass->ids(number));
        batch.count = pass->count(number);
        if (pinned) pin(batch.data), pin(batch.target);
        return batch;
      };
      prefetcher_ = std::make_shared<Prefetcher>(make, pass_->micro_batches(), workers_);
    }
    return prefetcher_->next();
  }

 private:
  const Dataset& dataset_;
  int workers_;
  bool pinned_;
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
      workers_(options.num_workers),
      pinned_(options.pin_memory && replica_device().is_cuda()) {
  if (workers_ < 0) throw Error(ErrorKind::usage, "data loader: num_workers is negative");
}

AdaptiveDataLoader::Iterator AdaptiveDataLoader::begin() {
  return {loop(), Prefetching(dataset_, workers_, pinned_)};
}

}  // namespace batchscope
