// SPDX-License-Identifier: Apache-2.0
//
// Stands in for `batchscope supervise RUN [--replicas N]`, so that the run room is tested without the
// command line's.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/run/application.h"
#include "batchscope/run/supervisor.h"

int main(int argc, char** argv) {
  const batchscope::run::Application app(argc, argv);
  if (argc < 3 || std::string(argv[1]) != "supervise") return batchscope::kExitUsage;
  try {
    return batchscope::run::supervise(argv[2], argc > 4 ? std::atoi(argv[4]) : 0);
  } catch (const batchscope::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return batchscope::exit_code(error.kind());
  }
}
