// SPDX-License-Identifier: Apache-2.0
//
// The few functions that are used, with their types as the library's ABI has them.
#include "devices/nvml.h"

#include <dlfcn.h>

#include <charconv>
#include <limits>

namespace batchscope::run {
namespace {

constexpr int kSuccess = 0;
constexpr int kTemperatureOfTheGpu = 0;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

struct Nvml::Library {
  using Device = void*;
  struct Utilization {
    unsigned gpu, memory;  // percent
  };
  struct Memory {
    unsigned long long total, free, used;  // bytes
  };

  explicit Library(void* handle) : handle(handle) {
    find(init, "nvmlInit_v2");
    find(shutdown, "nvmlShutdown");
    find(by_index, "nvmlDeviceGetHandleByIndex_v2");
    find(by_uuid, "nvmlDeviceGetHandleByUUID");
    find(utilization, "nvmlDeviceGetUtilizationRates");
    find(memory, "nvmlDeviceGetMemoryInfo");
    find(power, "nvmlDeviceGetPowerUsage");
    find(temperature, "nvmlDeviceGetTemperature");
    usable = complete && init() == kSuccess;
  }
  ~Library() {
    if (usable) shutdown();
    dlclose(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    complete = complete && function;
  }

  void* handle;
  bool complete = true, usable = false;
  int (*init)();
  int (*shutdown)();
  int (*by_index)(unsigned, Device*);
  int (*by_uuid)(const char*, Device*);
  int (*utilization)(Device, Utilization*);
  int (*memory)(Device, Memory*);
  int (*power)(Device, unsigned*);             // mW
  int (*temperature)(Device, int, unsigned*);  // degrees Celsius
};

Nvml::Nvml() {
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  library_ = std::make_unique<Library>(handle);
  if (!library_->usable) library_.reset();
}

Nvml::~Nvml() = default;

std::optional<GpuUse> Nvml::read(const std::string& gpu) const {
  if (!library_) return std::nullopt;
  Library::Device device = nullptr;
  unsigned index = 0;
  const auto [end, error] = std::from_chars(gpu.data(), gpu.data() + gpu.size(), index);
  const bool numbered = error == std::errc{} && end == gpu.data() + gpu.size();
  if ((numbered ? library_->by_index(index, &device) : library_->by_uuid(gpu.c_str(), &device)) != kSuccess)
    return std::nullopt;
  Library::Utilization utilization{};
  Library::Memory memory{};
  unsigned milliwatts = 0, degrees = 0;
  GpuUse use{kUnknown, kUnknown, kUnknown, kUnknown};
  if (library_->utilization(device, &utilization) == kSuccess) use.utilization = utilization.gpu / 100.0;
  if (library_->memory(device, &memory) == kSuccess) use.memory = static_cast<double>(memory.used);
  if (library_->power(device, &milliwatts) == kSuccess) use.power = milliwatts / 1000.0;
  if (library_->temperature(device, kTemperatureOfTheGpu, &degrees) == kSuccess) use.temperature = degrees;
  return use;
}

}  // namespace batchscope::run
