// SPDX-License-Identifier: Apache-2.0
//
// The loader as the program sees it; the loop itself is DataLoop.
#include "batchscope/train/adaptive_data_loader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/train/epoch.h"
#include "batchscope/train/process_group.h"
#include "data_loop.h"
#include "loops.h"

namespace batchscope {
namespace {

// Loaders are known again by the order in which a program makes them, per kind, inside an epoch and outside.
std::string next_name(bool training) {
  static std::map<std::pair<std::string, std::uint64_t>, int> made;
  const int epoch = current_epoch();
  std::string name = training ? "train-" : "validate-";
  if (epoch >= 0) name += "epoch" + std::to_string(epoch) + "-";
  const int number = made[{name, epoch < 0 ? 0 : epoch_entry()}]++;
  return name + std::to_string(number);
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::usage, "AdaptiveDataLoader: " + why);
}

}  // namespace

AdaptiveDataLoader::AdaptiveDataLoader(const Dataset& dataset, const Options& options) {
  if (dataset.size() < 1) refuse("the dataset is empty");
  if (options.batch_size < 1)
    refuse("batch_size is " + std::to_string(options.batch_size) + ", at least 1 is needed");
  if (options.num_workers < 0) refuse("num_workers is negative");
  if (running_loop()) refuse("made inside a loop over data: make it before the loop");
  const BatchShape shape = initial_shape(options.batch_size, num_replicas(), {});
  if (options.drop_last && dataset.size() < shape.batch_size(num_replicas()))
    refuse("drop_last drops the whole dataset: it has " + std::to_string(dataset.size()) +
           " samples, a batch " + std::to_string(shape.batch_size(num_replicas())));
  core_ = std::make_unique<LoaderCore>(dataset, options, next_name(options.training));
  checkpoint::load_state(core_->state);
}

AdaptiveDataLoader::~AdaptiveDataLoader() = default;

void AdaptiveDataLoader::autoscale_batch_size(std::int64_t max_batch_size, LocalBatchBounds local,
                                              bool accumulation) {
  const std::int64_t batch_size = core_->options.batch_size;
  if (!core_->options.training) refuse("autoscale_batch_size is for training loaders");
  if (core_->loop) refuse("autoscale_batch_size inside its own loop: call it before");
  if (max_batch_size < batch_size)
    refuse("max_batch_size " + std::to_string(max_batch_size) + " is below the batch size " +
           std::to_string(batch_size));
  if (local.maximum == 0) local.maximum = max_batch_size;
  if (local.minimum < 1 || local.minimum > batch_size || local.maximum < local.minimum ||
      (local.maximum < batch_size && !accumulation))
    refuse("the local bounds " + std::to_string(local.minimum) + ".." + std::to_string(local.maximum) +
           " exclude the batch size " + std::to_string(batch_size) +
           (accumulation ? "" : "; a smaller maximum needs accumulation"));
  // A batch cannot be larger than the dataset: a step never crosses a pass.
  core_->limits = {std::min(max_batch_size, std::max(batch_size, core_->size)), local.minimum, local.maximum,
                   accumulation};
}

std::int64_t AdaptiveDataLoader::current_batch_size() const {
  return core_->shape().batch_size(num_replicas());
}
std::int64_t AdaptiveDataLoader::current_local_batch_size() const { return core_->shape().local_batch_size; }
int AdaptiveDataLoader::accumulation_steps() const { return core_->shape().accumulation_steps; }

AdaptiveDataLoader::Iterator AdaptiveDataLoader::begin() {
  if (running_loop()) refuse("a loop inside another loop over data: one at a time");
  const int epoch = current_epoch();
  if (core_->options.training && epoch < 0)
    refuse("training needs an epoch: loop over the data inside remaining_epochs_until()");
  Iterator iterator;
  const auto finished = core_->state.finished.find(epoch);
  if (finished != core_->state.finished.end() && loop_position(epoch) <= finished->second) {
    count_loop(epoch);
    return iterator;
  }
  iterator.loop_ = std::make_shared<DataLoop>(*core_, epoch);
  iterator.loop_->begin();
  return iterator;
}

Batch& AdaptiveDataLoader::Iterator::operator*() { return loop_->batch(); }

AdaptiveDataLoader::Iterator& AdaptiveDataLoader::Iterator::operator++() {
  loop_->advance();
  return *this;
}

bool AdaptiveDataLoader::Iterator::operator==(std::default_sentinel_t) const {
  return !loop_ || loop_->done();
}

}  // namespace batchscope
