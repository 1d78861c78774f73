// SPDX-License-Identifier: Apache-2.0
//
// The gradient's noise that one process can see: the examples of its batch stand for replicas of one example
// each.
//
// A loss that is a mean over B examples has the gradient c_1 + .. + c_B, where c_i is the share of example i,
// whose own gradient is B c_i. The estimator (goodput/noise_scale.h, with a count of B) needs the sum of the
// squares of the examples' gradients and the square of their mean, L = B^2 (|c_1|^2 + .. + |c_B|^2) and
// T = |c_1 + .. + c_B|^2. Backward passes never make the shares, but an operation with parameters can tell
// their squares (layer_operation.h). LibTorch lets its operations be observed (at::RecordFunction), so that
// programs need not name their layers, in C++ or in Python.
//
// The shares cost about as much as the weights' gradients, so that only some steps are asked: the first 32
// all, then one of 2, of 4 and of 8, at last one of `interval`, which stands for all steps up to the next. In
// a step that is not asked nothing is observed. Parameters of which no operation tells are taken to have the
// ratio of L to T that those of the others in their group have, or else those of all.
//
// A BatchNorm in training makes examples depend on one another. Their shares are then no sample of
// independent gradients, and the noise scale came out twice too large for a small ResNet: such a step tells
// nothing.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace batchscope::train {

// Used on one thread: the forward passes of the model are on the thread that calls listen().
class ExampleNorms {
 public:
  static constexpr int kInterval = 16;  // steps

  // The parameters of each group.
  explicit ExampleNorms(std::vector<std::vector<at::Tensor>> groups, int interval = kInterval);
  ~ExampleNorms();
  ExampleNorms(const ExampleNorms&) = delete;
  ExampleNorms& operator=(const ExampleNorms&) = delete;

  std::int64_t steps() const { return steps_; }  // that take() has ended
  void continue_after(std::int64_t steps);       // so many steps have been made

  // The model is about to be called: observes its operations if the step is one that is asked.
  void listen();
  bool listens() const;
  // Ends that without a step.
  void stop();
  // Forgets the backward passes since the last step, whose gradients are dropped.
  void forget();
  // The next backward pass is over so many samples.
  void expect(std::int64_t samples);
  // A backward pass, if there was one, is over.
  void end_pass();

  struct Examples {
    std::vector<double> local_sqr,
        total_sqr;  // L over the examples, and T, of each group; NaN: none was told
    int count = 0;  // B
    int steps = 1;  // for which this stands
  };
  // Ends a step. Returns nothing where the step was not asked, or its gradient is zero or not finite. Where
  // it should have been, but listen() came too late, the next one is.
  std::optional<Examples> take();

 private:
  struct Listener;
  struct Pass {
    std::vector<double> local_sqr, total_sqr;
    std::int64_t samples = 0;
  };
  int interval() const;
  std::optional<Examples> mean_of_passes(int steps);

  std::shared_ptr<Listener> listener_;  // shared with hooks, which a graph may outlive
  int most_;
  std::int64_t steps_ = 0, asked_ = 0;  // the next step that is asked
  std::vector<Pass> passes_;
};

}  // namespace batchscope::train
