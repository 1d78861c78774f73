// SPDX-License-Identifier: Apache-2.0
//
// Two networks that train each other (Radford et al. 2016): a generator draws digits, a discriminator tells
// them from real ones. Each has its own optimizer and AdaptiveDataParallel, with its own noise scale and
// gain; both share the loader's batch size. While the generator learns, the discriminator's parameters are
// frozen: its gradients are not needed, and must not be averaged.
#include <torch/optim/adam.h>

#include <cstdlib>
#include <fstream>

#include "batchscope/train.h"
#include "digit_data.h"
#include "networks.h"
#include "program.h"
#include "scaling.h"
#include "tensors.h"

namespace batchscope::examples {
namespace {

struct Options {
  int epochs = 10;
  double lr = 2e-4;
  std::int64_t noise = 64, width = 32;
  std::uint64_t seed = 0;
  std::uint32_t train_images = 0;
  std::string data;
  ScalingOptions scaling{.batch_size = 64, .max_batch_size = 1024};
};

// Writes 8 x 8 pictures as one, into the run's shared folder, or here: PGM, which most viewers show.
void write_samples(torch::nn::Sequential& generator, const at::Tensor& noise, int epoch) {
  const at::NoGradGuard no_grad;
  const at::Tensor drawn =
      generator->forward(noise).view({8, 8, 28, 28}).permute({0, 2, 1, 3}).reshape({224, 224});
  const at::Tensor bytes = ((drawn + 1) * 127.5).to(at::kCPU, at::kByte).contiguous();
  const char* shared = std::getenv("ADAPTDL_SHARE_PATH");
  const std::string name = "samples-" + std::to_string(epoch) + ".pgm";
  std::ofstream out(shared && *shared ? std::string(shared) + "/" + name : name, std::ios::binary);
  out << "P5 224 224 255\n";
  out.write(static_cast<const char*>(bytes.data_ptr()), bytes.numel());
}

void train(const Options& options, const std::map<std::string, std::string>& hyperparameters) {
  auto data = options.data.empty() ? digits::drawn_digits(options.seed) : digits::load_digits(options.data);
  if (options.train_images > 0) digits::keep_first(data.train, options.train_images);
  init_process_group();
  record_hyperparameters(hyperparameters);
  at::manual_seed(options.seed);
  const auto [images, labels] = digits::to_tensors(std::move(data.train));
  const TensorDataset dataset(images, labels);
  AdaptiveDataLoader loader(dataset, {.batch_size = options.scaling.batch_size, .shuffle = true});

  const auto device = replica_device();
  auto generator = make_generator(options.noise, options.width),
       discriminator = make_discriminator(options.width);
  generator->to(device), discriminator->to(device);
  const auto adam = torch::optim::AdamOptions(options.lr).betas({0.5, 0.999});
  torch::optim::Adam optimizer_g(generator->parameters(), adam),
      optimizer_d(discriminator->parameters(), adam);
  Scaling scaling_d(options.scaling, dataset.size(), options.epochs, optimizer_d);
  Scaling scaling_g(options.scaling, dataset.size(), options.epochs, optimizer_g);
  scaling_g.apply(loader);
  auto parallel = scaling_d.parallel();
  parallel.name = "discriminator";
  AdaptiveDataParallel adp_d(*discriminator, optimizer_d, scaling_d.schedule(), parallel);
  AdaptiveDataParallel adp_g(*generator, optimizer_g, scaling_g.schedule(), scaling_g.parallel());
  const at::Tensor shown = at::randn({64, options.noise, 1, 1}, at::device(device));

  for (const int epoch : remaining_epochs_until(options.epochs)) {
    double loss_d = 0, loss_g = 0;
    for (auto& batch : loader) {
      const at::Tensor real = batch.data.to(device).unsqueeze(1).to(at::kFloat) / 127.5 - 1;
      const at::Tensor noise = at::randn({real.size(0), options.noise, 1, 1}, at::device(device));

      adp_d.zero_grad();
      const at::Tensor drawn = generator->forward(noise);
      const at::Tensor told = loss_against(discriminator->forward(real), 1) +
                              loss_against(discriminator->forward(drawn.detach()), 0);
      told.backward();
      record("loss", loss_d = told.item<double>());
      adp_d.step();
      scaling_d.step(adp_d);

      adp_g.zero_grad();
      freeze(discriminator, true);
      const at::Tensor deceived = loss_against(discriminator->forward(drawn), 1);
      deceived.backward();
      freeze(discriminator, false);
      record("generator_loss", loss_g = deceived.item<double>());
      record("discriminator_gain", adp_d.gain());
      adp_g.step();  // made and stepped last: its gain is the run's
      scaling_g.step(adp_g);
    }
    if (replica_rank() != 0) continue;
    write_samples(generator, shown, epoch + 1);
    print_line("epoch %2d of %d   discriminator %.3f   generator %.3f   %s", epoch + 1, options.epochs,
               loss_d, loss_g, batch_text(loader.current_batch_size()).c_str());
  }
}

}  // namespace
}  // namespace batchscope::examples

int main(int argc, char** argv) {
  using namespace batchscope::examples;
  Program program("dcgan", "Trains a network that draws digits, and one that tells them from real ones.",
                  R"(  dcgan                                      samples-1.pgm and so on show what it draws
  batchscope run --replicas 2 dcgan          batchscope cp latest:share . fetches them
  dcgan --data ~/mnist --epochs 30)");
  Options options;
  CLI::App& app = program.options();
  app.add_option("--epochs", options.epochs, "Passes over the images")->check(CLI::Range(1, 10'000));
  app.add_option("--lr", options.lr, "Learning rate of both networks")->check(CLI::Range(1e-7, 1.0));
  app.add_option("--noise", options.noise, "Numbers that a drawing is made from")->check(CLI::Range(1, 4096));
  app.add_option("--width", options.width, "Channels of the layers with the largest pictures")
      ->check(CLI::Range(1, 512));
  app.add_option("--seed", options.seed, "Seed of the drawn images and the initial weights");
  app.add_option("--data", options.data, "Folder with MNIST's IDX files, instead of drawn images");
  app.add_option("--train-images", options.train_images, "Use only this many training images; 0: all");
  add_scaling_options(app, options.scaling);
  return program.run(argc, argv, [&] { train(options, program.hyperparameters()); });
}
