// SPDX-License-Identifier: Apache-2.0
#include "train_replica.h"

#include <iostream>
#include <map>
#include <string_view>

#include "batchscope/protocol/error.h"
#include "replica_main.h"

using namespace batchscope::testing;

int main(int count, char** arguments) {
  const std::map<std::string_view, int (*)(int, char**)> programs{{"accumulator", accumulator_program::run},
                                                                  {"adascale", adascale_replica::run},
                                                                  {"collective", collective_replica::run},
                                                                  {"loop", loop_program::run},
                                                                  {"noise", noise_replica::run},
                                                                  {"own-loader", own_loader_program::run},
                                                                  {"parallel", parallel_replica::run},
                                                                  {"precision", precision_replica::run},
                                                                  {"regression", regression_program::run},
                                                                  {"training", training_program::run}};
  const auto program = programs.find(count > 1 ? arguments[1] : "");
  if (program != programs.end()) end_process(program->second(count - 1, arguments + 1));
  std::cerr << "train-replica NAME ARGUMENTS, where NAME is one of:";
  for (const auto& [name, run] : programs) std::cerr << ' ' << name;
  std::cerr << '\n';
  return exit_code(batchscope::ErrorKind::usage);
}
