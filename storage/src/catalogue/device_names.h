// SPDX-License-Identifier: Apache-2.0
//
// Names of devices in one column: "cpu:0,cpu:1". No name of one has a comma.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <sstream>
#include <string>
#include <vector>

namespace batchscope::storage {

inline std::string device_text(const std::vector<std::string>& devices) {
  return fmt::format("{}", fmt::join(devices, ","));
}

inline std::vector<std::string> device_names(const std::string& text) {
  std::vector<std::string> devices;
  std::istringstream stream(text);
  for (std::string device; std::getline(stream, device, ',');) devices.push_back(device);
  return devices;
}

}  // namespace batchscope::storage
