// SPDX-License-Identifier: Apache-2.0
/// \file
/// What this machine is called where there are several.
#pragma once

#include <string>

namespace batchscope::protocol {

/// Returns Slurm's name of the node (SLURMD_NODENAME) in a job, else the host's name. Does not block.
std::string node_name();

}  // namespace batchscope::protocol
