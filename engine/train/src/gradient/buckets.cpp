// SPDX-License-Identifier: Apache-2.0
//
// Laying buckets out and launching them.
#include "gradient/buckets.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <utility>

namespace batchscope::train {
namespace {

bool single_precision_at_least(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble;
}

// A part of the flat bucket in the parameter's own layout, so that gradient and optimizer walk alike.
at::Tensor view_like(const at::Tensor& parameter, const at::Tensor& part) {
  return parameter.is_non_overlapping_and_dense() ? part.as_strided(parameter.sizes(), parameter.strides())
                                                  : part.view(parameter.sizes());
}

}  // namespace

Buckets::Buckets(const std::vector<at::Tensor>& parameters, const Layout& layout, TensorGroup& group,
                 std::function<void(const at::Tensor&)> board)
    : group_(group), board_(std::move(board)), places_(parameters.size()) {
  // Which parameters share a bucket: neighbours in order, of one type and device, up to the limit.
  std::vector<std::vector<std::size_t>> members;
  std::int64_t room = 0;
  for (const std::size_t index : layout.order) {
    const at::Tensor& parameter = parameters[index];
    const auto bytes = static_cast<std::int64_t>(parameter.nbytes());
    const bool fits = !members.empty() && bytes <= room &&
                      parameter.options().type_equal(parameters[members.back().front()].options()) &&
                      parameter.device() == parameters[members.back().front()].device();
    if (!fits) {
      room = members.empty() ? layout.first_bytes : layout.bytes;
      members.emplace_back();
    }
    members.back().push_back(index);
    room -= bytes;
  }

  for (std::size_t b = 0; b < members.size(); ++b) {
    const at::Tensor& first = parameters[members[b].front()];
    std::int64_t size = 0;
    for (const std::size_t index : members[b]) size += parameters[index].numel();
    const bool carries = b + 1 == members.size() && single_precision_at_least(first);
    const std::int64_t whole = size + (carries ? layout.passengers : 0);
    Bucket bucket{
        at::empty({whole}, first.options().requires_grad(false)), members[b].size(), members[b].size(), {}};
    std::int64_t offset = 0;
    for (const std::size_t index : members[b]) {
      const at::Tensor& parameter = parameters[index];
      places_[index] = {b, view_like(parameter, bucket.flat.narrow(0, offset, parameter.numel()))};
      offset += parameter.numel();
    }
    if (carries) passengers_ = bucket.flat.narrow(0, size, layout.passengers);
    buckets_.push_back(std::move(bucket));
  }
  if (!passengers_
           .defined()) {  // 16-bit gradients: too coarse for statistics, which get a bucket of their own
    const at::Tensor& last = parameters[members.back().front()];
    passengers_ = at::zeros({layout.passengers}, last.options().dtype(at::kFloat).requires_grad(false));
    buckets_.push_back({passengers_, 0, 0, {}});
  }
}

void Buckets::complete(std::size_t parameter) {
  --buckets_[places_[parameter].bucket].missing;
  while (launched_ < buckets_.size() && buckets_[launched_].missing == 0) launch_next();
}

void Buckets::launch_next() {
  Bucket& bucket = buckets_[launched_++];
  if (launched_ == buckets_.size()) board_(passengers_);
  bucket.pending = group_.all_reduce(bucket.flat);
}

void Buckets::launch_rest() {
  while (launched_ < buckets_.size()) launch_next();
}

void Buckets::finish() {
  for (Bucket& bucket : buckets_) {
    bucket.pending->wait();
    bucket.pending.reset();
    bucket.missing = bucket.members;
  }
  launched_ = 0;
}

}  // namespace batchscope::train
