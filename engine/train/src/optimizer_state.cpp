// SPDX-License-Identifier: Apache-2.0
//
// Options are saved by their own serialize(); a parameter's state too, but to load one its type must be
// known.
#include "optimizer_state.h"

#include <ATen/ops/tensor.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>
#include <torch/serialize/archive.h>

#include <cstdint>

#include "batchscope/protocol/error.h"
#include "parameter_key.h"

namespace batchscope {
namespace {

namespace optim = torch::optim;

using ParamState = optim::OptimizerParamState;

// Each kind of state with its tensors, because LibTorch's own clone() of a state shares them.
std::vector<at::Tensor*> tensors(optim::SGDParamState& state) { return {&state.momentum_buffer()}; }
std::vector<at::Tensor*> tensors(optim::AdamParamState& state) {
  return {&state.exp_avg(), &state.exp_avg_sq(), &state.max_exp_avg_sq()};
}
std::vector<at::Tensor*> tensors(optim::AdamWParamState& state) {
  return {&state.exp_avg(), &state.exp_avg_sq(), &state.max_exp_avg_sq()};
}
std::vector<at::Tensor*> tensors(optim::RMSpropParamState& state) {
  return {&state.square_avg(), &state.momentum_buffer(), &state.grad_avg()};
}
std::vector<at::Tensor*> tensors(optim::AdagradParamState& state) { return {&state.sum()}; }

struct Kind {
  const char* name;
  std::unique_ptr<ParamState> (*make_state)();
  void (*own_tensors)(ParamState& state);  // makes copies of those it shares
};

template <class State>
Kind kind(const char* name) {
  return {name, []() -> std::unique_ptr<ParamState> { return std::make_unique<State>(); },
          [](ParamState& state) {
            for (at::Tensor* tensor : tensors(static_cast<State&>(state)))
              if (tensor->defined()) *tensor = tensor->detach().clone();
          }};
}

Kind kind_of(const optim::Optimizer& optimizer) {
  if (dynamic_cast<const optim::SGD*>(&optimizer)) return kind<optim::SGDParamState>("SGD");
  if (dynamic_cast<const optim::Adam*>(&optimizer)) return kind<optim::AdamParamState>("Adam");
  if (dynamic_cast<const optim::AdamW*>(&optimizer)) return kind<optim::AdamWParamState>("AdamW");
  if (dynamic_cast<const optim::RMSprop*>(&optimizer)) return kind<optim::RMSpropParamState>("RMSprop");
  if (dynamic_cast<const optim::Adagrad*>(&optimizer)) return kind<optim::AdagradParamState>("Adagrad");
  throw Error(ErrorKind::usage,
              "this optimizer cannot be checkpointed: use SGD, Adam, AdamW, RMSprop or Adagrad");
}

std::string place(const char* what, std::size_t index) { return what + std::to_string(index); }

}  // namespace

OptimizerImage::OptimizerImage(const optim::Optimizer& optimizer, Tensors tensors) {
  const Kind kind = kind_of(optimizer);
  kind_ = kind.name;
  for (const optim::OptimizerParamGroup& group : optimizer.param_groups()) {
    Group& image = groups_.emplace_back();
    image.options = group.options().clone();
    for (const at::Tensor& parameter : group.params()) {
      auto& state = image.states.emplace_back();
      const auto found = optimizer.state().find(parameter_key(parameter));
      if (found == optimizer.state().end()) continue;
      state = found->second->clone();
      if (tensors == Tensors::copied) kind.own_tensors(*state);
    }
  }
}

OptimizerImage::~OptimizerImage() = default;
OptimizerImage::OptimizerImage(OptimizerImage&&) noexcept = default;

void OptimizerImage::save(torch::serialize::OutputArchive& archive) const {
  archive.write("kind", c10::IValue(kind_));
  archive.write("groups", c10::IValue(static_cast<std::int64_t>(groups_.size())));
  std::size_t index = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    torch::serialize::OutputArchive options(archive.compilation_unit());
    groups_[g].options->serialize(options);
    archive.write(place("options", g), options);
    archive.write(place("size", g), c10::IValue(static_cast<std::int64_t>(groups_[g].states.size())));
    for (const auto& state : groups_[g].states) {
      if (state) {
        torch::serialize::OutputArchive saved(archive.compilation_unit());
        state->serialize(saved);
        archive.write(place("state", index), saved);
      }
      ++index;
    }
  }
}

void load_optimizer(optim::Optimizer& optimizer, torch::serialize::InputArchive& archive) {
  const Kind kind = kind_of(optimizer);
  c10::IValue value;
  archive.read("kind", value);
  if (value.toStringRef() != kind.name)
    throw Error(ErrorKind::usage, "the checkpoint was made with " + value.toStringRef() +
                                      ", this program uses " + kind.name +
                                      ": start without the checkpoint to change the optimizer");
  archive.read("groups", value);
  bool same = value.toInt() == static_cast<std::int64_t>(optimizer.param_groups().size());
  for (std::size_t g = 0; same && g < optimizer.param_groups().size(); ++g) {
    archive.read(place("size", g), value);
    same = value.toInt() == static_cast<std::int64_t>(optimizer.param_groups()[g].params().size());
  }
  if (!same)
    throw Error(
        ErrorKind::usage,
        "the checkpoint's optimizer has other parameter groups than this program's: start without the "
        "checkpoint to change them");

  std::size_t index = 0;
  for (std::size_t g = 0; g < optimizer.param_groups().size(); ++g) {
    optim::OptimizerParamGroup& group = optimizer.param_groups()[g];
    torch::serialize::InputArchive options;
    archive.read(place("options", g), options);
    group.options().serialize(options);
    for (const at::Tensor& parameter : group.params()) {
      torch::serialize::InputArchive saved;
      if (archive.try_read(place("state", index++), saved)) {
        auto state = kind.make_state();
        state->serialize(saved);
        optimizer.state()[parameter_key(parameter)] = std::move(state);
      }
    }
  }
}

}  // namespace batchscope
