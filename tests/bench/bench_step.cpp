// SPDX-License-Identifier: Apache-2.0
//
// What a step costs over a plain LibTorch loop, and what a small all-reduce costs. The program starts itself
// as the replicas of each measure. Both loops run in the same processes, in short turns, on the same data;
// the value is the ratio of their median step times. The plain loop clears gradients by dropping them; with
// several replicas it averages them in the same buckets, started from hooks and overlapped with backward, as
// we do, and broadcasts BatchNorm's buffers; it knows no statistics, profile or telemetry.
#include <ATen/ATen.h>
#include <fcntl.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/optim/sgd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/collective.h"
#include "batchscope/train/process_group.h"
#include "bench.h"
#include "buckets.h"
#include "buffer_sync.h"
#include "metrics.h"
#include "models.h"
#include "process.h"
#include "socket.h"
#include "step_context.h"

using namespace batchscope;

namespace {

struct Task {
  std::string model;
  at::Tensor images, labels;
  int warm_up = 0, turns = 0, steps = 0;  // per turn
};

Task task_of(const std::string& model) {
  if (model == "mlp") return {model, at::randn({64, 784}), at::randint(10, {64}, at::kLong), 50, 15, 20};
  return {model, at::randn({8, 3, 32, 32}), at::randint(10, {8}, at::kLong), 2, 3, 2};
}

std::unique_ptr<bench::Classifier> make_model(const std::string& name) {
  at::manual_seed(0);
  if (name == "mlp") return std::make_unique<bench::Mlp>();
  return std::make_unique<bench::ResNet18>();
}

struct Trainee {
  explicit Trainee(const Task& task)
      : model(make_model(task.model)),
        optimizer(model->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9)) {}
  at::Tensor loss(const Task& task) {
    return at::cross_entropy_loss(model->forward(task.images), task.labels);
  }
  std::unique_ptr<bench::Classifier> model;
  torch::optim::SGD optimizer;
};

class Plain {
 public:
  explicit Plain(const Task& task)
      : trainee_(task),
        parameters_(trainee_.model->parameters()),
        buffers_(trainee_.model->buffers(), process().group.get()) {
    if (num_replicas() == 1) return;
    Buckets::Layout layout;
    layout.order.resize(parameters_.size());
    std::iota(layout.order.rbegin(), layout.order.rend(), std::size_t{0});
    buckets_.emplace(parameters_, layout, *process().group, [](const at::Tensor&) {});
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      namespace autograd = torch::autograd;
      accumulators_.push_back(autograd::impl::grad_accumulator(parameters_[i]));
      accumulators_.back()->add_post_hook(std::make_unique<autograd::utils::LambdaPostHook>(
          [this, i](const autograd::variable_list& outputs, const autograd::variable_list&) {
            buckets_->place(i).copy_(parameters_[i].grad());
            buckets_->complete(i);
            return outputs;
          }));
    }
  }

  void step(const Task& task) {
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
    trainee_.loss(task).backward();
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

 private:
  Trainee trainee_;
  std::vector<at::Tensor> parameters_;
  BufferSync buffers_;
  std::optional<Buckets> buckets_;
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators_;
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

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double step_ratio(const std::string& model) {
  const Task task = task_of(model);
  Plain plain(task);
  Adaptive adaptive(task);
  std::vector<double> plain_times, adaptive_times;
  for (int turn = -1; turn < task.turns; ++turn) {
    const int steps = turn < 0 ? task.warm_up : task.steps;
    for (int i = 0; i < steps; ++i) plain_times.push_back(bench::seconds(1, [&] { plain.step(task); }));
    for (int i = 0; i < steps; ++i) adaptive_times.push_back(bench::seconds(1, [&] { adaptive.step(task); }));
    if (turn < 0) plain_times.clear(), adaptive_times.clear();
  }
  return median(adaptive_times) / median(plain_times);
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
  const auto gloo = [&] { return bench::seconds(500, [&] { process().group->all_reduce(one).wait(); }); };
  gloo();
  return small_all_reduce() / 1e6 / gloo();
}

int replica(const std::string& what) {
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

// Reads what replicas send and forgets it.
void listen(Listener& supervisor, int replicas) {
  using std::chrono::steady_clock;
  std::vector<std::jthread> readers;
  for (int i = 0; i < replicas; ++i) {
    Socket line = supervisor.accept(steady_clock::now() + std::chrono::seconds(20));
    if (!line.open()) return;
    readers.emplace_back([line = std::move(line)]() mutable {
      std::vector<char> bytes(1 << 16);
      while (line.receive(bytes.data(), bytes.size(), steady_clock::now() + std::chrono::milliseconds(200)) !=
             Transfer::closed) {
      }
    });
  }
}

// Starts the replicas and returns what rank 0 prints.
double measure(const std::string& what, int replicas) {
  char directory[] = "/tmp/batchscope-bench-XXXXXX";
  if (!::mkdtemp(directory)) throw std::runtime_error("cannot make a directory in /tmp");
  Listener supervisor;
  std::jthread reader([&] { listen(supervisor, replicas); });
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::string command;
  for (int rank = replicas - 1; rank >= 0; --rank)
    command += std::string("BATCHSCOPE_THREADS=1 ADAPTDL_NUM_REPLICAS=") + std::to_string(replicas) +
               " ADAPTDL_REPLICA_RANK=" + std::to_string(rank) + " BATCHSCOPE_RENDEZVOUS_DIR=" + directory +
               " ADAPTDL_CHECKPOINT_PATH=" + directory +
               "/checkpoints BATCHSCOPE_TELEMETRY_SOCKET=" + supervisor.address().substr(5) + " '" + program +
               "' --replica " + what + (rank > 0 ? " & " : "; wait");
  std::FILE* pipe = ::popen(command.c_str(), "r");
  double value = std::nan("");
  if (!pipe || std::fscanf(pipe, "%lf", &value) != 1)
    throw std::runtime_error(what + ": the replicas said nothing");
  ::pclose(pipe);
  std::filesystem::remove_all(directory);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--replica") return replica(argv[2]);
  return bench::run(
      argc, argv,
      {{"step.mlp.k1", "ratio", 1.05, [] { return measure("mlp", 1); }},
       {"step.mlp.k2", "ratio", 1.05, [] { return measure("mlp", 2); }},
       {"step.resnet18.k1", "ratio", 1.02, [] { return measure("resnet18", 1); }},
       {"step.resnet18.k2", "ratio", 1.02, [] { return measure("resnet18", 2); }},
       {"allreduce.small", "us", 50, [] { return measure("allreduce.small", 2); }},
       {"allreduce.small.over_gloo", "ratio", {}, [] { return measure("allreduce.small.over_gloo", 2); }}},
      5);
}
