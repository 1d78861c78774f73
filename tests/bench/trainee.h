// SPDX-License-Identifier: Apache-2.0
//
// A model of models.h with its data and its optimizer, and the loop that adapts: everything on. Where "gpu."
// is in front of the model's name it is as large as a GPU is worth, and on the replica's own; to see without
// one that it works, it is small and on the CPU.
#pragma once

#include <ATen/ATen.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "adapt/timer.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/autocast.h"
#include "batchscope/train/process_group.h"
#include "models.h"

namespace batchscope::bench {

using namespace replica;

struct Task {
  std::string model;
  at::Tensor images, labels;
  int warm_up = 0, turns = 0, steps = 0;  // per turn
  bool bf16 = false;                      // the forward pass
};

// Returns a task for a GPU, or a small one.
inline Task gpu_task(const std::string& model, std::int64_t batch_size, bool bf16) {
  const c10::Device device = replica_device();
  const at::Tensor data = model == "transformer"
                              ? at::randn({Transformer::kTokens, batch_size, Transformer::kWidth})
                              : at::randn({batch_size, 3, 32, 32});
  Task task{model, data.to(device), at::randint(10, {batch_size}, at::kLong).to(device), 1, 1, 2, bf16};
  if (device.is_cuda()) task.warm_up = 30, task.turns = 10, task.steps = 20;
  return task;
}

inline Task task_of(const std::string& model) {
  if (model.starts_with("gpu.")) {
    const bool bf16 = model.ends_with(".bf16");
    return gpu_task(model.substr(4, model.rfind('.') - 4), replica_device().is_cuda() ? 128 : 2, bf16);
  }
  if (model == "mlp") return {model, at::randn({64, 784}), at::randint(10, {64}, at::kLong), 50, 15, 20};
  return {model, at::randn({8, 3, 32, 32}), at::randint(10, {8}, at::kLong), 4, 4, 4};
}

inline std::unique_ptr<Classifier> make_model(const std::string& name) {
  at::manual_seed(0);
  if (name == "mlp") return std::make_unique<Mlp>();
  if (name == "transformer") return std::make_unique<Transformer>();
  return std::make_unique<ResNet18>();
}

struct Trainee {
  explicit Trainee(const Task& task)
      : model(make_model(task.model)),
        optimizer(on(task.images.device()), torch::optim::SGDOptions(0.01).momentum(0.9)) {}
  at::Tensor loss(const Task& task) {
    const Autocast autocast(task.images.device(), at::kBFloat16, task.bf16);
    return at::cross_entropy_loss(model->forward(task.images).to(at::kFloat), task.labels);
  }
  std::vector<at::Tensor> on(c10::Device device) {
    model->to(device);
    return model->parameters();
  }
  std::unique_ptr<Classifier> model;
  torch::optim::SGD optimizer;
};

class Adaptive {
 public:
  explicit Adaptive(const Task& task) : trainee_(task), adp_(*trainee_.model, trainee_.optimizer) {
    StepContext& context = step_context();
    context.local_batch_size = task.images.size(0);
    context.initial_batch_size = context.samples = context.local_batch_size * num_replicas();
  }

  void step(const Task& task) {
    metrics::begin_micro_step();  // the loader's part
    adp_.zero_grad();
    trainee_.loss(task).backward();
    adp_.step();
  }

 private:
  Trainee trainee_;
  AdaptiveDataParallel adp_;
};

// Seconds that each of so many steps takes of what computes; asked for at the end, so that nothing is
// stalled.
template <class Loop>
std::vector<double> step_times(Loop& loop, const Task& task, int steps) {
  std::vector<Timer::Interval> intervals;
  for (int i = 0; i < steps; ++i) {
    const Timer::Moment from = timer().now();
    loop.step(task);
    intervals.push_back({from, timer().now()});
  }
  std::vector<double> seconds;
  for (const Timer::Interval& interval : intervals) seconds.push_back(timer().seconds(interval));
  return seconds;
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace batchscope::bench
