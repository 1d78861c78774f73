// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/node_devices.h"

namespace batchscope::run {

// A GPU's UUID may have slashes too, behind its colon.
std::string node_of_device(const std::string& device) {
  const auto slash = device.find('/');
  return slash < device.find(':') ? device.substr(0, slash) : std::string();
}

bool is_gpu(const std::string& device) {
  const std::string node = node_of_device(device);
  return device.compare(node.empty() ? 0 : node.size() + 1, 5, "cuda:") == 0;
}

}  // namespace batchscope::run
