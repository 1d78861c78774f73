// SPDX-License-Identifier: Apache-2.0
//
// Stands in for `batchscope supervise RUN [--replicas N] [--devices D,D]` and `batchscope tell-end RUN`, so
// that the run room is tested without the command line's.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/run/application.h"
#include "batchscope/run/end_notice.h"
#include "batchscope/run/supervisor.h"

int main(int argc, char** argv) {
  const batchscope::run::Application app(argc, argv);
  CLI::App arguments;
  CLI::App* const supervise = arguments.add_subcommand("supervise");
  std::string run;
  int replicas = 0;
  std::vector<std::string> devices;
  supervise->add_option("RUN", run)->required();
  supervise->add_option("--replicas", replicas);
  supervise->add_option("--devices", devices)->delimiter(',');
  CLI::App* const tell_end = arguments.add_subcommand("tell-end");
  tell_end->add_option("RUN", run)->required();
  CLI11_PARSE(arguments, argc, argv);
  try {
    if (*tell_end) {
      batchscope::run::tell_end(run);
      return 0;
    }
    return batchscope::run::supervise(run, replicas, devices);
  } catch (const batchscope::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return batchscope::exit_code(error.kind());
  }
}
