// SPDX-License-Identifier: Apache-2.0
//
// What the process `batchscope-sweep` does (driver.h).
#pragma once

namespace batchscope::sweep {

// Until no sweep is running. Returns an exit code (protocol/error.h), at once where another such process of
// this store lives. Throws Error where the catalogue cannot be opened.
int run_driver();

}  // namespace batchscope::sweep
