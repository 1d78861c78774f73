// SPDX-License-Identifier: Apache-2.0
//
// The state of each kind of optimizer, field by field; one visitor saves the fields and another loads them.
#include "optimizer/optimizer_state.h"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <cstdint>
#include <string_view>
#include <tuple>

#include "batchscope/protocol/error.h"
#include "batchscope/train/adadelta.h"
#include "batchscope/train/sharded_optimizer.h"
#include "optimizer/foreign_optimizer.h"
#include "tensor/parameter_key.h"
#include "tensor/tensor_file.h"

namespace batchscope::train {
namespace {

namespace optim = torch::optim;

template <class Visit>
void visit_fields(optim::SGDOptions& options, Visit visit) {
  visit("lr", options.lr());
  visit("momentum", options.momentum());
  visit("dampening", options.dampening());
  visit("weight_decay", options.weight_decay());
  visit("nesterov", options.nesterov());
}
template <class Visit>
void visit_fields(optim::SGDParamState& state, Visit visit) {
  visit("momentum_buffer", state.momentum_buffer());
}

// Adam's and AdamW's are alike.
template <class Options, class Visit>
requires requires(Options& options) { options.amsgrad(); }
void visit_fields(Options& options, Visit visit) {
  visit("lr", options.lr());
  visit("beta1", std::get<0>(options.betas()));
  visit("beta2", std::get<1>(options.betas()));
  visit("eps", options.eps());
  visit("weight_decay", options.weight_decay());
  visit("amsgrad", options.amsgrad());
}
template <class State, class Visit>
requires requires(State& state) { state.max_exp_avg_sq(); }
void visit_fields(State& state, Visit visit) {
  visit("step", state.step());
  visit("exp_avg", state.exp_avg());
  visit("exp_avg_sq", state.exp_avg_sq());
  visit("max_exp_avg_sq", state.max_exp_avg_sq());
}

template <class Visit>
void visit_fields(optim::RMSpropOptions& options, Visit visit) {
  visit("lr", options.lr());
  visit("alpha", options.alpha());
  visit("eps", options.eps());
  visit("weight_decay", options.weight_decay());
  visit("momentum", options.momentum());
  visit("centered", options.centered());
}
template <class Visit>
void visit_fields(optim::RMSpropParamState& state, Visit visit) {
  visit("step", state.step());
  visit("square_avg", state.square_avg());
  visit("momentum_buffer", state.momentum_buffer());
  visit("grad_avg", state.grad_avg());
}

template <class Visit>
void visit_fields(optim::AdagradOptions& options, Visit visit) {
  visit("lr", options.lr());
  visit("lr_decay", options.lr_decay());
  visit("weight_decay", options.weight_decay());
  visit("initial_accumulator_value", options.initial_accumulator_value());
  visit("eps", options.eps());
}
template <class Visit>
void visit_fields(optim::AdagradParamState& state, Visit visit) {
  visit("sum", state.sum());
  visit("step", state.step());
}

template <class Visit>
void visit_fields(AdadeltaOptions& options, Visit visit) {
  visit("lr", options.lr());
  visit("rho", options.rho());
  visit("eps", options.eps());
  visit("weight_decay", options.weight_decay());
}
template <class Visit>
void visit_fields(AdadeltaParamState& state, Visit visit) {
  visit("step", state.step());
  visit("square_avg", state.square_avg());
  visit("acc_delta", state.acc_delta());
}

// A kind of optimizer: what it is called and of which types its parts are.
template <class OptionsType, class StateType>
struct Kind {
  using Options = OptionsType;
  using State = StateType;
  const char* name;
};

template <class Act>
void with_kind(const optim::Optimizer& any, Act act) {
  const optim::Optimizer& optimizer = ShardedOptimizer::unwrap(any);
  if (dynamic_cast<const optim::SGD*>(&optimizer))
    return act(Kind<optim::SGDOptions, optim::SGDParamState>{"SGD"});
  if (dynamic_cast<const optim::Adam*>(&optimizer))
    return act(Kind<optim::AdamOptions, optim::AdamParamState>{"Adam"});
  if (dynamic_cast<const optim::AdamW*>(&optimizer))
    return act(Kind<optim::AdamWOptions, optim::AdamWParamState>{"AdamW"});
  if (dynamic_cast<const optim::RMSprop*>(&optimizer))
    return act(Kind<optim::RMSpropOptions, optim::RMSpropParamState>{"RMSprop"});
  if (dynamic_cast<const optim::Adagrad*>(&optimizer))
    return act(Kind<optim::AdagradOptions, optim::AdagradParamState>{"Adagrad"});
  if (dynamic_cast<const Adadelta*>(&optimizer))
    return act(Kind<AdadeltaOptions, AdadeltaParamState>{"Adadelta"});
  throw Error(ErrorKind::usage,
              "this optimizer cannot be checkpointed: use SGD, Adam, AdamW, RMSprop, Adagrad or Adadelta");
}

constexpr std::string_view kLearningRate = "lr";

struct Saver {
  TensorWriter& file;
  std::string prefix;

  void operator()(const char* name, const at::Tensor& tensor) const {
    if (tensor.defined()) file.add(prefix + name, tensor);
  }
  template <class Number>
  void operator()(const char* name, Number number) const {
    file.add_numbers(prefix + name, {static_cast<double>(number)});
  }
};

struct Collector {
  std::map<std::string, double>& options;

  template <class Number>
  void operator()(const char* name, Number number) const {
    options[name] = static_cast<double>(number);
  }
};

// Options of a group, of which `given` are those with which the file's program began.
struct OptionLoader {
  TensorReader& file;
  std::string prefix, given;

