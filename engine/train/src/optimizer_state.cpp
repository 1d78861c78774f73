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

#include <memory>
#include <string>

#include "batchscope/protocol/error.h"
#include "parameter_key.h"

namespace batchscope {
namespace {

namespace optim = torch::optim;

struct Kind {
  const char* name;
  std::unique_ptr<optim::OptimizerParamState> (*make_state)();
};

template <class State>
std::unique_ptr<optim::OptimizerParamState> make() {
  return std::make_unique<State>();
}

Kind kind_of(const optim::Optimizer& optimizer) {
  if (dynamic_cast<const optim::SGD*>(&optimizer)) return {"SGD", make<optim::SGDParamState>};
  if (dynamic_cast<const optim::Adam*>(&optimizer)) return {"Adam", make<optim::AdamParamState>};
  if (dynamic_cast<const optim::AdamW*>(&optimizer)) return {"AdamW", make<optim::AdamWParamState>};
  if (dynamic_cast<const optim::RMSprop*>(&optimizer)) return {"RMSprop", make<optim::RMSpropParamState>};
  if (dynamic_cast<const optim::Adagrad*>(&optimizer)) return {"Adagrad", make<optim::AdagradParamState>};
  throw Error(ErrorKind::usage,
              "this optimizer cannot be checkpointed: use SGD, Adam, AdamW, RMSprop or Adagrad");
}

std::string place(const char* what, std::size_t index) { return what + std::to_string(index); }

}  // namespace

void save_optimizer(const optim::Optimizer& optimizer, torch::serialize::OutputArchive& archive) {
  archive.write("kind", c10::IValue(std::string(kind_of(optimizer).name)));
  archive.write("groups", c10::IValue(static_cast<std::int64_t>(optimizer.param_groups().size())));
  std::size_t index = 0;
  for (std::size_t g = 0; g < optimizer.param_groups().size(); ++g) {
    const optim::OptimizerParamGroup& group = optimizer.param_groups()[g];
    torch::serialize::OutputArchive options(archive.compilation_unit());
    group.options().serialize(options);
    archive.write(place("options", g), options);
    archive.write(place("size", g), c10::IValue(static_cast<std::int64_t>(group.params().size())));
    for (const at::Tensor& parameter : group.params()) {
      const auto found = optimizer.state().find(parameter_key(parameter));
      if (found != optimizer.state().end()) {
        torch::serialize::OutputArchive state(archive.compilation_unit());
        found->second->serialize(state);
        archive.write(place("state", index), state);
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
