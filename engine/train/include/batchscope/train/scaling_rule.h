// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scaling rules: the factors by which the learning rates of parameter groups grow with the batch size. The
/// formulas are goodput's (goodput/scaling_rule.h); derive from ScalingRule for a rule of your own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace batchscope {

/// The base of all rules.
class ScalingRule {
 public:
  /// Statistics that are known when an optimizer step is due.
  struct Step {
    std::span<const double> grad_sqr;     ///< |true gradient|^2, averaged, by parameter group
    std::span<const double> grad_var;     ///< trace of its covariance, averaged, by parameter group
    double scale = 1;                     ///< the step's batch size over the initial one
    std::int64_t initial_batch_size = 0;  ///< samples, all replicas; 0: no loader has been used
    double progress = 0;                  ///< scale-invariant iterations done
  };

  virtual ~ScalingRule() = default;
  /// Returns one factor per parameter group. Called on every replica, with the same Step on each.
  virtual std::vector<double> factors(const Step& step) const = 0;
  /// Returns whether the statistics are of gradients as Adam preconditions them, where the optimizer is Adam
  /// or AdamW.
  virtual bool preconditioned() const { return false; }
};

/// The gain as the factor: (var + sqr) / (var / scale + sqr). For SGD.
class AdaScale : public ScalingRule {
 public:
  std::vector<double> factors(const Step& step) const override;
};

/// The square root of AdaScale's factor. For Adam and similar optimizers.
class AdamScale : public ScalingRule {
 public:
  std::vector<double> factors(const Step& step) const override;
  bool preconditioned() const override { return true; }
};

/// 1: the rate stays as it is, as the AdaScale paper's identity rule, which the others are compared with.
class IdentityScale : public ScalingRule {
 public:
  std::vector<double> factors(const Step& step) const override;
};

/// scale
class LinearScale : public ScalingRule {
 public:
  std::vector<double> factors(const Step& step) const override;
};

/// sqrt(scale)
class SqrtScale : public ScalingRule {
 public:
  std::vector<double> factors(const Step& step) const override;
};

/// sqrt(scale), after a linear warm-up of base_warmup_epochs * scale epochs of data_size samples.
class LEGWScale : public ScalingRule {
 public:
  /// data_size is the number of samples in the dataset.
  LEGWScale(double base_warmup_epochs, std::int64_t data_size);
  std::vector<double> factors(const Step& step) const override;

 private:
  double base_warmup_epochs_;
  std::int64_t data_size_;
};

}  // namespace batchscope
