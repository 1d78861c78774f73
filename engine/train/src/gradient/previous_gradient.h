// SPDX-License-Identifier: Apache-2.0
//
// The gradient of the step before, for the difference estimator of a single replica without accumulation.
// A gradient is kept by holding on to its tensor, which costs no pass over memory: zero_grad drops the
// reference and backward makes a new one. What a program did to a gradient in place in between (clipping it)
// shows in the next pass, which finds another norm than it had; from then on gradients are copied. They are
// from the start where they are measured through a divisor (preconditioner.h), which gives the same gradient
// another norm with every step.
//
// Gradients that are not measured at once (norms.h) wait for the end of backward, all of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "gradient/norms.h"

namespace batchscope::train {

class PreviousGradient {
 public:
  PreviousGradient(const std::vector<std::size_t>& group_of, bool divided);

  // Measures in backward, when a parameter's gradient is there (again); returns whether it did, or
  // measure_waiting() is to be called when backward ends. Both gradients are measured through this step's
  // divisor.
  bool measure(std::size_t parameter, const at::Tensor& gradient, const at::Tensor& divisor);

  // Starts to measure what waits, with few kernels and without waiting for them; again after each backward.
  void measure_waiting();

  struct Norms {  // by group
    std::vector<double> current, previous, mean;
    bool pair = false;  // previous and mean are valid
  };
  // After backward, with the parameters as they are (some may have no gradient): the norms of this step. Its
  // gradient is the previous one from now on.
  Norms advance(const std::vector<at::Tensor>& parameters);

  void forget();

  // Returns the tensors for checkpoints, undefined where there is none; empty when there was no single step
  // before.
  std::vector<at::Tensor> tensors() const;
  void restore(std::vector<at::Tensor> tensors);

 private:
  struct Entry {
    std::size_t group = 0;
    at::Tensor previous, copy;
    at::Tensor waiting, divisor;  // this step's gradient, to be measured with others
    double previous_square = 0;   // as it was measured
    bool present = false;         // has a gradient in this step
    PairSquares squares;          // of this step
  };
  void copy(Entry& entry, const at::Tensor& gradient);
  void fetch_measured();

  std::vector<Entry> entries_;
  struct Measured {
    std::vector<SquareSum*> sums;
    at::Tensor squares;  // of each, on the device
  } measured_;
  std::size_t groups_ = 0;
  bool known_ = false;  // there was a step before
  bool copying_;
  bool copied_ = false;  // the previous gradient is nobody else's, to whom a change could be laid
};

}  // namespace batchscope::train
