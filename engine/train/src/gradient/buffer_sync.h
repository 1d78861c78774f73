// SPDX-License-Identifier: Apache-2.0
//
// A module's buffers (BatchNorm's running statistics), made rank 0's on every replica. One broadcast for all
// buffers of a type and device, so that it costs a message, not one for each layer.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "device/tensor_group.h"

namespace batchscope::train {

class BufferSync {
 public:
  // `group` may be null: a single replica.
  BufferSync(std::vector<at::Tensor> tensors, TensorGroup* group);

  void start();   // sends what the tensors hold now
  void finish();  // they hold rank 0's values

 private:
  struct Flat {
    std::vector<at::Tensor> tensors;
    at::Tensor all;
    std::vector<TensorGroup::Pending> pending;
  };
  std::vector<Flat> flats_;
  TensorGroup* group_;
};

}  // namespace batchscope::train
