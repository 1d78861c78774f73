// SPDX-License-Identifier: Apache-2.0
//
// The key under which LibTorch's optimizers keep a parameter's state.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/version.h>

namespace batchscope::train {

inline auto parameter_key(const at::Tensor& parameter) {
#if TORCH_VERSION_MAJOR >= 2
  return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
  return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

}  // namespace batchscope::train
