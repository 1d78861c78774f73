// SPDX-License-Identifier: Apache-2.0
/// \file
/// The optimizer step of a program that computes its gradients itself, as numbers; what AdaptiveDataParallel
/// is to LibTorch:
///
///     GradientAverage average(weights.size());
///     for (; !loop.done(); loop.advance())                       // a loop of AdaptiveDataLoaderHelper
///       if (const auto step = average.add(gradient_of(loop))) {  // the last micro-batch of a step
///         const double rate = 0.1 * step->gain;                  // AdaScale
///         for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= rate * step->gradient[i];
///         average.finish(rate);
///       }
///
/// It averages over micro-batches and replicas, measures the gradient's noise, and accounts for the step:
/// progress, profile, charts.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace batchscope {

/// Averages one gradient. Its noise statistics are a checkpoint state, "gradient". Not thread-safe.
class GradientAverage {
 public:
  /// A step that is to be made.
  struct Step {
    std::vector<double> gradient;  ///< the mean over the step's samples, the same on every replica
    double gain = 1;               ///< by which AdaScale multiplies the learning rate, 1 to the scale S
  };

  /// Averages gradients of so many numbers. Loads its state where there is a checkpoint. Throws Error(usage)
  /// where there is a GradientAverage already. Collective.
  explicit GradientAverage(std::size_t size);
  ~GradientAverage();

  /// Adds the mean gradient of the micro-batch that the loop is at; for padding alone, any numbers. Returns
  /// nothing where more micro-batches of the step follow, or where the step's gradient holds NaN or infinity
  /// and must not be applied on any replica. Collective at the end of a step: blocks until every replica has
  /// come so far, and throws what a collective throws. Throws Error(usage) for a gradient of another size.
  std::optional<Step> add(std::span<const double> gradient);

  /// Ends the step, which was made at this learning rate.
  void finish(double learning_rate);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope
