// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/node_name.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>

namespace batchscope::protocol {

std::string node_name() {
  if (const char* const slurm = std::getenv("SLURMD_NODENAME"); slurm != nullptr && *slurm != '\0')
    return slurm;
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

bool valid_node_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace batchscope::protocol
