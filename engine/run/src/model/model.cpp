// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/model.h"

namespace batchscope::run {

goodput::GoodputFunction goodput_function(const protocol::Model& model) {
  goodput::PerfParams perf;
  if (const auto& p = model.perf)
    perf = {p->alpha_c, p->beta_c, p->alpha_n, p->beta_n, p->alpha_r, p->beta_r, p->gamma};
  return {perf, {model.grad_sqr, model.grad_var}, model.init_batch_size};
}

goodput::Bounds batch_bounds(const protocol::Model& model) {
  return {model.max_batch_size, model.min_local_batch_size, model.max_local_batch_size, model.accumulation};
}

}  // namespace batchscope::run
