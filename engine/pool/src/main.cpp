// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope-pool`, which nobody needs to start by hand: `batchscope submit` does.
#include <signal.h>

#include <cstdio>
#include <cstring>

#include "batchscope/pool/pool.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/application.h"

int main(int argc, char** argv) {
  if (argc > 1) {
    const bool asks = std::strcmp(argv[1], "--help") == 0;
    std::fprintf(
        asks ? stdout : stderr,
        "batchscope-pool gives this machine's devices to the runs of `batchscope submit`, which starts it,\n"
        "and ends by itself. It takes no arguments: batchscope pool --help lists the commands that control "
        "it.\n");
    return asks ? batchscope::kExitOk : batchscope::kExitUsage;
  }
  // Signals that the supervisor which starts the pool has blocked are inherited, and SIGTERM is to end it.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a command that reaches a node may end before it has read what it is told
  try {
    batchscope::run::Application application(argc, argv);
    return batchscope::pool::run_pool();
  } catch (const batchscope::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return batchscope::exit_code(error.kind());
  }
}
