// SPDX-License-Identifier: Apache-2.0
#include "batchscope/train/scaling_rule.h"

#include <algorithm>

#include "batchscope/goodput/scaling_rule.h"
#include "batchscope/protocol/error.h"

namespace batchscope {

namespace {

std::vector<double> for_every_group(const ScalingRule::Step& step, double factor) {
  return std::vector<double>(step.grad_sqr.size(), factor);
}

}  // namespace

std::vector<double> AdaScale::factors(const Step& step) const {
  return goodput::adascale_factors(step.grad_sqr, step.grad_var, step.scale);
}

std::vector<double> AdamScale::factors(const Step& step) const {
  return goodput::adamscale_factors(step.grad_sqr, step.grad_var, step.scale);
}

std::vector<double> IdentityScale::factors(const Step& step) const { return for_every_group(step, 1); }

std::vector<double> LinearScale::factors(const Step& step) const {
  return for_every_group(step, goodput::linear_factor(step.scale));
}

std::vector<double> SqrtScale::factors(const Step& step) const {
  return for_every_group(step, goodput::sqrt_factor(step.scale));
}

LEGWScale::LEGWScale(double base_warmup_epochs, std::int64_t data_size)
    : base_warmup_epochs_(base_warmup_epochs), data_size_(data_size) {
  if (base_warmup_epochs < 0 || data_size < 1)
    throw Error(ErrorKind::usage,
                "LEGWScale needs warm-up epochs that are not negative and at least one sample");
}

std::vector<double> LEGWScale::factors(const Step& step) const {
  // Progress counts iterations of the initial batch size.
  const auto batch_size = std::max<std::int64_t>(1, step.initial_batch_size);
  return for_every_group(
      step, goodput::legw_factor(step.scale, base_warmup_epochs_, data_size_, batch_size, step.progress));
}

}  // namespace batchscope
