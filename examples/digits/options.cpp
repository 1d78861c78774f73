// SPDX-License-Identifier: Apache-2.0
#include "options.h"

namespace batchscope::digits {

Options::Options(CLI::App& app) {
  app.add_option("--epochs", epochs, "Passes over the training images")->check(CLI::Range(1, 10'000));
  app.add_option("--lr", lr, "Learning rate at the start")->check(CLI::Range(1e-6, 10.0));
  app.add_option("--momentum", momentum, "Momentum of SGD")->check(CLI::Range(0.0, 0.999));
  app.add_option("--seed", seed, "Seed of the drawn images and the initial weights");
  app.add_option("--data", data, "Folder with MNIST's IDX files, instead of drawn images");
  app.add_option("--train-images", train_images, "Use only this many training images; 0: all");
  examples::add_scaling_options(app, scaling);
}

}  // namespace batchscope::digits
