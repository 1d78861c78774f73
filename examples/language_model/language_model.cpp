// SPDX-License-Identifier: Apache-2.0
//
// A language model of any text, on AdaptiveBPTTIterator: an LSTM that carries its hidden state along the text
// and is trained with SGD and AdaScale, or a small Transformer that is trained with Adam and AdamScale. The
// metric is the perplexity, e to the mean loss of a word: the number of equally likely words between which
// the model chooses.
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <cmath>

#include "batchscope/train.h"
#include "corpus.h"
#include "grammar.h"
#include "models.h"
#include "program.h"
#include "scaling.h"

namespace batchscope::examples {
namespace {

struct Options {
  int epochs = 6;
  double lr = 0;  // 0: as the model wants it
  double momentum = 0.9;
  std::int64_t length = 16;
  std::size_t words = 60'000, vocabulary = 10'000;
  std::uint64_t seed = 0;
  std::string data;
  ModelOptions model;
  ScalingOptions scaling{.batch_size = 8, .max_batch_size = 256};
};

at::Tensor loss_of(const at::Tensor& scores, const TextBatch& batch, at::Reduction::Reduction reduction) {
  return at::cross_entropy_loss(scores.flatten(0, 1), batch.target.flatten(), {}, reduction);
}

double perplexity(LanguageModel& model, AdaptiveBPTTIterator& text, Accumulator<>& sums) {
  const at::NoGradGuard no_grad;
  model.eval();
  model.forget();
  for (auto& batch : text) {
    sums["loss"] +=
        loss_of(model.forward(batch.data, batch.continues), batch, at::Reduction::Sum).item<double>();
    sums["words"] += batch.target.ge(0).sum().item<double>();
  }
  model.forget();
  auto total = sums.synchronized();
  sums.clear();
  return std::exp(total["loss"] / total["words"]);
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(LanguageModel& model, const Options& options) {
  const bool lstm = options.model.kind == "lstm";
  const double lr = options.lr > 0 ? options.lr : lstm ? 0.5 : 1e-3;
  if (!lstm) return std::make_unique<torch::optim::Adam>(model.parameters(), torch::optim::AdamOptions(lr));
  return std::make_unique<torch::optim::SGD>(model.parameters(),
                                             torch::optim::SGDOptions(lr).momentum(options.momentum));
}

void train(const Options& options, const std::map<std::string, std::string>& hyperparameters) {
  const Corpus corpus = options.data.empty() ? make_corpus(written_text(options.seed, options.words),
                                                           options.vocabulary, "grammar")
                                             : read_corpus(options.data, options.vocabulary);
  init_process_group();
  record_hyperparameters(hyperparameters);
  at::manual_seed(options.seed);
  const auto device = replica_device();
  AdaptiveBPTTIterator text(at::tensor(corpus.train).to(device),
                            {.batch_size = options.scaling.batch_size, .bptt_len = options.length});
  AdaptiveBPTTIterator validation(at::tensor(corpus.validation).to(device),
                                  {.batch_size = 16, .bptt_len = options.length, .training = false});

  const auto model = make_model(std::ssize(corpus.vocabulary), options.length, options.model);
  model->to(device);
  const auto optimizer = make_optimizer(*model, options);
  const auto windows = (std::ssize(corpus.train) + options.length - 2) / options.length;
  Scaling scaling(options.scaling, windows, options.epochs, *optimizer);
  scaling.apply(text);
  AdaptiveDataParallel adp(*model, *optimizer, scaling.schedule(), scaling.parallel());
  Accumulator sums;

  for (const int epoch : remaining_epochs_until(options.epochs)) {
    model->train();
    for (auto& batch : text) {
      adp.zero_grad();
      const auto loss = loss_of(model->forward(batch.data, batch.continues), batch, at::Reduction::Mean);
      loss.backward();
      torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
      record("loss", loss.item<double>());
      adp.step();
      scaling.step(adp);
    }
    const double reached = perplexity(*model, validation, sums);
    record("perplexity", reached);
    print_line("epoch %2d of %d   perplexity %8.2f of %zu words   %s", epoch + 1, options.epochs, reached,
               corpus.vocabulary.size(), batch_text(text.current_batch_size()).c_str());
  }
}

}  // namespace
}  // namespace batchscope::examples

int main(int argc, char** argv) {
  using namespace batchscope::examples;
  Program program("language_model",
                  "Trains an LSTM or a small Transformer to predict the next word of a text.",
                  R"(  language_model                             an LSTM, on a text of a small grammar
  language_model --model transformer
  language_model --data shakespeare.txt      any text file
  batchscope run --replicas 2 language_model)");
  Options options;
  CLI::App& app = program.options();
  app.add_option("--model", options.model.kind, "Kind of network")
      ->check(CLI::IsMember({"lstm", "transformer"}));
  app.add_option("--size", options.model.size, "Size of the embeddings and the hidden state")
      ->check(CLI::Range(4, 4096));
  app.add_option("--layers", options.model.layers, "Layers of the network")->check(CLI::Range(1, 48));
  app.add_option("--length", options.length, "Words of a window")->check(CLI::Range(2, 4096));
  app.add_option("--epochs", options.epochs, "Passes over the text")->check(CLI::Range(1, 10'000));
  app.add_option("--lr", options.lr,
                 "Learning rate at the start; 0: 0.5 for the LSTM, 0.001 for the Transformer")
      ->check(CLI::Range(0.0, 100.0));
  app.add_option("--momentum", options.momentum, "Momentum of SGD")->check(CLI::Range(0.0, 0.999));
  app.add_option("--seed", options.seed, "Seed of the generated text and the initial weights");
  app.add_option("--words", options.words, "Words of the text to generate")
      ->check(CLI::Range(100, 100'000'000));
  app.add_option("--vocabulary", options.vocabulary, "Words with a number of their own; the others share one")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--data", options.data, "A text file, instead of a generated text");
  add_scaling_options(app, options.scaling);
  return program.run(argc, argv, [&] { train(options, program.hyperparameters()); });
}
