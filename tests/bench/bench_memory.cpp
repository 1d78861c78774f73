// SPDX-License-Identifier: Apache-2.0
//
// The peak memory of a replica that trains with everything on: the largest resident set of its process
// (VmHWM of proc(5)), shared libraries included. And which part of Adam's state the fullest of two replicas
// keeps where it is shared out.
#include <torch/optim/adam.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "batchscope/replica/collective.h"
#include "batchscope/train/process_group.h"
#include "batchscope/train/sharded_optimizer.h"
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

std::int64_t adam_bytes(const torch::optim::Optimizer& adam) {
  std::int64_t bytes = 0;
  for (const auto& [key, state] : adam.state()) {
    const auto& moments = static_cast<const torch::optim::AdamParamState&>(*state);
    bytes += static_cast<std::int64_t>(moments.exp_avg().nbytes() + moments.exp_avg_sq().nbytes());
  }
  return bytes;
}

double sharded_part() {
  const bench::Task task = bench::task_of("resnet18");
  const auto model = bench::make_model("resnet18");
  ShardedOptimizer sharded(std::make_unique<torch::optim::Adam>(model->parameters()));
  at::cross_entropy_loss(model->forward(task.images), task.labels).backward();
  sharded.step();
  const std::int64_t bytes = adam_bytes(ShardedOptimizer::unwrap(sharded));
  const auto most = static_cast<double>(collective::max("most bytes", bytes));
  return most / collective::sum("all bytes", static_cast<double>(bytes));
}

int run_replica(const std::string& model) {
  init_process_group();
  if (model == "sharded") {
    const double part = sharded_part();
    if (replica_rank() == 0) std::cout << part << std::endl;
    leave(0);
  }
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
                     {"memory.resnet18", "MB", 520, [] { return bench::measure("resnet18", 1); }},
                     {"memory.sharded.k2", "of all", 0.55, [] { return bench::measure("sharded", 2); }}},
                    5);
}
