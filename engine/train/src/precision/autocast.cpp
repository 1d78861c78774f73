// SPDX-License-Identifier: Apache-2.0
//
// LibTorch 2.4 gave the switches of all devices one name.
#include "batchscope/train/autocast.h"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

#include <string>

#include "batchscope/protocol/error.h"

namespace batchscope {

namespace {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
bool is_enabled(c10::DeviceType device) { return at::autocast::is_autocast_enabled(device); }
void set_enabled(c10::DeviceType device, bool enabled) {
  at::autocast::set_autocast_enabled(device, enabled);
}
c10::ScalarType dtype_of(c10::DeviceType device) { return at::autocast::get_autocast_dtype(device); }
void set_dtype(c10::DeviceType device, c10::ScalarType dtype) {
  at::autocast::set_autocast_dtype(device, dtype);
}
#else
bool is_enabled(c10::DeviceType device) {
  return device == c10::kCPU ? at::autocast::is_cpu_enabled() : at::autocast::is_enabled();
}
void set_enabled(c10::DeviceType device, bool enabled) {
  device == c10::kCPU ? at::autocast::set_cpu_enabled(enabled) : at::autocast::set_enabled(enabled);
}
c10::ScalarType dtype_of(c10::DeviceType device) {
  return device == c10::kCPU ? at::autocast::get_autocast_cpu_dtype()
                             : at::autocast::get_autocast_gpu_dtype();
}
void set_dtype(c10::DeviceType device, c10::ScalarType dtype) {
  device == c10::kCPU ? at::autocast::set_autocast_cpu_dtype(dtype)
                      : at::autocast::set_autocast_gpu_dtype(dtype);
}
#endif

c10::DeviceType checked(c10::Device device) {
  if (device.is_cpu() || device.is_cuda()) return device.type();
  throw Error(ErrorKind::usage,
              "Autocast: not supported on " + device.str() + ", only on the CPU and on CUDA");
}

c10::ScalarType default_dtype(c10::DeviceType device) {
  return device == c10::kCPU ? c10::kBFloat16 : c10::kHalf;
}

}  // namespace

Autocast::Autocast(c10::Device device, std::optional<c10::ScalarType> dtype, bool enabled)
    : device_(checked(device)), was_enabled_(is_enabled(device_)), was_dtype_(dtype_of(device_)) {
  const c10::ScalarType wanted = dtype.value_or(default_dtype(device_));
  if (wanted != c10::kBFloat16 && wanted != c10::kHalf)
    throw Error(ErrorKind::usage, std::string("Autocast: ") + c10::toString(wanted) + " is not bf16 or fp16");
  at::autocast::increment_nesting();
  set_enabled(device_, enabled);
  set_dtype(device_, wanted);
}

Autocast::~Autocast() {
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  set_enabled(device_, was_enabled_);
  set_dtype(device_, was_dtype_);
}

}  // namespace batchscope
