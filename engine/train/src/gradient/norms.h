// SPDX-License-Identifier: Apache-2.0
//
// Squared norms of gradients. On the CPU a dense fp32 or fp64 gradient is measured in the pass that moves it
// anyway: squares in its own precision, summed in fp64. On a GPU, where a call costs more than the sum of a
// small tensor, gradients wait to be measured together, by few kernels: a tensor's norm in its own precision
// (fp32 for 16-bit gradients), the sum over tensors in fp64. Where a divisor is defined, each element is
// measured as its quotient by it (preconditioner.h), in passes of their own.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace batchscope::train {

// Whether a gradient is measured by the pass that moves it. Any other waits.
bool measured_at_once(const at::Tensor& gradient);

// Returns each tensor's square, in fp64 on the first one's device, without waiting for it.
at::Tensor squares_of(std::vector<at::Tensor> tensors);

// A sum of squares under way. What is added must stay as it is until the sum is asked for.
class SquareSum {
 public:
  void clear() { *this = SquareSum(); }
  void add(double squares) { host_ += squares; }
  void add(const at::Tensor& gradient) { waiting_.push_back(gradient); }

  void measure();                            // starts to measure what waits, which may be changed then
  void store(const at::Tensor& slot) const;  // into one element on the tensors' device, without waiting

 private:
  friend std::vector<double> values(const std::vector<SquareSum>& sums);
  at::Tensor on_device() const;  // what is not in host_; undefined where that is all
  double host_ = 0;
  at::Tensor device_;
  std::vector<at::Tensor> waiting_;
};

// Returns the values of the sums; waits for the device, once for all of them.
std::vector<double> values(const std::vector<SquareSum>& sums);

// sum += |gradient|^2
void add_square(const at::Tensor& gradient, SquareSum& sum, const at::Tensor& divisor = {});

// destination = weight * gradient, or += where there is one already; sum += |gradient|^2
void accumulate(const at::Tensor& destination, const at::Tensor& gradient, double weight, bool add,
                SquareSum& sum, const at::Tensor& divisor = {});

// tensor *= factor; sum += |tensor|^2, of the product
void scale(const at::Tensor& tensor, double factor, SquareSum& sum, const at::Tensor& divisor = {});

// Squares for the difference estimator: of two successive gradients and of their mean.
struct PairSquares {
  SquareSum current, previous, mean;
};
void add_pair(const at::Tensor& current, const at::Tensor& previous, PairSquares& sums,
              const at::Tensor& divisor = {});

}  // namespace batchscope::train
