// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/prediction.h"

namespace batchscope::run {
namespace {

constexpr double kMostSamples = 1e15;  // of a step; what is beyond is no training

// Of a batch size that is fixed, shared evenly and rounded up as the loader does it.
goodput::Configuration fixed_configuration(const protocol::Model& model, int replicas) {
  if (model.micro_batches > 0) return {1, replicas, model.init_batch_size, model.micro_batches - 1};
  return {1, replicas, (model.init_batch_size + replicas - 1) / replicas, 0};
}

}  // namespace

bool has_fixed_batch_size(const protocol::Model& model) { return model.max_batch_size <= 0; }

Prediction predict(const protocol::Model& model, const goodput::Configuration& at) {
  const double size = static_cast<double>(at.num_replicas) * static_cast<double>(at.local_batch_size) *
                      (at.accumulation_steps + 1.0);
  if (!(size >= 1 && size <= kMostSamples)) return {at};
  const goodput::GoodputFunction function = goodput_function(model);
  const auto batch_size = static_cast<std::int64_t>(size);
  return {at, batch_size, function.throughput(at), function.efficiency(batch_size), function.evaluate(at)};
}

std::optional<Prediction> predict(const protocol::Model& model, int replicas) {
  if (replicas < 1 || model.init_batch_size < 1) return {};
  goodput::Configuration at = fixed_configuration(model, replicas);
  if (!has_fixed_batch_size(model)) {
    const goodput::Choice best = goodput_function(model).optimize(1, replicas, batch_bounds(model));
    at.local_batch_size = best.local_batch_size;
    at.accumulation_steps = best.accumulation_steps;
  }
  const Prediction prediction = predict(model, at);
  return prediction.goodput > 0 ? std::optional(prediction) : std::nullopt;
}

}  // namespace batchscope::run
