// SPDX-License-Identifier: Apache-2.0
#include "gradient/example_norms.h"

#include <ATen/ops/stack.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "gradient/layer_operation.h"

namespace batchscope::train {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> numbers(const std::vector<at::Tensor>& scalars) {
  if (scalars.empty()) return {};
  std::vector<at::Tensor> wide;
  for (const at::Tensor& scalar : scalars) wide.push_back(scalar.to(scalars[0].device(), at::kDouble));
  const at::Tensor all = at::stack(wide).to(at::kCPU).contiguous();  // fetched at once
  return {all.data_ptr<double>(), all.data_ptr<double>() + all.numel()};
}

}  // namespace

// Hears what operations and parameters say in the backward passes of a step that is asked.
struct ExampleNorms::Listener : std::enable_shared_from_this<Listener> {
  struct Parameter {
    at::Tensor tensor;
    unsigned hook = 0;
    std::vector<at::Tensor> shares;  // squares of the examples', summed, of each call of its operation
    at::Tensor total;                // |gradient|^2; undefined: it has none
  };

  explicit Listener(const std::vector<std::vector<at::Tensor>>& all) {
    for (const std::vector<at::Tensor>& group : all) {
      groups.emplace_back();
      for (const at::Tensor& parameter : group) {
        if (!parameter.requires_grad()) continue;
        index.emplace(parameter.unsafeGetTensorImpl(), parameters.size());
        groups.back().push_back(parameters.size());
        parameters.emplace_back().tensor = parameter;
      }
    }
  }
  ~Listener() {
    for (const Parameter& parameter : parameters) parameter.tensor.remove_hook(parameter.hook);
  }

  // Hooks of leaves are made once: LibTorch keeps the place of one that is removed.
  void hook_parameters() {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      parameters[i].hook =
          parameters[i].tensor.register_hook([weak = weak_from_this(), i](const at::Tensor& gradient) {
            const auto self = weak.lock();
            if (!self || !self->active) return;
            const c10::NoGradGuard no_grad;
            const at::Tensor flat =
                gradient.to(c10::promoteTypes(gradient.scalar_type(), at::kFloat)).reshape(-1);
            self->parameters[i].total = flat.dot(flat);
          });
  }

  const std::size_t* find(const at::Tensor& tensor) const {
    if (!tensor.defined()) return nullptr;
    const auto found = index.find(tensor.unsafeGetTensorImpl());
    return found == index.end() ? nullptr : &found->second;
  }
  bool knows(const LayerOperation& operation) const {
    return std::any_of(operation.parameters.begin(), operation.parameters.end(),
                       [&](const at::Tensor& parameter) { return find(parameter) != nullptr; });
  }

  // In backward: the gradient at the operation's output is there.
  void add(const LayerOperation& operation, const at::Tensor& gradient) {
    if (!active) return;
    const c10::NoGradGuard no_grad;
    const LayerOperation::Squares squares = operation.squares(gradient, samples);
    for (std::size_t i = 0; i < squares.size(); ++i)
      if (const std::size_t* parameter = find(operation.parameters[i]))
        parameters[*parameter].shares.push_back(squares[i]);
  }

  void begin_pass() {
    for (Parameter& parameter : parameters) {
      parameter.shares.clear();
      parameter.total.reset();
    }
    coupled = false;
  }

  std::vector<Parameter> parameters;
  std::unordered_map<const c10::TensorImpl*, std::size_t> index;
  std::vector<std::vector<std::size_t>> groups;
  std::int64_t samples = 0;  // of the pass
  bool active = false, coupled = false;
};

// Operations of one thread, for its listeners. Only the outermost of nested ones is heard: a linear layer is
// made of other operations, with other inputs.
namespace {

template <class Listener>
struct Observer {
  struct Heard : at::ObserverContext {
    LayerOperation operation;
  };
  std::vector<std::weak_ptr<Listener>> listeners;
  at::CallbackHandle handle = 0;
  bool inside = false;

  static Observer& of_thread() {
    thread_local Observer observer;
    return observer;
  }

  void add(const std::shared_ptr<Listener>& listener) {
    if (listeners.empty())
      handle = at::addThreadLocalCallback(at::RecordFunctionCallback(start, end)
                                              .needsInputs(true)
                                              .needsOutputs(true)
                                              .scopes({at::RecordScope::FUNCTION}));
    listeners.push_back(listener);
  }
  void remove(const std::shared_ptr<Listener>& listener) {
    const auto gone = std::remove_if(listeners.begin(), listeners.end(), [&](const auto& one) {
      return one.expired() || one.lock() == listener;
    });
    if (gone == listeners.end()) return;
    listeners.erase(gone, listeners.end());
    if (listeners.empty()) at::removeCallback(handle);
  }

  // Arguments are there at the start, outputs at the end.
  static std::unique_ptr<at::ObserverContext> start(const at::RecordFunction& function) {
    Observer& self = of_thread();
    if (self.inside) return nullptr;
    auto operation = layer_operation(function.name(), function.inputs());
    if (!operation) return nullptr;
    self.inside = true;
    auto heard = std::make_unique<Heard>();
    heard->operation = std::move(*operation);
    return heard;
  }

