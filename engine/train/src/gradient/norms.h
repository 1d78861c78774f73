// SPDX-License-Identifier: Apache-2.0
//
// Squared norms of gradients, taken in the pass that moves them anyway. Squares are of the gradient's own
// precision (fp32 for 16-bit gradients) and summed in fp64. On the CPU dense fp32 and fp64 tensors take one
// vectorised pass; everything else goes through ATen, whose sums stay on the device until they are asked for.
// Where a divisor is defined, each element is measured as its quotient by it (preconditioner.h), in passes of
// their own.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace batchscope::train {

// A sum of squares under way.
class SquareSum {
 public:
  void clear() { *this = SquareSum(); }
  void add(double squares) { host_ += squares; }
  void add(const at::Tensor& squares);  // one element, on any device

  void store(const at::Tensor& slot) const;  // into one element on the tensors' device, without waiting

 private:
  friend std::vector<double> values(const std::vector<SquareSum>& sums);
  double host_ = 0;
  at::Tensor device_;
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
