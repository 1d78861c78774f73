// SPDX-License-Identifier: Apache-2.0
//
// Images and labels as tensors: bytes [n, rows, columns] and long [n].
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "idx.h"

namespace batchscope::digits {

inline std::pair<at::Tensor, at::Tensor> to_tensors(const LabelledImages& set) {
  auto images = at::empty({set.images.count, set.images.rows, set.images.columns}, at::kByte);
  auto labels = at::empty({set.images.count}, at::kLong);
  std::copy(set.images.pixels.begin(), set.images.pixels.end(), images.data_ptr<std::uint8_t>());
  std::copy(set.labels.begin(), set.labels.end(), labels.data_ptr<std::int64_t>());
  return {images, labels};
}

}  // namespace batchscope::digits
