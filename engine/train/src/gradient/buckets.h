// SPDX-License-Identifier: Apache-2.0
//
// The gradients of a step side by side in few flat tensors, so that they are summed over replicas in few
// all-reduces, each started as soon as its gradients are there and so overlapped with the rest of backward
// (Li et al., "PyTorch Distributed", VLDB 2020, section 3.2). Buckets are launched in one order on every
// replica. With the last one statistics ride along: every group's sum of the replicas' own squares, and on
// how many replicas each parameter has a gradient. One that has none here counts as zero.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "device/tensor_group.h"
#include "gradient/norms.h"

namespace batchscope::train {

class Buckets {
 public:
  // `order`: of the parameters' indices, in which their gradients come. `local`: the squares of this replica
  // by group, read before the last launch; without any there are no statistics. Both it and the group outlive
  // this.
  Buckets(const std::vector<at::Tensor>& parameters, const std::vector<std::size_t>& order,
          TensorGroup& group, const std::vector<SquareSum>& local, std::int64_t bytes = 25 << 20);

  // Where this parameter's gradient belongs, of its shape.
  const at::Tensor& place(std::size_t parameter) const { return places_[parameter].view; }
  // Marks that the parameter has a gradient on this replica in this step.
  void mark_present(std::size_t parameter) { present_[parameter] = 1; }

  // The gradient is in its place for good: launches what is complete.
  void complete(std::size_t parameter);
  // Launches what is left.
  void launch_rest();

  // Statistics as summed over all replicas.
  struct Statistics {
    at::Tensor numbers;  // on the CPU, in fp64
    std::size_t groups = 0;

    std::vector<double> local_sqr() const { return {first(), first() + groups}; }
    bool present(std::size_t parameter) const { return first()[groups + parameter] != 0; }
    const double* first() const { return numbers.data_ptr<double>(); }
  };
  // Waits for all, launched before. Their places hold the sums then.
  Statistics finish();

 private:
  struct Bucket {
    at::Tensor flat;
    std::size_t members = 0, missing = 0;
    std::optional<TensorGroup::Pending> pending;
  };
  struct Place {
    std::size_t bucket = 0;
    at::Tensor view;
  };

  void launch_next();
  void append_statistics();

  TensorGroup& group_;
  const std::vector<SquareSum>& local_;
  std::vector<float> present_;  // 0 or 1, by parameter
  std::vector<Bucket> buckets_;
  std::vector<Place> places_;  // by parameter
  at::Tensor statistics_;
  std::size_t launched_ = 0;
};

}  // namespace batchscope::train
