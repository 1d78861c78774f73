// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace batchscope::replica {

// Says goodbye on the telemetry socket, ends threads and leaves with this code, running no static
// destructors.
[[noreturn]] void leave(int code);

}  // namespace batchscope::replica
