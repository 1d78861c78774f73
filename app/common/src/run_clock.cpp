// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/run_clock.h"

namespace batchscope::common {

double clockOrigin(const std::vector<storage::Generation>& generations, double otherwise) {
  return generations.empty() || generations.front().started <= 0 ? otherwise : generations.front().started;
}

double clockOrigin(const storage::Run& run, const std::vector<storage::Generation>& generations) {
  return clockOrigin(generations, run.created);
}

}  // namespace batchscope::common
