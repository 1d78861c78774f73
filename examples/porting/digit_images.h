// SPDX-License-Identifier: Apache-2.0
//
// The drawn digits as a dataset of LibTorch, one image at a time, as in most programs.
#pragma once

#include <torch/data/datasets/base.h>
#include <torch/data/example.h>

#include <tuple>

#include "digit_data.h"
#include "tensors.h"

class DigitImages : public torch::data::datasets::Dataset<DigitImages> {
 public:
  explicit DigitImages(const batchscope::digits::LabelledImages& set) {
    std::tie(images_, labels_) = batchscope::digits::to_tensors(set);
  }

  torch::data::Example<> get(std::size_t index) override {
    const auto row = static_cast<std::int64_t>(index);
    return {images_[row], labels_[row]};
  }
  torch::optional<std::size_t> size() const override { return static_cast<std::size_t>(labels_.size(0)); }

  const at::Tensor& images() const { return images_; }
  const at::Tensor& labels() const { return labels_; }

 private:
  at::Tensor images_, labels_;
};
