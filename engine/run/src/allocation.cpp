// SPDX-License-Identifier: Apache-2.0
#include "allocation.h"

#include "batchscope/run/machine.h"
#include "words.h"

namespace batchscope::run {

std::string allocation_text(const Allocation& allocation) {
  const std::string count = replica_count_text(allocation.replicas);
  return allocation.devices.empty() ? count : count + " (" + device_list(allocation.devices) + ")";
}

}  // namespace batchscope::run
