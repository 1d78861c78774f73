// SPDX-License-Identifier: Apache-2.0
//
// Gradients side by side in few flat tensors, so that they are averaged in few all-reduces, each started as
// soon as its gradients are there and so overlapped with the rest of backward (Li et al., "PyTorch
// Distributed", VLDB 2020, section 3.2). Buckets are launched in one order on every replica. The last one has
// room for a few numbers that ride along.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "device/tensor_group.h"

namespace batchscope::train {

class Buckets {
 public:
  struct Layout {
    std::vector<std::size_t> order;      // indices of parameters, in which their gradients come
    std::int64_t first_bytes = 1 << 20;  // small, so that the first all-reduce starts early
    std::int64_t bytes = 25 << 20;
    std::int64_t passengers = 0;  // numbers that ride along
  };

  // `board` writes the passengers' numbers; called when all gradients are there, before the last launch.
  Buckets(const std::vector<at::Tensor>& parameters, const Layout& layout, TensorGroup& group,
          std::function<void(const at::Tensor&)> board);

  // Where this parameter's gradient belongs, of its shape.
  const at::Tensor& place(std::size_t parameter) const { return places_[parameter].view; }

  // The gradient is in its place for good: launches what is complete.
  void complete(std::size_t parameter);
  // Launches what is left, as complete as it is.
  void launch_rest();
  // Waits for all, launched before. Summed over replicas then.
  void finish();
  const at::Tensor& passengers() const { return passengers_; }

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

  TensorGroup& group_;
  std::function<void(const at::Tensor&)> board_;
  std::vector<Bucket> buckets_;
  std::vector<Place> places_;  // by parameter
  at::Tensor passengers_;
  std::size_t launched_ = 0;
};

}  // namespace batchscope::train
