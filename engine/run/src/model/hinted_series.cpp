// SPDX-License-Identifier: Apache-2.0
#include "model/hinted_series.h"

#include "batchscope/protocol/series.h"
#include "batchscope/run/model.h"

namespace batchscope::run {

namespace series = protocol::series;

std::map<std::string, double> hinted_series(const protocol::Model& model, std::int64_t batch_size,
                                            int replicas) {
  std::map<std::string, double> values{{series::kReplicas, replicas}};
  const auto initial = static_cast<double>(model.init_batch_size);
  if (model.init_batch_size < 1 || !(model.grad_var > 0)) return values;
  if (model.grad_sqr > 0) values[series::kNoiseScale] = model.grad_var / model.grad_sqr * initial;

  const goodput::GoodputFunction function = goodput_function(model);
  const goodput::Choice best = function.optimize(1, replicas, batch_bounds(model));
  if (best.goodput > 0) {
    values[series::kGoodput] = best.goodput;
    if (batch_size < 1) batch_size = best.local_batch_size * (best.accumulation_steps + 1) * replicas;
  }
  if (batch_size < 1) return values;
  const double scale = static_cast<double>(batch_size) / initial;
  values[series::kBatchSize] = static_cast<double>(batch_size);
  values[series::kScale] = scale;
  values[series::kEfficiency] = function.efficiency(batch_size);
  values[series::kGain] = values[series::kEfficiency] * scale;
  return values;
}

}  // namespace batchscope::run
