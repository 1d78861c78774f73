// SPDX-License-Identifier: Apache-2.0
//
// The one step context of this process.
#include "adapt/step_context.h"

namespace batchscope {

StepContext& step_context() {
  static StepContext context;
  return context;
}

}  // namespace batchscope
