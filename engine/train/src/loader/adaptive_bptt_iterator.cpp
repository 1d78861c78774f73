// SPDX-License-Identifier: Apache-2.0
//
// A loop over windows of a text. The windows are the samples; what makes them columns is their order.
#include "batchscope/train/adaptive_bptt_iterator.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <string>
#include <vector>

#include "batchscope/protocol/error.h"
#include "data/columns.h"

namespace batchscope {

using namespace replica;
namespace {

constexpr std::int64_t kIgnored = -100;  // cross_entropy's ignore_index

// The targets are all tokens but the first.
std::int64_t windows_of(const at::Tensor& tokens, std::int64_t length) {
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorKind::usage, "AdaptiveBPTTIterator: " + why);
  };
  if (!tokens.defined() || tokens.dim() != 1 || !at::isIntegralType(tokens.scalar_type(), false))
    refuse("the text must be a tensor of one dimension and whole numbers");
  if (tokens.size(0) < 2) refuse("the text has fewer than two tokens");
  if (length < 1) refuse("bptt_len is " + std::to_string(length) + ", but must be at least 1");
  return (tokens.size(0) - 1 + length - 1) / length;
}

AdaptiveDataLoaderHelper::Options as_samples(std::int64_t windows,
                                             const AdaptiveBPTTIterator::Options& options) {
  const auto order = [windows](int, std::int64_t, const std::vector<Cut>& cuts) {
    return column_order(windows, cuts);
  };
  return {.size = windows,
          .batch_size = options.batch_size,
          .drop_last = options.drop_last,
          .training = options.training,
          .order = order,
          .name = options.name};
}

// Whether the window of the same column one row up is the one before it in the text.
at::Tensor continues(const DataPass& pass, std::int64_t number, std::int64_t columns) {
  const at::Tensor result = at::zeros({columns}, at::kBool);
  const Cut cut = pass.cuts().back();
  const auto& order = pass.order();
  bool* column = result.data_ptr<bool>();
  for (const std::int64_t position : pass.positions(number)) {
    const auto at = static_cast<std::size_t>(position), up = at - static_cast<std::size_t>(cut.width);
    *column++ = position - cut.width >= cut.start && order[up] + 1 == order[at];
  }
  return result;
}

}  // namespace

AdaptiveBPTTIterator::AdaptiveBPTTIterator(const at::Tensor& tokens, const Options& options)
    : AdaptiveDataLoaderMixin(as_samples(windows_of(tokens, options.bptt_len), options)),
      tokens_(tokens.to(at::kLong)),
      options_(options) {}

LoopIterator<TextBatch> AdaptiveBPTTIterator::begin() {
  return {loop(), [this](const Loop& loop) { return batch(*loop.pass(), loop.number()); }};
}

TextBatch AdaptiveBPTTIterator::batch(const DataPass& pass, std::int64_t number) const {
  const at::Device device = tokens_.device();
  const at::Tensor windows = at::tensor(pass.ids(number), at::kLong).to(device);
  const auto columns = windows.size(0), last = tokens_.size(0) - 2;
  const at::Tensor place = at::arange(options_.bptt_len, windows.options()).unsqueeze(1) +
                           windows.unsqueeze(0) * options_.bptt_len;
  const at::Tensor inside = place.clamp_max(last).flatten();
  TextBatch batch;
  batch.data = at::index_select(tokens_, 0, inside).view_as(place);
  batch.target = at::index_select(tokens_, 0, inside + 1).view_as(place).masked_fill_(place > last, kIgnored);
  if (options_.batch_first) {
    batch.data = batch.data.t().contiguous();
    batch.target = batch.target.t().contiguous();
  }
  batch.continues = continues(pass, number, columns).to(device);
  batch.count = pass.count(number);
  return batch;
}

}  // namespace batchscope
