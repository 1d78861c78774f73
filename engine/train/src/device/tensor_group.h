// SPDX-License-Identifier: Apache-2.0
//
// Collectives over tensors, by c10d's Gloo or NCCL. The one place that knows c10d's process groups: in
// LibTorch 1.13 they derive from c10d::ProcessGroup, in 2.x from c10d::Backend.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace c10d {
class Store;
}

namespace batchscope::train {

class TensorGroup {
 public:
  struct Place {
    int rank = 0;
    int size = 1;
    std::string address = "127.0.0.1";  // of this machine, that the other replicas reach
    std::chrono::milliseconds timeout{};
  };

  // A collective under way; the tensor must not be touched before wait() returned.
  class Pending {
   public:
    explicit Pending(std::function<void()> wait) : wait_(std::move(wait)) {}
    // Throws Error(failure) when a peer is gone, Error(timeout) when it did not answer in time.
    void wait() { wait_(); }

   private:
    std::function<void()> wait_;
  };

  virtual ~TensorGroup() = default;
  virtual Pending all_reduce(at::Tensor tensor) = 0;               // sums in place; contiguous
  virtual Pending broadcast(at::Tensor tensor, int from = 0) = 0;  // that rank's values; contiguous
  virtual std::string backend() const = 0;                         // "gloo" or "nccl"
};

// This process's; null for a single replica.
const std::shared_ptr<TensorGroup>& tensor_group();
void set_tensor_group(std::shared_ptr<TensorGroup> group);

// Blocks until every replica has called it. `backend` is "gloo" or "nccl".
std::shared_ptr<TensorGroup> make_tensor_group(const std::string& backend,
                                               const c10::intrusive_ptr<c10d::Store>& store,
                                               const TensorGroup::Place& place);

// Returns, everywhere, the bytes of rank `from`, by way of that device. Collective.
std::string broadcast_bytes(std::string bytes, int from, at::Device device);

}  // namespace batchscope::train
