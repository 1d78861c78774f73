// SPDX-License-Identifier: Apache-2.0
/// \file
/// Devices by name, as requests, commands and leases have them: "cpu:3" is a core, "cuda:1" or
/// "cuda:GPU-5b1c..." a GPU by its number or UUID.
#pragma once

#include <string>
#include <vector>

namespace batchscope::protocol {

/// Throws Error(usage) quoting the first name that is not a device's, or comes twice; and for more than
/// kMostReplicas. Does not check that a machine has them.
void check_devices(const std::vector<std::string>& devices);

/// Throws Error(usage) quoting the kind unless a run may ask for it: auto, cpu, cuda, or cuda:N for one GPU.
void check_device_kind(const std::string& kind);

}  // namespace batchscope::protocol