  static void end(const at::RecordFunction& function, at::ObserverContext* context) {
    if (!context) return;
    Observer& self = of_thread();
    self.inside = false;
    const auto& operation = static_cast<Heard*>(context)->operation;
    if (function.outputs().empty() || !function.outputs()[0].isTensor()) return;  // it has thrown
    const at::Tensor output = function.outputs()[0].toTensor();
    if (!output.requires_grad()) return;
    for (const auto& weak : self.listeners) {
      const auto listener = weak.lock();
      if (!listener || !listener->active || !listener->knows(operation)) continue;
      listener->coupled = listener->coupled || operation.couples;
      if (operation.input.defined())
        output.register_hook([weak, operation](const at::Tensor& gradient) {
          if (const auto one = weak.lock()) one->add(operation, gradient);
        });
    }
  }
};

}  // namespace

ExampleNorms::ExampleNorms(std::vector<std::vector<at::Tensor>> groups, int interval)
    : listener_(std::make_shared<Listener>(groups)), most_(interval) {
  listener_->hook_parameters();
}

ExampleNorms::~ExampleNorms() { stop(); }

void ExampleNorms::continue_after(std::int64_t steps) {
  steps_ = steps;
  asked_ = (steps + interval() - 1) / interval() * interval();
}

// The largest power of two up to a sixteenth of the steps so far.
int ExampleNorms::interval() const {
  const auto sixteenth = static_cast<std::uint64_t>(steps_ / kInterval);
  return static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(most_),
                                                  std::max<std::uint64_t>(1, std::bit_floor(sixteenth))));
}

void ExampleNorms::expect(std::int64_t samples) { listener_->samples = samples; }

bool ExampleNorms::listens() const { return listener_->active; }

void ExampleNorms::listen() {
  if (steps_ != asked_ || listener_->active) return;
  listener_->active = true;
  Observer<Listener>::of_thread().add(listener_);
}

void ExampleNorms::stop() {
  if (!std::exchange(listener_->active, false)) return;
  Observer<Listener>::of_thread().remove(listener_);
  passes_.clear();
  listener_->begin_pass();
}

void ExampleNorms::forget() {
  if (!listener_->active) return;
  passes_.clear();
  listener_->begin_pass();
}

void ExampleNorms::end_pass() {
  const std::int64_t samples = listener_->samples;
  // Squares of all parameters, and of the examples' shares in those of which each example told once. A weight
  // that two operations share did not.
  std::vector<std::size_t> present, told;
  std::vector<at::Tensor> scalars;
  const std::vector<Listener::Parameter>& parameters = listener_->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].total.defined()) {
      present.push_back(i);
      scalars.push_back(parameters[i].total);
    }
  if (present.empty()) return;
  for (const std::size_t i : present)
    if (parameters[i].shares.size() == 1 && parameters[i].shares[0].defined()) {
      told.push_back(i);
      scalars.push_back(parameters[i].shares[0]);
    }
  const std::vector<double> values = numbers(scalars);
  std::vector<double> total(parameters.size(), 0), share(parameters.size(), kNaN);
  for (std::size_t i = 0; i < present.size(); ++i) total[present[i]] = values[i];
  for (std::size_t i = 0; i < told.size(); ++i) share[told[i]] = values[present.size() + i];

  const double sum = std::accumulate(total.begin(), total.end(), 0.0);
  if (sum > 0 && std::isfinite(sum)) {
    const bool can_tell = samples > 1 && !listener_->coupled;
    const auto ratio = [&](const std::vector<std::size_t>& of) {  // of L to T
      double shares = 0, totals = 0;
      for (const std::size_t i : of)
        if (!std::isnan(share[i])) {
          shares += share[i];
          totals += total[i];
        }
      const auto count = static_cast<double>(samples);
      return can_tell && totals > 0 ? count * count * shares / totals : kNaN;
    };
    std::vector<std::size_t> all(parameters.size());
    std::iota(all.begin(), all.end(), 0);
    const double of_all = ratio(all);
    Pass& pass = passes_.emplace_back();
    pass.samples = samples;
    for (const std::vector<std::size_t>& group : listener_->groups) {
      const double own = ratio(group);
      double square = 0;
      for (const std::size_t i : group) square += total[i];
      pass.local_sqr.push_back((std::isnan(own) ? of_all : own) * square);
      pass.total_sqr.push_back(square);
    }
  } else {  // a GradScaler leaves the step out, or there is nothing to learn
    passes_.clear();
  }
  listener_->begin_pass();
}

std::optional<ExampleNorms::Examples> ExampleNorms::take() {
  if (!listens()) {
    asked_ = std::max(asked_, ++steps_);
    return {};
  }
  const int stands_for = interval();
  ++steps_;
  asked_ += stands_for;
  end_pass();
  const auto mean = mean_of_passes(stands_for);
  stop();
  return mean;
}

// A loss is usually divided by the number of passes, so that each has that part of the gradient's length.
std::optional<ExampleNorms::Examples> ExampleNorms::mean_of_passes(int steps) {
  if (passes_.empty()) return {};
  Examples mean{std::vector<double>(listener_->groups.size()), std::vector<double>(listener_->groups.size()),
                static_cast<int>(passes_[0].samples), steps};
  const auto count = static_cast<double>(passes_.size());
  for (const Pass& pass : passes_) {
    if (pass.samples != passes_[0].samples) return {};
    for (std::size_t group = 0; group < pass.total_sqr.size(); ++group) {
      mean.local_sqr[group] += count * pass.local_sqr[group];
      mean.total_sqr[group] += count * pass.total_sqr[group];
    }
  }
  return mean;
}

}  // namespace batchscope::train
