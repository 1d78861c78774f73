// SPDX-License-Identifier: Apache-2.0
//
// Steps of ResNet-18 against the batch size, on the replica's device: images a second at each, and by how
// much the performance model that is fitted to all of them misses the one that it misses most. It is measured
// where there is a GPU, or where BATCHSCOPE_REHEARSE is set: there in bf16, here small (trainee.h).
#include <torch/cuda.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>

#include "batchscope/goodput/fit.h"
#include "bench.h"
#include "replicas.h"
#include "session/leave.h"
#include "trainee.h"

using namespace batchscope;

namespace {

std::vector<std::int64_t> batch_sizes() {
  if (torch::cuda::is_available()) return {32, 64, 128, 256, 512, 1024, 2048};
  return {1, 2, 4};
}

double seconds_of_a_step(std::int64_t batch_size) {
  const bench::Task task = bench::gpu_task("resnet18", batch_size, replica_device().is_cuda());
  bench::Adaptive adaptive(task);
  bench::step_times(adaptive, task, task.warm_up);
  return bench::median(bench::step_times(adaptive, task, task.turns * task.steps));
}

// The largest of |predicted / measured - 1|.
double largest_error(const std::vector<goodput::ProfileRow>& rows) {
  const goodput::PerfParams perf = goodput::fit(rows);
  double largest = 0;
  for (const goodput::ProfileRow& row : rows) {
    const double predicted = goodput::step_time(perf, {1, 1, row.local_batch_size, 0}, {1});
    largest = std::max(largest, std::abs(predicted / row.optimizer_step_time - 1));
  }
  return largest;
}

int run_replica(const std::string& what) {
  init_process_group();
  const double seconds = seconds_of_a_step(std::atoll(what.c_str()));
  std::cout << seconds << std::endl;
  replica::leave(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--replica") return run_replica(argv[2]);
  if (!torch::cuda::is_available() && !std::getenv("BATCHSCOPE_REHEARSE")) return 0;
  std::vector<bench::Measure> measures;
  std::map<std::int64_t, double> seconds;  // of the latest run
  for (const std::int64_t size : batch_sizes())
    measures.push_back({"throughput.gpu.b" + std::to_string(size),
                        "images/s",
                        {},
                        [size, &seconds] {
                          seconds[size] = bench::measure(std::to_string(size), 1);
                          return static_cast<double>(size) / seconds[size];
                        },
                        false});
  measures.push_back({"throughput.gpu.model_error", "of T", 0.10, [&seconds] {
                        std::vector<goodput::ProfileRow> rows;
                        for (const auto& [size, time] : seconds) rows.push_back({1, 1, size, time, time});
                        return largest_error(rows);
                      }});
  return bench::run(argc, argv, measures, 3);
}
