// SPDX-License-Identifier: Apache-2.0
#include "session/leave.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "report/telemetry_client.h"

extern "C" {
extern void* __dso_handle;              // of the program, or of the Python module, that this is linked into
void __cxa_finalize(void* dso_handle);  // Itanium C++ ABI, 3.3.6: destroys what that one has constructed
}

namespace batchscope::replica {
namespace {

bool is_told = false;

void flush() {
  std::cout.flush();
  std::fflush(nullptr);
}

// Registered when the program is loaded: after its libraries have registered their ends, so it runs before
// those, and before main() begins, so it runs after all that the program registers.
[[maybe_unused]] const int kRegistered = on_exit(
    [](int status, void*) {
      if (!is_told) return;
      __cxa_finalize(__dso_handle);
      flush();
      std::_Exit(status);
    },
    nullptr);

}  // namespace

void leave_libraries_behind() { is_told = true; }

void leave(int code) {
  telemetry_stop(code);
  flush();
  std::_Exit(code);
}

}  // namespace batchscope::replica
