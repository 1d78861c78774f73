// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/machine.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

// A device that is known by a number; empty for one that has a UUID.
struct Numbered {
  std::string_view kind;
  int number = 0;
};
std::optional<Numbered> numbered(std::string_view device) {
  const auto colon = device.find(':');
  if (colon == std::string_view::npos) return {};
  Numbered result{device.substr(0, colon)};
  const char* end = device.data() + device.size();
  const auto [rest, error] = std::from_chars(device.data() + colon + 1, end, result.number);
  if (error != std::errc{} || rest != end) return {};
  return result;
}

std::vector<std::string> usable_cores() {
  std::vector<std::string> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back("cpu:" + std::to_string(core));
  if (cores.empty()) cores.emplace_back("cpu:0");
  return cores;
}

// Reads the list as CUDA does: what follows an empty or a negative entry is not seen.
std::vector<std::string> listed_gpus(const std::string& list) {
  std::vector<std::string> gpus;
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    std::erase(entry, ' ');
    if (entry.empty() || entry.front() == '-') break;
    gpus.push_back("cuda:" + entry);
  }
  return gpus;
}

}  // namespace

// /dev/nvidia0, nvidia1 ...; the others (nvidiactl, nvidia-uvm) are not devices to train on.
std::vector<std::string> driver_gpus(const fs::path& devices) {
  constexpr std::string_view kPrefix = "nvidia";
  std::vector<int> numbers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(devices, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    if (const auto gpu = numbered("cuda:" + name.substr(kPrefix.size()))) numbers.push_back(gpu->number);
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::string> gpus;
  for (const int number : numbers) gpus.push_back("cuda:" + std::to_string(number));
  return gpus;
}

Machine Machine::here() {
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  return {usable_cores(), list ? listed_gpus(list) : driver_gpus()};
}

std::string device_list(const std::vector<std::string>& devices) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < devices.size(); first = last + 1) {
    last = first;
    text += (text.empty() ? "" : ", ") + devices[first];
    const auto begin = numbered(devices[first]);
    if (!begin) continue;
    const auto follows = [&](std::size_t at) {
      const auto next = numbered(devices[at]);
      return next && next->kind == begin->kind &&
             next->number == begin->number + static_cast<int>(at - first);
    };
    while (last + 1 < devices.size() && follows(last + 1)) ++last;
    if (last > first) text += "-" + std::to_string(begin->number + static_cast<int>(last - first));
  }
  return text;
}

std::string device_list(const std::vector<std::string>& devices, int replicas) {
  const std::size_t of_each = replicas > 0 ? devices.size() / static_cast<std::size_t>(replicas) : 0;
  std::string text = device_list(devices);
  if (of_each > 1 && devices.front().starts_with("cpu:"))
    text += " (" + std::to_string(of_each) + (replicas == 1 ? " threads)" : " threads each)");
  return text;
}

}  // namespace batchscope::run
