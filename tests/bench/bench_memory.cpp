// SPDX-License-Identifier: Apache-2.0
//
// The peak memory of a replica that trains with everything on: the largest resident set of its process
// (VmHWM of proc(5)), shared libraries included.
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "batchscope/train/process_group.h"
#include "bench.h"
#include "replicas.h"
#include "session/leave.h"
#include "trainee.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024 / 1e6;
  }
  throw std::runtime_error("/proc/self/status does not tell the peak of memory");
}

int run_replica(const std::string& model) {
  init_process_group();
  {
    const bench::Task task = bench::task_of(model);
    bench::Adaptive adaptive(task);
    for (int i = 0; i < task.warm_up + task.turns * task.steps; ++i) adaptive.step(task);
  }
  std::cout << peak_megabytes() << std::endl;
  leave(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--replica") return run_replica(argv[2]);
  return bench::run(argc, argv,
                    {{"memory.mlp", "MB", 200, [] { return bench::measure("mlp", 1); }},
                     {"memory.resnet18", "MB", 520, [] { return bench::measure("resnet18", 1); }}},
                    5);
}
