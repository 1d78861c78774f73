// SPDX-License-Identifier: Apache-2.0
//
// Two language models with one interface: from the words of a window to scores for the word after each.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/modules/transformercoder.h>
#include <torch/nn/modules/transformerlayer.h>

#include <limits>
#include <memory>
#include <string>
#include <tuple>

namespace batchscope::examples {

struct ModelOptions {
  std::string kind = "lstm";  // or "transformer"
  std::int64_t size = 64;     // of the embeddings and the hidden state
  std::int64_t layers = 1;
};

class LanguageModel : public torch::nn::Module {
 public:
  // Words [length, columns] to scores [length, columns, vocabulary]. `continues` [columns] says which columns
  // go on from the window before.
  virtual at::Tensor forward(const at::Tensor& words, const at::Tensor& continues) = 0;
  // Makes the next window begin without a state.
  virtual void forget() {}
};

// Carries its hidden state from window to window, for back-propagation through time.
class Lstm final : public LanguageModel {
 public:
  Lstm(std::int64_t vocabulary, const ModelOptions& options)
      : embedding_(vocabulary, options.size),
        lstm_(torch::nn::LSTMOptions(options.size, options.size).num_layers(options.layers)),
        output_(options.size, vocabulary) {
    register_module("embedding", embedding_);
    register_module("lstm", lstm_);
    register_module("output", output_);
  }

  at::Tensor forward(const at::Tensor& words, const at::Tensor& continues) override {
    const auto columns = words.size(1), layers = lstm_->options.num_layers(),
               size = lstm_->options.hidden_size();
    const auto kept = [&](const at::Tensor& state) {
      if (!state.defined() || state.size(1) < columns)
        return at::zeros({layers, columns, size}, output_->weight.options().requires_grad(false));
      return state.narrow(1, 0, columns).detach() * continues.view({1, columns, 1});
    };
    auto [out, state] = lstm_->forward(embedding_(words), std::tuple(kept(hidden_), kept(cell_)));
    std::tie(hidden_, cell_) = state;
    return output_(out);
  }
  void forget() override { hidden_ = cell_ = at::Tensor(); }

 private:
  torch::nn::Embedding embedding_;
  torch::nn::LSTM lstm_;
  torch::nn::Linear output_;
  at::Tensor hidden_, cell_;  // [layers, columns, size]
};

// Sees only its window, and in it only the words before each word.
class Transformer final : public LanguageModel {
 public:
  Transformer(std::int64_t vocabulary, std::int64_t length, const ModelOptions& options)
      : embedding_(vocabulary, options.size),
        positions_(length, options.size),
        encoder_(torch::nn::TransformerEncoderLayer(torch::nn::TransformerEncoderLayerOptions(options.size, 4)
                                                        .dim_feedforward(4 * options.size)
                                                        .dropout(0.0)),
                 options.layers),
        output_(options.size, vocabulary) {
    register_module("embedding", embedding_);
    register_module("positions", positions_);
    register_module("encoder", encoder_);
    register_module("output", output_);
  }

  at::Tensor forward(const at::Tensor& words, const at::Tensor&) override {
    const auto length = words.size(0);
    const at::Tensor places = at::arange(length, words.options()).unsqueeze(1);
    const at::Tensor after = at::ones({length, length}, words.options().dtype(at::kBool)).triu(1);
    const at::Tensor mask = at::zeros({length, length}, output_->weight.options().requires_grad(false))
                                .masked_fill(after, -std::numeric_limits<float>::infinity());
    return output_(encoder_(embedding_(words) + positions_(places), mask));
  }

 private:
  torch::nn::Embedding embedding_, positions_;
  torch::nn::TransformerEncoder encoder_;
  torch::nn::Linear output_;
};

inline std::unique_ptr<LanguageModel> make_model(std::int64_t vocabulary, std::int64_t length,
                                                 const ModelOptions& options) {
  if (options.kind == "lstm") return std::make_unique<Lstm>(vocabulary, options);
  return std::make_unique<Transformer>(vocabulary, length, options);
}

}  // namespace batchscope::examples
