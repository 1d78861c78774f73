// SPDX-License-Identifier: Apache-2.0
/// \file
/// Learning-rate schedules with the semantics of PyTorch's lr_scheduler: made with the optimizer at its
/// starting rates, stepped by the program (usually once an epoch), and chainable: each multiplies the present
/// rates of the groups. e is the number of steps taken so far. A group that the optimizer gets later keeps
/// its rate. The state survives restarts when the schedule is handed to AdaptiveDataParallel. The schedule
/// does not see the factor of the scaling rule, which is applied only during the optimizer's step.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace torch::optim {
class Optimizer;
}

namespace batchscope {

/// The base of all schedules.
class LRScheduler {
 public:
  /// The optimizer must outlive it.
  explicit LRScheduler(torch::optim::Optimizer& optimizer);
  virtual ~LRScheduler() = default;

  std::vector<double> learning_rates() const;  ///< by parameter group

  /// Returns plain numbers for checkpoints, in a fixed order. The groups' learning rates are the optimizer's.
  virtual std::vector<double> state() const = 0;
  /// Restores such numbers. Throws Error(corrupt) for another count.
  virtual void restore(const std::vector<double>& state) = 0;

 protected:
  /// One rate for each parameter group.
  void set_learning_rates(const std::vector<double>& rates);
  const std::vector<double>& base() const { return base_; }    ///< the rates it was made with
  torch::optim::Optimizer& optimizer() { return optimizer_; }  ///< that it was made with

 private:
  torch::optim::Optimizer& optimizer_;
  std::vector<double> base_;
};

/// A schedule that is a function of e. Derive from it for a schedule of your own: only next() is needed.
class StepwiseLR : public LRScheduler {
 public:
  /// The optimizer must outlive it.
  explicit StepwiseLR(torch::optim::Optimizer& optimizer) : LRScheduler(optimizer) {}
  /// Makes one step: sets the rates of all groups.
  void step();
  /// Steps until floor(iterations) are taken: lr(floor(tau)), with tau the scale-invariant iterations done.
  void step_to(double iterations);
  int steps() const { return steps_; }  ///< taken so far, e
  std::vector<double> state() const override;
  void restore(const std::vector<double>& state) override;

 protected:
  /// Returns a group's rate after e steps, from its rate after e - 1.
  virtual double next(double rate, std::size_t group) const = 0;
  /// Sets the rates at e. Called by step(), and by constructors of schedules that do not start at the base
  /// rate.
  virtual void apply();

 private:
  int steps_ = 0;
};

/// rate = base
class ConstantLR : public StepwiseLR {
 public:
  using StepwiseLR::StepwiseLR;

 private:
  double next(double rate, std::size_t group) const override;
};

/// rate *= gamma every step_size steps
class StepLR : public StepwiseLR {
 public:
  /// step_size in steps. Throws Error(usage) below 1.
  StepLR(torch::optim::Optimizer& optimizer, int step_size, double gamma = 0.1);

 private:
  double next(double rate, std::size_t group) const override;
  int step_size_;
  double gamma_;
};

/// rate *= gamma at each milestone (twice where it is listed twice)
class MultiStepLR : public StepwiseLR {
 public:
  /// Milestones in steps, in any order.
  MultiStepLR(torch::optim::Optimizer& optimizer, std::vector<int> milestones, double gamma = 0.1);

 private:
  double next(double rate, std::size_t group) const override;
  std::vector<int> milestones_;
  double gamma_;
};

/// rate *= gamma
class ExponentialLR : public StepwiseLR {
 public:
  /// The optimizer must outlive it.
  ExponentialLR(torch::optim::Optimizer& optimizer, double gamma);

 private:
  double next(double rate, std::size_t group) const override;
  double gamma_;
};

/// rate = minimum + (base - minimum) * (1 + cos(pi e / period)) / 2, and up again beyond the period
class CosineAnnealingLR : public StepwiseLR {
 public:
  /// The period is in steps, the minimum a rate. Throws Error(usage) for a period below 1.
  CosineAnnealingLR(torch::optim::Optimizer& optimizer, int period, double minimum = 0);

 private:
  double next(double rate, std::size_t group) const override;
  int period_;
  double minimum_;
};

/// rate = base * (start + (end - start) * min(e, steps) / steps): warm-up with the defaults
class LinearLR : public StepwiseLR {
 public:
  /// start and end are factors of the base rate, applied from the beginning. Throws Error(usage) unless they
  /// are in (0, 1] and [0, 1], and for fewer than 1 step.
  LinearLR(torch::optim::Optimizer& optimizer, double start = 1.0 / 3, double end = 1, int steps = 5);

 private:
  double next(double rate, std::size_t group) const override;
  double start_, end_;
  int total_;
};

/// rate = base * factor(e)
class LambdaLR : public StepwiseLR {
 public:
  /// The factor is applied from the beginning, with e = 0. Throws Error(usage) for an empty function.
  LambdaLR(torch::optim::Optimizer& optimizer, std::function<double(int)> factor);

 private:
  double next(double rate, std::size_t group) const override;
  std::function<double(int)> factor_;
};

/// rate *= factor once the metric has not improved for more than `patience` steps
class ReduceLROnPlateau : public LRScheduler {
 public:
  /// PyTorch's, under plainer names.
  struct Options {
    bool larger_is_better = false;  ///< else smaller
    double factor = 0.1;            ///< of a reduction, below 1
    int patience = 10;              ///< steps without improvement that are allowed
    double threshold = 1e-4;        ///< of improvement: relative, or absolute
    bool relative = true;           ///< else absolute
    int cooldown = 0;               ///< steps after a reduction in which nothing counts as bad
    double minimum = 0;             ///< below which no rate falls
    double epsilon = 1e-8;          ///< smaller reductions are not made
  };
  /// The optimizer must outlive it. Throws Error(usage) for a factor of 1 or more.
  ReduceLROnPlateau(torch::optim::Optimizer& optimizer, Options options);

  /// Steps the schedule. Every replica passes the same metric, as an Accumulator's sums give it.
  void step(double metric);
  std::vector<double> state() const override;
  void restore(const std::vector<double>& state) override;

 private:
  bool better(double metric) const;

  Options options_;
  double best_;
  int bad_steps_ = 0, cooling_ = 0;
};

}  // namespace batchscope
