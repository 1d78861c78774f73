// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope-sweep`. `batchscope sweep run` starts it; people need not.
#include <signal.h>

#include <cstdio>
#include <cstring>

#include "batchscope/protocol/error.h"
#include "batchscope/run/application.h"
#include "batchscope/sweep/driver.h"
#include "slurm/slurm_trials.h"

int main(int argc, char** argv) {
  if (argc > 1) {
    const bool asks = std::strcmp(argv[1], "--help") == 0;
    std::fprintf(
        asks ? stdout : stderr,
        "batchscope-sweep begins the trials of `batchscope sweep run`, which starts it, and ends by itself.\n"
        "It takes no arguments: batchscope sweep --help lists the commands that control it.\n");
    return asks ? batchscope::kExitOk : batchscope::kExitUsage;
  }
  // Signals that the supervisor which starts the pool has blocked are inherited, and SIGTERM is to end it.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  try {
    const batchscope::run::Application application(argc, argv);  // for the sockets of supervisors
    batchscope::cli::slurm::SlurmTrials elsewhere;
    return batchscope::sweep::run_driver(elsewhere);
  } catch (const batchscope::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return batchscope::exit_code(error.kind());
  }
}
