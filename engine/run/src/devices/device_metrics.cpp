// SPDX-License-Identifier: Apache-2.0
//
// Reading clocks, /proc/<pid>/statm (proc(5)) and NVML.
#include "devices/device_metrics.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

#include "batchscope/protocol/device_series.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::run {
namespace {

namespace series = protocol::series;

// Seconds that the process has been on a processor.
std::optional<double> processor_time(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Bytes resident: the second field, in pages.
std::optional<double> resident(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double size = 0, pages = 0;
  if (!(file >> size >> pages)) return std::nullopt;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string physical_gpu(const std::string& device, const char* visible) {
  std::string_view text = device;
  if (!text.starts_with("cuda")) return {};
  text.remove_prefix(4);
  unsigned index = 0;
  if (!text.empty()) {
    text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc{}) return {};
  }
  if (!visible) return std::to_string(index);
  std::string_view list = visible;
  for (; index > 0; --index) {
    const auto comma = list.find(',');
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
  return std::string(list.substr(0, list.find(',')));
}

void DeviceMetrics::begin_generation() {
  gpus_.clear();
  processors_.clear();
}

void DeviceMetrics::trains_on(int rank, const std::string& device, const char* visible) {
  const std::string gpu = physical_gpu(device, visible);
  if (!gpu.empty() && nvml_.loaded())
    gpus_[rank] = gpu;
  else
    gpus_.erase(rank);
}

std::vector<std::pair<std::string, double>> DeviceMetrics::read(const std::map<int, pid_t>& processes) {
  std::vector<std::pair<std::string, double>> values;
  auto process = processes.lower_bound(next_rank_);
  for (std::size_t left = std::min(processes.size(), std::size_t{kAtOnce}); left > 0; --left, ++process) {
    if (process == processes.end()) process = processes.begin();
    const auto [rank, pid] = *process;
    next_rank_ = rank + 1;
    const auto add = [&values, rank = rank](const char* what, double value) {
      values.emplace_back(series::device_series(what, rank), value);
    };
    const double now = protocol::monotonic_seconds();
    if (const auto used = processor_time(pid)) {
      Processor& before = processors_[rank];
      if (before.pid == pid && now > before.at) add(series::kCpu, (*used - before.used) / (now - before.at));
      before = {pid, *used, now};
    }
    if (const auto bytes = resident(pid)) add(series::kMemory, *bytes);
    const auto gpu = gpus_.find(rank);
    if (gpu == gpus_.end()) continue;
    if (const auto use = nvml_.read(gpu->second)) {
      add(series::kGpuUtilization, use->utilization);
      add(series::kGpuMemory, use->memory);
      add(series::kGpuPower, use->power);
      add(series::kGpuTemperature, use->temperature);
    }
  }
  return values;
}

}  // namespace batchscope::run
