// SPDX-License-Identifier: Apache-2.0
#include "gradient/buckets.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
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

Buckets::Buckets(const std::vector<at::Tensor>& parameters, const std::vector<std::size_t>& order,
                 TensorGroup& group, const std::vector<SquareSum>& local, std::int64_t bytes)
    : group_(group), local_(local), present_(parameters.size()), places_(parameters.size()) {
  // The parameters that share a bucket: neighbours in order, of one type and device, up to the limit.
  std::vector<std::vector<std::size_t>> members;
  std::int64_t room = 0;
  for (const std::size_t index : order) {
    const at::Tensor& parameter = parameters[index];
    const auto size = static_cast<std::int64_t>(parameter.nbytes());
    const bool fits = !members.empty() && size <= room &&
                      parameter.options().type_equal(parameters[members.back().front()].options()) &&
                      parameter.device() == parameters[members.back().front()].device();
    if (!fits) {
      // The first one is small, so that its all-reduce starts early.
      room = members.empty() ? std::min<std::int64_t>(1 << 20, bytes) : bytes;
      members.emplace_back();
    }
    members.back().push_back(index);
    room -= size;
  }

  const std::int64_t statistics = local.empty() ? 0 : std::ssize(local) + std::ssize(parameters);
  for (std::size_t b = 0; b < members.size(); ++b) {
    const at::Tensor& first = parameters[members[b].front()];
    std::int64_t size = 0;
    for (const std::size_t index : members[b]) size += parameters[index].numel();
    const bool carries = b + 1 == members.size() && single_precision_at_least(first);
    const std::int64_t whole = size + (carries ? statistics : 0);
    Bucket bucket{
        at::empty({whole}, first.options().requires_grad(false)), members[b].size(), members[b].size(), {}};
    std::int64_t offset = 0;
    for (const std::size_t index : members[b]) {
      const at::Tensor& parameter = parameters[index];
      places_[index] = {b, view_like(parameter, bucket.flat.narrow(0, offset, parameter.numel()))};
      offset += parameter.numel();
    }
    if (carries) statistics_ = bucket.flat.narrow(0, size, statistics);
    buckets_.push_back(std::move(bucket));
  }
  if (!statistics_
           .defined()) {  // 16-bit gradients: too coarse for statistics, which get a bucket of their own
    const at::Tensor& last = parameters[members.back().front()];
    statistics_ = at::zeros({statistics}, last.options().dtype(at::kFloat).requires_grad(false));
    buckets_.push_back({statistics_, 0, 0, {}});
  }
}

void Buckets::complete(std::size_t parameter) {
  --buckets_[places_[parameter].bucket].missing;
  while (launched_ < buckets_.size() && buckets_[launched_].missing == 0) launch_next();
}

void Buckets::launch_next() {
  Bucket& bucket = buckets_[launched_++];
  if (launched_ == buckets_.size()) append_statistics();
  bucket.pending = group_.all_reduce(bucket.flat);
}

void Buckets::append_statistics() {
  const std::int64_t groups = std::ssize(local_), count = std::ssize(present_);
  if (groups == 0) return;
  for (std::int64_t group = 0; group < groups; ++group)
    local_[static_cast<std::size_t>(group)].store(statistics_.select(0, group));
  statistics_.narrow(0, groups, count).copy_(at::from_blob(present_.data(), {count}, at::kFloat));
}

void Buckets::launch_rest() {
  for (std::size_t i = 0; i < present_.size(); ++i)
    if (present_[i] == 0) place(i).zero_();
  while (launched_ < buckets_.size()) launch_next();
}

Buckets::Statistics Buckets::finish() {
  for (Bucket& bucket : buckets_) {
    bucket.pending->wait();
    bucket.pending.reset();
    bucket.missing = bucket.members;
  }
  launched_ = 0;
  std::fill(present_.begin(), present_.end(), 0.0F);
  return {statistics_.to(at::kCPU, at::kDouble), local_.size()};
}

}  // namespace batchscope::train
