// SPDX-License-Identifier: Apache-2.0
//
// The schedules, in PyTorch's recursive form: each step changes what the groups have, so that schedules
// chain.
#include "batchscope/train/lr_scheduler.h"

#include <torch/optim/optimizer.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "batchscope/protocol/error.h"
#include "optimizer/require.h"

namespace batchscope {
namespace {

void require_count(const std::vector<double>& state, std::size_t count) {
  if (state.size() != count)
    throw Error(ErrorKind::corrupt, "the state of a learning-rate schedule has " +
                                        std::to_string(state.size()) + " numbers instead of " +
                                        std::to_string(count) +
                                        ": was it saved by another kind of schedule?");
}

}  // namespace

LRScheduler::LRScheduler(torch::optim::Optimizer& optimizer)
    : optimizer_(optimizer), base_(learning_rates()) {}

std::vector<double> LRScheduler::learning_rates() const {
  std::vector<double> rates;
  for (const auto& group : optimizer_.param_groups()) rates.push_back(group.options().get_lr());
  return rates;
}

void LRScheduler::set_learning_rates(const std::vector<double>& rates) {
  auto& groups = optimizer_.param_groups();
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].options().set_lr(rates[i]);
}

void StepwiseLR::apply() {
  std::vector<double> rates = learning_rates();
  for (std::size_t group = 0; group < base().size(); ++group) rates[group] = next(rates[group], group);
  set_learning_rates(rates);
}

void StepwiseLR::step() {
  ++steps_;
  apply();
}

void StepwiseLR::step_to(double iterations) {
  while (steps_ + 1 <= iterations) step();
}

std::vector<double> StepwiseLR::state() const { return {static_cast<double>(steps_)}; }

void StepwiseLR::restore(const std::vector<double>& state) {
  require_count(state, 1);
  steps_ = static_cast<int>(state[0]);
}

double ConstantLR::next(double rate, std::size_t) const { return rate; }

StepLR::StepLR(torch::optim::Optimizer& optimizer, int step_size, double gamma)
    : StepwiseLR(optimizer), step_size_(step_size), gamma_(gamma) {
  require(step_size > 0, "StepLR: step_size must be positive");
}

double StepLR::next(double rate, std::size_t) const {
  return steps() % step_size_ == 0 ? rate * gamma_ : rate;
}

MultiStepLR::MultiStepLR(torch::optim::Optimizer& optimizer, std::vector<int> milestones, double gamma)
    : StepwiseLR(optimizer), milestones_(std::move(milestones)), gamma_(gamma) {}

double MultiStepLR::next(double rate, std::size_t) const {
  return rate * std::pow(gamma_, std::count(milestones_.begin(), milestones_.end(), steps()));
}

ExponentialLR::ExponentialLR(torch::optim::Optimizer& optimizer, double gamma)
    : StepwiseLR(optimizer), gamma_(gamma) {}

double ExponentialLR::next(double rate, std::size_t) const { return rate * gamma_; }

CosineAnnealingLR::CosineAnnealingLR(torch::optim::Optimizer& optimizer, int period, double minimum)
    : StepwiseLR(optimizer), period_(period), minimum_(minimum) {
  require(period > 0, "CosineAnnealingLR: period must be positive");
}

double CosineAnnealingLR::next(double rate, std::size_t group) const {
  const double pi = std::numbers::pi;
  // The quotient of two successive values is 0/0 at the bottom; PyTorch restarts upwards from there.
  if ((steps() - 1 - period_) % (2 * period_) == 0)
    return rate + (base()[group] - minimum_) * (1 - std::cos(pi / period_)) / 2;
  return (1 + std::cos(pi * steps() / period_)) / (1 + std::cos(pi * (steps() - 1) / period_)) *
             (rate - minimum_) +
         minimum_;
}

LinearLR::LinearLR(torch::optim::Optimizer& optimizer, double start, double end, int steps)
    : StepwiseLR(optimizer), start_(start), end_(end), total_(steps) {
  require(start > 0 && start <= 1, "LinearLR: start must be in (0, 1]");
  require(end >= 0 && end <= 1, "LinearLR: end must be in [0, 1]");
  require(steps > 0, "LinearLR: steps must be positive");
  apply();
}

double LinearLR::next(double rate, std::size_t) const {
  if (steps() == 0) return rate * start_;
  if (steps() > total_) return rate;
  return rate * (1 + (end_ - start_) / (total_ * start_ + (steps() - 1) * (end_ - start_)));
}

LambdaLR::LambdaLR(torch::optim::Optimizer& optimizer, std::function<double(int)> factor)
    : StepwiseLR(optimizer), factor_(std::move(factor)) {
  require(static_cast<bool>(factor_), "LambdaLR: no function was given");
  apply();
}

double LambdaLR::next(double, std::size_t group) const { return base()[group] * factor_(steps()); }

ReduceLROnPlateau::ReduceLROnPlateau(torch::optim::Optimizer& optimizer, Options options)
    : LRScheduler(optimizer),
      options_(options),
      best_(std::numeric_limits<double>::infinity() * (options.larger_is_better ? -1 : 1)) {
  require(options.factor < 1, "ReduceLROnPlateau: factor must be below 1");
}

bool ReduceLROnPlateau::better(double metric) const {
  const double sign = options_.larger_is_better ? 1 : -1;
  const double bar =
      options_.relative ? best_ * (1 + sign * options_.threshold) : best_ + sign * options_.threshold;
  return options_.larger_is_better ? metric > bar : metric < bar;
}

void ReduceLROnPlateau::step(double metric) {
  if (better(metric)) {
    best_ = metric;
    bad_steps_ = 0;
  } else {
    ++bad_steps_;
  }
  if (cooling_ > 0) {
    --cooling_;
    bad_steps_ = 0;
  }
  if (bad_steps_ <= options_.patience) return;
  std::vector<double> rates = learning_rates();
  for (double& rate : rates) {
    const double reduced = std::max(rate * options_.factor, options_.minimum);
    if (rate - reduced > options_.epsilon) rate = reduced;
  }
  set_learning_rates(rates);
  cooling_ = options_.cooldown;
  bad_steps_ = 0;
}

std::vector<double> ReduceLROnPlateau::state() const {
  return {best_, static_cast<double>(bad_steps_), static_cast<double>(cooling_)};
}

void ReduceLROnPlateau::restore(const std::vector<double>& state) {
  require_count(state, 3);
  best_ = state[0];
  bad_steps_ = static_cast<int>(state[1]);
  cooling_ = static_cast<int>(state[2]);
}

}  // namespace batchscope
