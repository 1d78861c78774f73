// SPDX-License-Identifier: Apache-2.0
//
// A model of models.h with its data and its optimizer, and the loop that adapts: everything on.
#pragma once

#include <ATen/ATen.h>
#include <torch/optim/sgd.h>

#include <memory>
#include <string>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/process_group.h"
#include "models.h"

namespace batchscope::bench {

using namespace replica;

struct Task {
  std::string model;
  at::Tensor images, labels;
  int warm_up = 0, turns = 0, steps = 0;  // per turn
};

inline Task task_of(const std::string& model) {
  if (model == "mlp") return {model, at::randn({64, 784}), at::randint(10, {64}, at::kLong), 50, 15, 20};
  return {model, at::randn({8, 3, 32, 32}), at::randint(10, {8}, at::kLong), 4, 4, 4};
}

inline std::unique_ptr<Classifier> make_model(const std::string& name) {
  at::manual_seed(0);
  if (name == "mlp") return std::make_unique<Mlp>();
  return std::make_unique<ResNet18>();
}

struct Trainee {
  explicit Trainee(const Task& task)
      : model(make_model(task.model)),
        optimizer(model->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9)) {}
  at::Tensor loss(const Task& task) {
    return at::cross_entropy_loss(model->forward(task.images), task.labels);
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

}  // namespace batchscope::bench
