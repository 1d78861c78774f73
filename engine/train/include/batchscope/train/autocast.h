// SPDX-License-Identifier: Apache-2.0
/// \file
/// Automatic mixed precision (PyTorch's torch.autocast): while it lives, the operations that LibTorch lists
/// as safe in 16 bits (matrix products, convolutions) run in 16 bits on this thread, on that kind of device;
/// parameters stay as they are. It is for the forward pass and the loss; backward runs after it, in the types
/// of forward.
///
///     at::Tensor loss;
///     {
///       const Autocast autocast(replica_device());
///       loss = cross_entropy(model.forward(data), target);
///     }
///     loss.backward();
///
/// bf16 has the range of fp32; fp16 needs a GradScaler.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <optional>

namespace batchscope {

/// A guard for one scope of one thread.
class Autocast {
 public:
  /// dtype: kBFloat16 or kHalf; none: as in PyTorch, kBFloat16 on the CPU and kHalf on CUDA. Not enabled:
  /// full precision, also inside another Autocast. Throws Error(usage) for another dtype or device.
  explicit Autocast(c10::Device device, std::optional<c10::ScalarType> dtype = std::nullopt,
                    bool enabled = true);
  /// Restores the earlier state; the outermost one also drops the 16-bit copies of parameters.
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  const c10::DeviceType device_;
  const bool was_enabled_;
  const c10::ScalarType was_dtype_;
};

}  // namespace batchscope
