// SPDX-License-Identifier: Apache-2.0
//
// Operations of LibTorch that are a layer with parameters, and what they tell of a batch's examples: from the
// input x of the operation and the gradient g at its output, at positions p of an example (of a text or a
// picture), the squares of what each example adds to the parameters' gradients, summed over the examples.
//
//   linear, one position    weight |x|^2 |g|^2, bias |g|^2            Goodfellow, "Efficient per-example
//                                                                     gradient computations", 2015
//   linear, several         weight |sum_p g_p x_p'|^2, or the same    Li et al., "Large language models can
//                           as sum_pq (x_p x_q) (g_p g_q)             be strong differentially private
//                                                                     learners", 2022
//   convolution             a linear layer of its patches
//   embedding               sum_pq (g_p g_q) where p and q are the same word
//   normalisation           weight |sum_p g_p z_p|^2, z: normalised x; bias |sum_p g_p|^2
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace batchscope::train {

struct LayerOperation {
  using Squares = std::array<at::Tensor, 2>;  // of weight and bias; undefined: not told
  std::array<at::Tensor, 2> parameters;       // weight and bias; undefined where there is none
  bool couples = false;                       // makes the examples depend on one another
  at::Tensor input;                           // undefined: nothing is told
  std::int64_t leading = 1;  // dimensions of the input, the first ones, of which one may be the examples'
  Squares (*of)(const LayerOperation&, const at::Tensor& input, const at::Tensor& gradient) = nullptr;
  std::vector<std::int64_t> sizes;  // what else the operation was given, as `of` understands it
  double epsilon = 0;

  // Returns the squares, from the gradient at the output, of so many examples; undefined ones where no
  // dimension has their number. Where two have it, it is the one that is outermost in memory: inside of
  // MultiheadAttention dimensions are turned.
  Squares squares(const at::Tensor& gradient, std::int64_t examples) const;
};

// Returns what the operation of this name is with these arguments, as at::RecordFunction gives them; none
// where it is no layer. A layer that cannot tell, such as an LSTM, has no `input`; the operations within it
// are not to be asked either.
std::optional<LayerOperation> layer_operation(const char* name, c10::ArrayRef<const c10::IValue> arguments);

}  // namespace batchscope::train