  template <class Number>
  void operator()(const char* name, Number& number) const {
    const double current = static_cast<double>(number), saved = file.number(prefix + name);
    const double at_start = file.has(given + name) ? file.number(given + name) : current;
    if (current == at_start)
      number = static_cast<Number>(saved);
    else if (std::string_view(name) == kLearningRate && at_start != 0)
      number = static_cast<Number>(saved * current / at_start);
  }
};

struct Loader {
  TensorReader& file;
  std::string prefix;
  c10::Device device = c10::kCPU;

  void operator()(const char* name, at::Tensor& tensor) const {
    if (file.has(prefix + name)) tensor = file.tensor(prefix + name).to(device);
  }
  template <class Number>
  void operator()(const char* name, Number& number) const {
    number = static_cast<Number>(file.number(prefix + name));
  }
};

std::string group_prefix(std::size_t group) { return "optimizer/group" + std::to_string(group) + "/"; }
std::string given_prefix(std::size_t group) { return "optimizer/given" + std::to_string(group) + "/"; }
std::string state_prefix(std::size_t parameter) { return "optimizer/" + std::to_string(parameter) + "/"; }

std::vector<double> group_sizes(const optim::Optimizer& optimizer) {
  std::vector<double> sizes;
  for (const optim::OptimizerParamGroup& group : optimizer.param_groups())
    sizes.push_back(static_cast<double>(group.params().size()));
  return sizes;
}

constexpr char kKind[] = "optimizer", kSizes[] = "optimizer/sizes";

}  // namespace

GroupOptions options_of(const optim::Optimizer& optimizer) {
  GroupOptions all;
  if (dynamic_cast<const ForeignOptimizer*>(&optimizer)) return all;
  with_kind(optimizer, [&](auto kind) {
    for (const optim::OptimizerParamGroup& group : optimizer.param_groups()) {
      const auto options = group.options().clone();  // which is not const
      visit_fields(static_cast<typename decltype(kind)::Options&>(*options), Collector{all.emplace_back()});
    }
  });
  return all;
}

void save_optimizer(const optim::Optimizer& optimizer, const GroupOptions& given, TensorWriter& file) {
  if (dynamic_cast<const ForeignOptimizer*>(&optimizer)) return;
  with_kind(optimizer, [&](auto kind) {
    file.add_text(kKind, kind.name);
    file.add_numbers(kSizes, group_sizes(optimizer));
    for (std::size_t g = 0; g < optimizer.param_groups().size(); ++g) {
      const auto options = optimizer.param_groups()[g].options().clone();  // which is not const
      visit_fields(static_cast<typename decltype(kind)::Options&>(*options), Saver{file, group_prefix(g)});
    }
  });
  for (std::size_t g = 0; g < given.size(); ++g)
    for (const auto& [name, value] : given[g]) file.add_numbers(given_prefix(g) + name, {value});
  save_states(optimizer, file);
}

void save_states(const optim::Optimizer& optimizer, TensorWriter& file) {
  with_kind(optimizer, [&](auto kind) {
    const auto& states = ShardedOptimizer::unwrap(optimizer).state();
    for (std::size_t parameter = 0; const auto& group : optimizer.param_groups())
      for (const at::Tensor& tensor : group.params()) {
        const std::string prefix = state_prefix(parameter++);
        const auto state = states.find(parameter_key(tensor));
        if (state != states.end())
          visit_fields(static_cast<typename decltype(kind)::State&>(*state->second), Saver{file, prefix});
      }
  });
}

void load_optimizer(optim::Optimizer& optimizer, TensorReader& file) {
  if (dynamic_cast<const ForeignOptimizer*>(&optimizer)) return;
  with_kind(optimizer, [&](auto kind) {
    if (const std::string& made_with = file.text(kKind); made_with != kind.name)
      throw Error(ErrorKind::usage, "the checkpoint was made with " + made_with + ", but this program uses " +
                                        kind.name + ": start without the checkpoint to change the optimizer");
    if (file.numbers(kSizes) != group_sizes(optimizer))
      throw Error(ErrorKind::usage,
                  "the checkpoint's optimizer has other parameter groups than this program's: start without "
                  "the checkpoint to change them");
    for (std::size_t g = 0; g < optimizer.param_groups().size(); ++g)
      visit_fields(static_cast<typename decltype(kind)::Options&>(optimizer.param_groups()[g].options()),
                   OptionLoader{file, group_prefix(g), given_prefix(g)});
  });
  const auto* sharded = dynamic_cast<const ShardedOptimizer*>(&optimizer);
  load_states(optimizer, file, [&](const at::Tensor& tensor) { return !sharded || sharded->owns(tensor); });
}

void load_states(optim::Optimizer& optimizer, TensorReader& file,
                 const std::function<bool(const at::Tensor&)>& wanted) {
  with_kind(optimizer, [&](auto kind) {
    auto& states = ShardedOptimizer::unwrap(optimizer).state();
    for (std::size_t parameter = 0; const auto& group : optimizer.param_groups())
      for (const at::Tensor& tensor : group.params()) {
        const std::string prefix = state_prefix(parameter++);
        if (file.count(prefix) == 0 || !wanted(tensor)) continue;
        auto state = std::make_unique<typename decltype(kind)::State>();
        visit_fields(*state, Loader{file, prefix, tensor.device()});
        states[parameter_key(tensor)] = std::move(state);
      }
  });
}

}  // namespace batchscope::train
