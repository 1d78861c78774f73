// SPDX-License-Identifier: GPL-3.0-or-later
//
// synthetic_run [STEPS]: fills the store at $BATCHSCOPE_DB with runs to look at, the newest with STEPS steps
// in each of its three generations. Holds the newest as its supervisor would until its input ends.
#include <cstdio>
#include <cstdlib>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "synthetic_run.h"

int main(int argc, char** argv) {
  using namespace batchscope;
  using protocol::RunState;
  if (std::getenv("BATCHSCOPE_DB") == nullptr) {
    std::fprintf(stderr, "synthetic_run: set BATCHSCOPE_DB to a store that may be filled\n");
    return kExitUsage;
  }
  storage::Catalogue catalogue(protocol::catalogue_path());
  desktop::test::writeListedRun(catalogue, "dcgan-small", RunState::failed, 0.42);
  desktop::test::writeListedRun(catalogue, "digits-adascale-S64", RunState::finished, 0.979);
  desktop::test::writeListedRun(catalogue, "digits-linear-S64", RunState::stopped, 0.902);
  desktop::test::SyntheticOptions options;
  options.state = RunState::running;
  if (argc > 1) options.stepsPerGeneration = std::atoll(argv[1]);
  const std::string id = desktop::test::writeSyntheticRun(catalogue, options);
  catalogue.claim_supervisor(id);
  std::printf("%s\n", id.c_str());
  std::fflush(stdout);
  std::getchar();
  return kExitOk;
}
