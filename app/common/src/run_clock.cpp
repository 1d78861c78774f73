// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/run_clock.h"

namespace batchscope::common {

double clockOrigin(const storage::Run& run, const std::vector<storage::Generation>& generations) {
  return generations.empty() || generations.front().started <= 0 ? run.created : generations.front().started;
}

}  // namespace batchscope::common
