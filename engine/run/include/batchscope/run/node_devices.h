// SPDX-License-Identifier: Apache-2.0
/// \file
/// Devices of other nodes by their names: "n2/cuda:0" is what node n2 calls cuda:0 (engine/run/NODES.md).
#pragma once

#include <string>

namespace batchscope::run {

/// Returns the node of a device; empty: this node.
std::string node_of_device(const std::string& device);

/// Returns whether a device, of any node, is a GPU.
bool is_gpu(const std::string& device);

}  // namespace batchscope::run
