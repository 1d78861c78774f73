// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace batchscope::replica {

// Says goodbye on the telemetry socket, ends threads and leaves with this code, running no static
// destructors.
[[noreturn]] void leave(int code);

// Lets the process end, when the program returns, without the static destructors of its libraries; its own
// run. LibTorch takes its thousands of operators back one by one, and a forked replica copies each page that
// this changes: half a second of a core for each replica.
void leave_libraries_behind();

}  // namespace batchscope::replica
