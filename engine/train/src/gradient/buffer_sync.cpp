// SPDX-License-Identifier: Apache-2.0
#include "gradient/buffer_sync.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

namespace batchscope::train {
namespace {

template <class Visit>
void for_parts(const std::vector<at::Tensor>& tensors, const at::Tensor& all, Visit visit) {
  std::int64_t offset = 0;
  for (const at::Tensor& tensor : tensors) {
    visit(tensor, all.narrow(0, offset, tensor.numel()).view(tensor.sizes()));
    offset += tensor.numel();
  }
}

}  // namespace

BufferSync::BufferSync(std::vector<at::Tensor> tensors, TensorGroup* group) : group_(group) {
  if (!group_) return;
  for (at::Tensor& tensor : tensors) {
    const auto alike = std::find_if(flats_.begin(), flats_.end(), [&](const Flat& flat) {
      return flat.all.scalar_type() == tensor.scalar_type() && flat.all.device() == tensor.device();
    });
    Flat& flat = alike != flats_.end() ? *alike : flats_.emplace_back();
    if (!flat.all.defined()) flat.all = at::empty({0}, tensor.options().requires_grad(false));
    flat.tensors.push_back(std::move(tensor));
  }
  for (Flat& flat : flats_) {
    std::int64_t size = 0;
    for (const at::Tensor& tensor : flat.tensors) size += tensor.numel();
    flat.all = at::empty({size}, flat.all.options());
  }
}

void BufferSync::start() {
  const c10::NoGradGuard no_grad;
  for (Flat& flat : flats_) {
    for_parts(flat.tensors, flat.all,
              [](const at::Tensor& tensor, const at::Tensor& part) { part.copy_(tensor); });
    flat.pending.push_back(group_->broadcast(flat.all));
  }
}

void BufferSync::finish() {
  const c10::NoGradGuard no_grad;
  for (Flat& flat : flats_) {
    for (TensorGroup::Pending& pending : flat.pending) pending.wait();
    flat.pending.clear();
    for_parts(flat.tensors, flat.all,
              [](const at::Tensor& tensor, const at::Tensor& part) { tensor.copy_(part); });
  }
}

}  // namespace batchscope::train
