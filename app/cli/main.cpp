// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope`.
#include "command_line/command_line.h"

int main(int argc, char** argv) {
  using namespace batchscope::cli;
  return runCommandLine(argc, argv,
                        {addTrainingCommands, addQueryCommands, addKeepingCommands, addStoreCommands,
                         addQueueCommands, addSweepCommands});
}
