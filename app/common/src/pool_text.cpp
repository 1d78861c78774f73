// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/pool_text.h"

#include "batchscope/common/translate.h"

namespace batchscope::common {

std::vector<PolicyText> usualPolicies() {
  return {{"fair", tr("Fair"), tr("No run is much slower than with an even share of the devices")},
          {"fast", tr("Fast"),
           tr("Runs with little left to do go first, so that the mean time to completion is short")}};
}

}  // namespace batchscope::common
