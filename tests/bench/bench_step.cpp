// SPDX-License-Identifier: Apache-2.0
//
// Measures the cost of a step over a plain LibTorch loop, and of a small all-reduce. The program starts
// itself as the replicas of each measure. Both loops run in the same processes, in short turns, on the same
// data; the value is the ratio of their median step times. step.mlp.k1.limit is what the difference estimator
// costs alone: of the plain loop, where it keeps its last gradient and reads both once. step.gpu is measured
// where there is a GPU, or where BATCHSCOPE_REHEARSE is set (trainee.h); its goals are a GPU's. The plain
// loop clears gradients by dropping them; with several replicas it averages them in the same buckets, started
// from hooks and overlapped with backward, as we do, and broadcasts BatchNorm's buffers; it knows no
// statistics, profile or telemetry.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/cuda.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/replica/collective.h"
#include "batchscope/train/process_group.h"
#include "bench.h"
#include "device/tensor_group.h"
#include "gradient/buckets.h"
#include "gradient/buffer_sync.h"
#include "gradient/norms.h"
#include "replicas.h"
#include "session/leave.h"
#include "trainee.h"

using namespace batchscope;
using namespace batchscope::replica;
using namespace batchscope::train;
using bench::Adaptive, bench::Task, bench::Trainee, bench::measure;

namespace {

class Plain {
 public:
  explicit Plain(const Task& task)
      : trainee_(task),
        parameters_(trainee_.model->parameters()),
        buffers_(trainee_.model->buffers(), tensor_group().get()) {
    if (num_replicas() == 1) return;
    std::vector<std::size_t> order(parameters_.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    buckets_.emplace(parameters_, order, *tensor_group(), no_squares_);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      namespace autograd = torch::autograd;
      accumulators_.push_back(autograd::impl::grad_accumulator(parameters_[i]));
      accumulators_.back()->add_post_hook(std::make_unique<autograd::utils::LambdaPostHook>(
          [this, i](const autograd::variable_list& outputs, const autograd::variable_list&) {
            buckets_->mark_present(i);
            buckets_->place(i).copy_(parameters_[i].grad());
            buckets_->complete(i);
            return outputs;
          }));
    }
  }

  void step(const Task& task) {
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
    trainee_.loss(task).backward();
    if (reads_pairs) read_pairs();
    if (buckets_) {
      buckets_->launch_rest();
      buffers_.start();
      buckets_->finish();
      for (std::size_t i = 0; i < parameters_.size(); ++i)
        parameters_[i].mutable_grad() = buckets_->place(i).div_(num_replicas());
    }
    trainee_.optimizer.step();
    buffers_.finish();
  }

  bool reads_pairs = false;

 private:
  void read_pairs() {
    previous_.resize(parameters_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      PairSquares squares;
      const at::Tensor& gradient = parameters_[i].grad();
      if (previous_[i].defined()) add_pair(gradient, previous_[i], squares, {});
      previous_[i] = gradient;
    }
  }

  Trainee trainee_;
  std::vector<at::Tensor> parameters_, previous_;
  BufferSync buffers_;
  const std::vector<SquareSum> no_squares_;
  std::optional<Buckets> buckets_;
  std::vector<decltype(torch::autograd::impl::grad_accumulator(std::declval<const at::Tensor&>()))>
      accumulators_;
};

template <class Loop>
double step_ratio(const Task& task, Plain& plain, Loop& loop) {
  std::vector<double> plain_times, loop_times;
  for (int turn = -1; turn < task.turns; ++turn) {
    const int steps = turn < 0 ? task.warm_up : task.steps;
    const auto plain_turn = bench::step_times(plain, task, steps);
    const auto loop_turn = bench::step_times(loop, task, steps);
    if (turn < 0) continue;
    plain_times.insert(plain_times.end(), plain_turn.begin(), plain_turn.end());
    loop_times.insert(loop_times.end(), loop_turn.begin(), loop_turn.end());
  }
  return bench::median(loop_times) / bench::median(plain_times);
}

double step_ratio(const std::string& what) {
  const bool limit = what == "mlp.limit";
  const Task task = bench::task_of(limit ? "mlp" : what);
  Plain plain(task);
  if (limit) {
    Plain reading(task);
    reading.reads_pairs = true;
    return step_ratio(task, plain, reading);
  }
  Adaptive adaptive(task);
  return step_ratio(task, plain, adaptive);
}

double small_all_reduce() {
  const auto batch = [](int calls) {
    return bench::seconds(calls, [] { bench::keep(collective::sum("bench", 1.0)); });
  };
  batch(100);
  return batch(2000) * 1e6;
}

double small_all_reduce_over_gloo() {
  const at::Tensor one = at::ones({1}, at::kDouble);
  const auto gloo = [&] { return bench::seconds(500, [&] { tensor_group()->all_reduce(one).wait(); }); };
  gloo();
  return small_all_reduce() / 1e6 / gloo();
}

int run_replica(const std::string& what) {
  init_process_group();
  double value = 0;
  if (what == "allreduce.small")
    value = small_all_reduce();
  else if (what == "allreduce.small.over_gloo")
    value = small_all_reduce_over_gloo();
  else
    value = step_ratio(what);
  if (replica_rank() == 0) std::cout << value << std::endl;
  leave(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--replica") return run_replica(argv[2]);
  std::vector<bench::Measure> measures = {
      {"step.mlp.k1", "ratio", 1.06, [] { return measure("mlp", 1); }},
      {"step.mlp.k1.limit", "ratio", {}, [] { return measure("mlp.limit", 1); }},
      {"step.mlp.k2", "ratio", 1.05, [] { return measure("mlp", 2); }},
      {"step.resnet18.k1", "ratio", 1.02, [] { return measure("resnet18", 1); }},
      {"step.resnet18.k2", "ratio", 1.02, [] { return measure("resnet18", 2); }},
      {"allreduce.small", "us", 50, [] { return measure("allreduce.small", 2); }},
      {"allreduce.small.over_gloo", "ratio", {}, [] { return measure("allreduce.small.over_gloo", 2); }}};
  if (torch::cuda::is_available() || std::getenv("BATCHSCOPE_REHEARSE"))
    for (const char* model : {"resnet18.fp32", "resnet18.bf16", "transformer.fp32", "transformer.bf16"}) {
      const std::string task = std::string("gpu.") + model;
      measures.push_back({"step." + task, "ratio", 1.02, [task] { return measure(task, 1); }});
    }
  return bench::run(argc, argv, measures, 5);
}
