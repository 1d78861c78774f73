// SPDX-License-Identifier: Apache-2.0
//
// libnvidia-ml.so.1 of a machine with two GPUs, the second of which does not tell its power. It does not
// begin where $FAKE_NVML_FAULT says why, and says in $FAKE_NVML_OPEN whether it has begun.
#include <cstdlib>
#include <cstring>

namespace {
int gpus[2] = {0, 1};
constexpr int kInvalidArgument = 2, kNotSupported = 3;
}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (const char* fault = std::getenv("FAKE_NVML_FAULT")) return std::atoi(fault);
  setenv("FAKE_NVML_OPEN", "1", 1);
  return 0;
}
int nvmlShutdown() {
  setenv("FAKE_NVML_OPEN", "0", 1);
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index > 1) return kInvalidArgument;
  *device = &gpus[index];
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  return std::strcmp(uuid, "GPU-b") == 0 ? nvmlDeviceGetHandleByIndex_v2(1, device) : kInvalidArgument;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* percent) {
  percent[0] = *static_cast<int*>(device) == 0 ? 25 : 100;
  percent[1] = 1;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void*, unsigned long long* bytes) {
  bytes[0] = 8'000;
  bytes[1] = 5'000;
  bytes[2] = 3'000;
  return 0;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  *milliwatts = 71'500;
  return *static_cast<int*>(device) == 0 ? 0 : kNotSupported;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* degrees) {
  *degrees = 60;
  return sensor == 0 ? 0 : kInvalidArgument;
}

}  // extern "C"
