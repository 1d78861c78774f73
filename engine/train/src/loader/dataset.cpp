// SPDX-License-Identifier: Apache-2.0
#include "batchscope/train/dataset.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>

#include "batchscope/protocol/error.h"

namespace batchscope {

TensorDataset::TensorDataset(at::Tensor data, at::Tensor target)
    : data_(std::move(data)), target_(std::move(target)) {
  if (!data_.defined() || !target_.defined() || data_.dim() < 1 || target_.dim() < 1 ||
      data_.size(0) != target_.size(0))
    throw Error(ErrorKind::usage,
                "TensorDataset: data and target need the same first dimension, one row a sample");
}

std::int64_t TensorDataset::size() const { return data_.size(0); }

Batch TensorDataset::collate(const std::vector<std::int64_t>& indices) const {
  // index_select only reads the rows' numbers, hence the cast.
  const at::Tensor rows = at::from_blob(const_cast<std::int64_t*>(indices.data()),
                                        {static_cast<std::int64_t>(indices.size())}, at::kLong);
  const auto select = [&](const at::Tensor& from) {
    return at::index_select(from, 0, from.is_cpu() ? rows : rows.to(from.device()));
  };
  return {select(data_), select(target_), rows.size(0)};
}

}  // namespace batchscope
