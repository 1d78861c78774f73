// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/model.h"

#include <algorithm>

namespace batchscope::run {

goodput::PerfParams perf_params(const protocol::Model& model) {
  if (const auto& p = model.perf)
    return {p->alpha_c,          p->beta_c,        p->alpha_n,       p->beta_n,
            p->alpha_r,          p->beta_r,        p->gamma,         model.core_exponent,
            model.core_overhead, model.contention, model.update_time};
  return {.gamma = 0};  // with which nothing is predicted
}

int counted_devices(const protocol::Model& model) {
  return model.devices > 0 ? model.devices : std::max(model.max_profiled_replicas, 0);
}

goodput::Devices devices(const protocol::Model& model) {
  return {counted_devices(model), model.divides_cores && model.devices > 0, std::max(1, model.cores),
          model.keeps_fastest_cores};
}

goodput::GradParams grad_params(const protocol::Model& model) {
  return {model.grad_sqr, model.grad_var, model.grad_sqr_error};
}

goodput::GoodputFunction goodput_function(const protocol::Model& model) {
  return {perf_params(model), grad_params(model), model.init_batch_size, devices(model)};
}

goodput::Bounds batch_bounds(const protocol::Model& model) {
  return {model.max_batch_size, model.min_local_batch_size, model.max_local_batch_size, model.accumulation,
          model.single_gradient};
}

}  // namespace batchscope::run
