// SPDX-License-Identifier: Apache-2.0
//
// Measuring the gradient noise in the place of training (protocol/noise_estimates.h): the loader makes steps
// of many micro-batches of the initial size, AdaptiveDataParallel adds their gradients up, as in any step
// with accumulation, and leaves the weights as they are. So each step is an unbiased estimate of the noise at
// these weights, independent of the others but for the samples' order.
#pragma once

#include <cstdint>
#include <string>

#include "adapt/batch_shape.h"
#include "batchscope/goodput/noise_scale.h"

namespace batchscope::replica {

class NoiseMeasurement {
 public:
  NoiseMeasurement();  // as the environment says

  bool wanted() const { return !file_.empty(); }

  // The step that is measured: micro-batches of `initial`'s size, at most ten, as many as this much data has.
  // Throws Error(usage) where that is one.
  BatchShape shape(const BatchShape& initial, std::int64_t dataset_size) const;

  // Writes the estimate that a step's norms give, unless they are not finite. Returns whether enough were
  // measured.
  bool add(const goodput::NormSample& norms);

 private:
  std::string file_;  // empty: this process trains
  int left_ = 0;      // micro-batches
};

NoiseMeasurement& noise_measurement();

}  // namespace batchscope::replica
