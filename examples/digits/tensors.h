// SPDX-License-Identifier: Apache-2.0
//
// Images and labels as tensors: bytes [n, rows, columns] and long [n]. The images are not copied: in a
// replica that was forked they stay the pages that all replicas share.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "idx.h"

namespace batchscope::digits {

inline std::pair<at::Tensor, at::Tensor> to_tensors(LabelledImages set) {
  const auto pixels = std::make_shared<std::vector<std::uint8_t>>(std::move(set.images.pixels));
  auto images = at::from_blob(
      pixels->data(), {set.images.count, set.images.rows, set.images.columns}, [pixels](void*) {}, at::kByte);
  auto labels = at::empty({set.images.count}, at::kLong);
  std::copy(set.labels.begin(), set.labels.end(), labels.data_ptr<std::int64_t>());
  return {images, labels};
}

}  // namespace batchscope::digits
