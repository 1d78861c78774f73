// SPDX-License-Identifier: Apache-2.0
//
// A network written in Python, trained from C++: AdaptiveDataParallel takes a TorchScript module as it takes
// a torch::nn::Module. It takes any file of torch.jit.script or torch.jit.trace that maps images [n, 1, 28,
// 28] to scores [n, 10]. Without one, it compiles a small network from the TorchScript text below. It writes
// the trained module as TorchScript again, for torch.jit.load in Python.
#include <torch/optim/sgd.h>
#include <torch/script.h>

#include <cmath>
#include <sstream>

#include "batchscope/train.h"
#include "digit_data.h"
#include "program.h"
#include "scaling.h"
#include "tensors.h"

namespace batchscope::examples {
namespace {

struct Options {
  int epochs = 5;
  double lr = 0.01, momentum = 0.9;
  std::uint64_t seed = 0;
  std::uint32_t train_images = 0;
  std::string data, model, save;
  ScalingOptions scaling{.batch_size = 32, .max_batch_size = 1024};
};

constexpr char kForward[] = R"(
def forward(self, x):
    x = torch.relu(torch.conv2d(x, self.conv1, None, [2, 2], [2, 2]))
    x = torch.relu(torch.conv2d(x, self.conv2, None, [2, 2], [2, 2]))
    return torch.matmul(x.flatten(1), self.output)
)";

// Returns the module that torch.jit.script makes of such a class in Python.
torch::jit::Module compiled() {
  torch::jit::Module module("Small");
  const auto weight = [&](const char* name, at::IntArrayRef sizes, std::int64_t inputs) {
    const at::Tensor drawn = at::randn(sizes) / std::sqrt(static_cast<double>(inputs));
    module.register_parameter(name, drawn.requires_grad_(), /*is_buffer=*/false);
  };
  weight("conv1", {16, 1, 5, 5}, 25);
  weight("conv2", {32, 16, 5, 5}, 16 * 25);
  weight("output", {32 * 7 * 7, 10}, 32 * 7 * 7);
  module.define(kForward);
  return module;
}

torch::jit::Module load(const std::string& file, c10::Device device) try {
  if (!file.empty()) return torch::jit::load(file, device);
  std::stringstream saved;  // saved and loaded, as a file would be
  compiled().save(saved);
  return torch::jit::load(saved, device);
} catch (const c10::Error& error) {
  throw Error(ErrorKind::not_found,
              file + ": cannot be loaded as TorchScript; write it with torch.jit.script(model).save(): " +
                  error.what_without_backtrace());
}

at::Tensor scores(torch::jit::Module& module, const at::Tensor& images) {
  const at::Tensor input = images.to(replica_device()).unsqueeze(1).to(at::kFloat).sub(37).div(63);
  return module.forward({input}).toTensor();
}

double accuracy(torch::jit::Module& module, AdaptiveDataLoader& loader, Accumulator<>& sums) {
  const at::NoGradGuard no_grad;
  module.eval();
  for (auto& batch : loader) {
    const at::Tensor right = scores(module, batch.data).argmax(1).eq(batch.target.to(replica_device()));
    sums["correct"] += right.sum().item<double>();
    sums["count"] += static_cast<double>(batch.size());
  }
  auto total = sums.synchronized();
  sums.clear();
  return total["correct"] / total["count"];
}

TensorDataset to_dataset(digits::LabelledImages set) {
  const auto [images, labels] = digits::to_tensors(std::move(set));
  return {images, labels};
}

void train(const Options& options, const std::map<std::string, std::string>& hyperparameters) {
  auto data = options.data.empty() ? digits::drawn_digits(options.seed) : digits::load_digits(options.data);
  if (options.train_images > 0) digits::keep_first(data.train, options.train_images);
  init_process_group();
  record_hyperparameters(hyperparameters);
  at::manual_seed(options.seed);
  const auto training = to_dataset(std::move(data.train)), test = to_dataset(std::move(data.test));
  AdaptiveDataLoader loader(training, {.batch_size = options.scaling.batch_size, .shuffle = true});
  AdaptiveDataLoader test_loader(test, {.batch_size = 500, .training = false});

  torch::jit::Module module = load(options.model, replica_device());
  std::vector<at::Tensor> parameters;
  for (const at::Tensor& parameter : module.parameters()) parameters.push_back(parameter);
  torch::optim::SGD optimizer(parameters, torch::optim::SGDOptions(options.lr).momentum(options.momentum));
  Scaling scaling(options.scaling, training.size(), options.epochs, optimizer);
  scaling.apply(loader);
  AdaptiveDataParallel adp(module, optimizer, scaling.schedule(), scaling.parallel());
  Accumulator sums;

  for (const int epoch : remaining_epochs_until(options.epochs)) {
    module.train();
    for (auto& batch : loader) {
      adp.zero_grad();
      const at::Tensor loss =
          at::cross_entropy_loss(scores(module, batch.data), batch.target.to(replica_device()));
      loss.backward();
      record("loss", loss.item<double>());
      adp.step();
      scaling.step(adp);
    }
    const double reached = accuracy(module, test_loader, sums);
    record("accuracy", reached);
    print_line("epoch %2d of %d   accuracy %.4f   %s", epoch + 1, options.epochs, reached,
               batch_text(loader.current_batch_size()).c_str());
  }
  if (replica_rank() == 0 && !options.save.empty()) module.save(options.save);
}

}  // namespace
}  // namespace batchscope::examples

int main(int argc, char** argv) {
  using namespace batchscope::examples;
  Program program(
      "script_model", "Trains a TorchScript module, as Python exports it, on handwritten digits.",
      R"(  script_model                               a small network, compiled from TorchScript's text
  script_model --model model.pt --save trained.pt
  batchscope run --replicas 2 script_model)");
  Options options;
  CLI::App& app = program.options();
  app.add_option("--model", options.model, "TorchScript file: images [n, 1, 28, 28] to scores [n, 10]");
  app.add_option("--save", options.save, "Write the trained module to this file");
  app.add_option("--epochs", options.epochs, "Passes over the images")->check(CLI::Range(1, 10'000));
  app.add_option("--lr", options.lr, "Learning rate at the start")->check(CLI::Range(1e-6, 10.0));
  app.add_option("--momentum", options.momentum, "Momentum of SGD")->check(CLI::Range(0.0, 0.999));
  app.add_option("--seed", options.seed, "Seed of the drawn images and the initial weights");
  app.add_option("--data", options.data, "Folder with MNIST's IDX files, instead of drawn images");
  app.add_option("--train-images", options.train_images, "Use only this many training images; 0: all");
  add_scaling_options(app, options.scaling);
  return program.run(argc, argv, [&] { train(options, program.hyperparameters()); });
}
