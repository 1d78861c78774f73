// SPDX-License-Identifier: Apache-2.0
#include "adapt/step_context.h"

#include "process/session.h"

namespace batchscope::replica {

StepContext& step_context() { return session().part<StepContext>(); }

}  // namespace batchscope::replica
