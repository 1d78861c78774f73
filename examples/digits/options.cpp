// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <sstream>

#include "batchscope/protocol/error.h"

namespace batchscope::digits {
namespace {

constexpr char kExamples[] = R"(Examples:
  digits                                   alone; Ctrl-C checkpoints, the same command resumes
  batchscope run --replicas 2 digits       supervised, on two replicas, recorded and charted
  batchscope run digits -- --epochs 4      options of the program come after --
  digits --data ~/mnist                    MNIST's own images (train-images-idx3-ubyte[.gz] ...))";

// Without the zeros that std::to_string adds to fractions.
template <class Number>
std::string text(Number number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Trains a small convolutional network on handwritten digits, with a batch size that follows goodput.",
      "digits");
  app.footer(kExamples);
  app.get_formatter()->column_width(32);
  app.option_defaults()->always_capture_default();
  app.add_option("--epochs", options.epochs, "Passes over the training images")->check(CLI::Range(1, 10'000));
  app.add_option("--batch-size", options.batch_size,
                 "Initial batch size, over all replicas; the learning rate is for it")
      ->check(CLI::Range(1, 60'000));
  app.add_option("--max-batch-size", options.max_batch_size, "Largest batch size that goodput may choose")
      ->check(CLI::Range(1, 60'000));
  app.add_option("--lr", options.lr, "Learning rate at the start; falls to 0 along a cosine")
      ->check(CLI::Range(1e-6, 10.0));
  app.add_option("--momentum", options.momentum, "Momentum of SGD")->check(CLI::Range(0.0, 0.999));
  app.add_option("--seed", options.seed, "Of the drawn images and the initial weights");
  app.add_option("--data", options.data, "Folder with MNIST's IDX files, instead of drawn images");
  app.add_option("--train-images", options.train_images, "Use only this many training images; 0: all");
  app.add_flag("--no-autoscale", options.no_autoscale, "Keep the initial batch size");
  app.add_flag("--no-accumulation", options.no_accumulation,
               "Never split a batch into several micro-batches");
  try {
    app.parse(argc, argv);
    if (!options.no_autoscale && options.max_batch_size < options.batch_size)
      throw CLI::ValidationError("--max-batch-size",
                                 "must not be below --batch-size " + std::to_string(options.batch_size));
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? kExitOk : kExitUsage);
  }
  return options;
}

std::map<std::string, std::string> hyperparameters(const Options& options) {
  return {{"epochs", text(options.epochs)},
          {"batch_size", text(options.batch_size)},
          {"max_batch_size", text(options.no_autoscale ? options.batch_size : options.max_batch_size)},
          {"accumulation", options.no_autoscale || options.no_accumulation ? "off" : "allowed"},
          {"lr", text(options.lr)},
          {"momentum", text(options.momentum)},
          {"optimizer", "SGD"},
          {"schedule", "cosine"},
          {"seed", text(options.seed)},
          {"data", options.data.empty() ? "drawn" : options.data}};
}

}  // namespace batchscope::digits
