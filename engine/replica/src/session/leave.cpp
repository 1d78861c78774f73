// SPDX-License-Identifier: Apache-2.0
#include "session/leave.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "report/telemetry_client.h"

namespace batchscope::replica {

void leave(int code) {
  telemetry_stop(code);
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace batchscope::replica
