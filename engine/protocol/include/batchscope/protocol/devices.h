// SPDX-License-Identifier: Apache-2.0
/// \file
/// Devices by name, as requests, commands and leases have them: "cpu:3" is a core, "cuda:1" or
/// "cuda:GPU-5b1c..." a GPU by its number or UUID.
#pragma once

#include <string>
#include <vector>

namespace batchscope::protocol {

/// Throws Error(usage) quoting the first name that is none, or comes twice; and for more than kMostReplicas.
/// Whether a machine has them is for others to say.
void check_devices(const std::vector<std::string>& devices);

/// Throws Error(usage) quoting what a run may not ask for: anything but auto, cpu, cuda, and cuda:N for one
/// GPU.
void check_device_kind(const std::string& kind);

}  // namespace batchscope::protocol
