// SPDX-License-Identifier: Apache-2.0
#include "batchscope/replica/adaptive_data_loader_helper.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "adapt/loops.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/elastic_sampler.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/registry.h"
#include "data/data_loop.h"
#include "process/session.h"
#include "report/tensorboard.h"

namespace batchscope {

using namespace replica;
namespace {

// Loaders are known again by the order in which a program makes them, per kind, inside an epoch and outside.
struct LoaderNumbers : std::map<std::pair<std::string, std::uint64_t>, int> {};

std::string next_loader_name(bool training) {
  const int epoch = current_epoch();
  std::string name = training ? "train-" : "validate-";
  if (epoch >= 0) name += "epoch" + std::to_string(epoch) + "-";
  const int number = session().part<LoaderNumbers>()[{name, epoch < 0 ? 0 : epoch_entry()}]++;
  return name + std::to_string(number);
}

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::usage, "data loader: " + why); }

AdaptiveDataLoaderHelper::Order samplers_order(std::int64_t size, bool shuffle) {
  return [=](int epoch, std::int64_t pass, const std::vector<Cut>&) {
    return ElasticSampler::permutation(size, epoch, pass, shuffle);
  };
}

}  // namespace

AdaptiveDataLoaderHelper::AdaptiveDataLoaderHelper(Options options) {
  if (options.stream) options.size = kUnknownSize;
  if (options.size < 1) refuse("there is no data");
  if (options.batch_size < 1)
    refuse("batch_size is " + std::to_string(options.batch_size) + ", but must be at least 1");
  if (running_loop()) refuse("made inside a loop over data: make it before the loop");
  const BatchShape shape = initial_shape(options.batch_size, num_replicas(), {});
  if (options.drop_last && options.size < shape.batch_size(num_replicas()))
    refuse("drop_last drops the whole dataset: it has " + std::to_string(options.size) +
           " samples, and a batch has " + std::to_string(shape.batch_size(num_replicas())));
  if (!options.order && !options.stream) options.order = samplers_order(options.size, options.shuffle);
  core_ = std::make_unique<LoaderCore>(
      options, options.name.empty() ? next_loader_name(options.training) : options.name);
  checkpoint::load_state(core_->state);
}

AdaptiveDataLoaderHelper::~AdaptiveDataLoaderHelper() = default;

void AdaptiveDataLoaderHelper::autoscale_batch_size(std::int64_t max_batch_size, LocalBatchBounds local,
                                                    bool accumulation, bool single_gradient) {
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
  // A batch cannot be larger than the data: a step never crosses a pass.
  core_->limits = {std::min(max_batch_size, std::max(batch_size, core_->options.size)), local.minimum,
                   local.maximum, accumulation, single_gradient};
  core_->micro_batches = 0;
}

void AdaptiveDataLoaderHelper::scale_by_replicas(int micro_batches, bool until_progress) {
  if (!core_->options.training) refuse("scale_by_replicas is for training loaders");
  if (core_->loop) refuse("scale_by_replicas inside its own loop: call it before");
  if (micro_batches < 1)
    refuse("a step of " + std::to_string(micro_batches) + " micro-batches: at least 1 is needed");
  core_->limits = {};
  core_->micro_batches = micro_batches;
  core_->until_progress = until_progress;
}

std::int64_t AdaptiveDataLoaderHelper::current_batch_size() const {
  return core_->shape().batch_size(num_replicas());
}
std::int64_t AdaptiveDataLoaderHelper::current_local_batch_size() const {
  return core_->shape().local_batch_size;
}
int AdaptiveDataLoaderHelper::accumulation_steps() const { return core_->shape().accumulation_steps; }

bool AdaptiveDataLoaderHelper::training() const { return core_->options.training; }

std::optional<std::int64_t> AdaptiveDataLoaderHelper::max_batch_size() const {
  return core_->autoscales() ? std::optional(core_->limits.max_batch_size) : std::nullopt;
}
LocalBatchBounds AdaptiveDataLoaderHelper::local_batch_size_bounds() const {
  return {core_->limits.min_local, core_->limits.max_local};
}

std::optional<std::int64_t> AdaptiveDataLoaderHelper::current_index() const {
  return core_->loop ? std::optional(core_->state.index) : std::nullopt;
}
std::optional<std::int64_t> AdaptiveDataLoaderHelper::end_index() const {
  const std::int64_t size = core_->options.size;
  return core_->loop && !core_->options.stream ? std::optional((core_->state.index / size + 1) * size)
                                               : std::nullopt;
}

void AdaptiveDataLoaderHelper::to_tensorboard(protocol::EventFile& writer, std::int64_t step,
                                              std::string_view prefix) const {
  tensorboard::write_to(writer, step, prefix,
                        {{"Total_Batch_Size", static_cast<double>(current_batch_size())},
                         {"Local_Batch_Size", static_cast<double>(current_local_batch_size())},
                         {"Accumulation_Steps", accumulation_steps()}});
}

const AdaptiveDataLoaderHelper* current_dataloader() {
  return running_loop() ? running_loop()->loader : nullptr;
}

AdaptiveDataLoaderHelper::Loop AdaptiveDataLoaderHelper::loop() {
  if (running_loop()) refuse("a loop inside another loop over data: one at a time");
  const int epoch = current_epoch();
  if (core_->options.training && epoch < 0)
    refuse("training needs an epoch: loop over the data inside remaining_epochs_until()");
  Loop loop;
  const auto finished = core_->state.finished.find(epoch);
  if (finished != core_->state.finished.end() && loop_position(epoch) <= finished->second) {
    count_loop(epoch);
    return loop;
  }
  loop.loop_ = std::make_shared<DataLoop>(*core_, epoch);
  running_loop()->loader = this;
  loop.loop_->begin();
  return loop;
}

bool AdaptiveDataLoaderHelper::Loop::done() const { return !loop_ || loop_->done(); }
void AdaptiveDataLoaderHelper::Loop::advance() { loop_->advance(); }
void AdaptiveDataLoaderHelper::Loop::data_ready() { loop_->data_ready(); }
std::int64_t AdaptiveDataLoaderHelper::Loop::number() const { return loop_->number(); }
const std::shared_ptr<const DataPass>& AdaptiveDataLoaderHelper::Loop::pass() const { return loop_->pass(); }

}  // namespace batchscope
