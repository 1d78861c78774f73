// SPDX-License-Identifier: Apache-2.0
#include "gradient/layer_operation.h"

#include <ATen/ops/group_norm.h>
#include <ATen/ops/im2col.h>
#include <ATen/ops/layer_norm.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace batchscope::train {
namespace {

using Squares = LayerOperation::Squares;
using Arguments = c10::ArrayRef<const c10::IValue>;
using Reader = LayerOperation (*)(Arguments);

// The squares of operations whose inputs and gradients have the examples first.

// Takes a linear layer by example, position and feature.
Squares positions(const at::Tensor& input, const at::Tensor& gradient) {
  const std::int64_t count = input.size(1), features = input.size(2), outputs = gradient.size(2);
  const at::Tensor bias = gradient.sum(1).square().sum();
  if (count * (features + outputs) < features * outputs)
    return {(input.bmm(input.mT()) * gradient.bmm(gradient.mT())).sum(), bias};
  return {gradient.mT().bmm(input).square().sum(), bias};
}

Squares linear(const LayerOperation&, const at::Tensor& input, const at::Tensor& gradient) {
  if (input.dim() > 2) return positions(input.flatten(1, -2), gradient.flatten(1, -2));
  const at::Tensor squares = gradient.square().sum(1);
  return {squares.dot(input.square().sum(1)), squares.sum()};
}

// Sizes: kernel, dilation, padding and stride, two of each, and the groups of channels. Each of these is a
// linear layer of its own.
Squares convolution(const LayerOperation& layer, const at::Tensor& input, const at::Tensor& gradient) {
  const auto pair = [&](std::size_t i) { return at::IntArrayRef(layer.sizes).slice(2 * i, 2); };
  const at::Tensor pictures = input.dim() == 3 ? input.unsqueeze(2) : input;  // a line is one pixel high
  const std::int64_t groups = layer.sizes.back();
  const auto patches = at::im2col(pictures, pair(0), pair(1), pair(2), pair(3)).mT().chunk(groups, 2);
  const auto gradients = gradient.flatten(2).mT().chunk(groups, 2);
  Squares sum = positions(patches[0], gradients[0]);
  for (std::size_t i = 1; i < patches.size(); ++i) {
    const Squares more = positions(patches[i], gradients[i]);
    sum = {sum[0] + more[0], sum[1] + more[1]};
  }
  return sum;
}

// Sizes: the word that is padding, below 0 if there is none.
Squares embedding(const LayerOperation& layer, const at::Tensor& input, const at::Tensor& gradient) {
  const at::Tensor words = input.reshape({input.size(0), -1});
  const at::Tensor gradients = gradient.reshape({input.size(0), -1, gradient.size(-1)});
  at::Tensor same = words.unsqueeze(2).eq(words.unsqueeze(1));
  if (layer.sizes[0] >= 0) same = same.logical_and(words.ne(layer.sizes[0]).unsqueeze(2));
  return {(gradients.bmm(gradients.mT()) * same).sum(), {}};
}

// A normalisation layer adds up each example's shares over the dimensions from `first` to `end`.
Squares normalisation(const at::Tensor& normalised, const at::Tensor& gradient, std::int64_t first,
                      std::int64_t end) {
  std::vector<std::int64_t> dimensions(static_cast<std::size_t>(end - first));
  std::iota(dimensions.begin(), dimensions.end(), first);
  const auto square = [&](const at::Tensor& shares) {
    return (dimensions.empty() ? shares : shares.sum(dimensions)).square().sum();
  };
  return {square(gradient * normalised), square(gradient)};
}

// Sizes: the shape that is normalised.
Squares layer_norm(const LayerOperation& layer, const at::Tensor& input, const at::Tensor& gradient) {
  const at::Tensor normalised = at::layer_norm(input, layer.sizes, {}, {}, layer.epsilon);
  return normalisation(normalised, gradient, 1, input.dim() - std::ssize(layer.sizes));
}

// Sizes: the number of groups.
Squares group_norm(const LayerOperation& layer, const at::Tensor& input, const at::Tensor& gradient) {
  return normalisation(at::group_norm(input, layer.sizes[0], {}, {}, layer.epsilon), gradient, 2,
                       input.dim());
}

// The arguments of each operation are those of ATen's native_functions.yaml.

at::Tensor optional_tensor(const c10::IValue& value) {
  return value.isTensor() ? value.toTensor() : at::Tensor();
}

// The parameter of which this is the transpose, or the tensor itself.
at::Tensor untransposed(const at::Tensor& weight) {
  if (weight.dim() != 2 || !weight.is_view()) return weight;
  const at::Tensor base(weight._base());
  const bool is_transpose = base.dim() == 2 && base.numel() == weight.numel() &&
                            base.size(0) == weight.size(1) && base.stride(0) == weight.stride(1) &&
                            base.stride(1) == weight.stride(0);
  return is_transpose ? base : weight;
}

LayerOperation linear_of(at::Tensor weight, at::Tensor bias, const at::Tensor& input) {
  if (input.dim() < 2) return {};
  return {.parameters = {std::move(weight), std::move(bias)},
          .input = input.detach(),
          .leading = input.dim() - 1,
          .of = linear,
          .sizes = {}};
}

LayerOperation read_linear(Arguments given) {
  return linear_of(given[1].toTensor(), optional_tensor(given[2]), given[0].toTensor());
}

// bias + input weight, as LibTorch's Linear does it.
LayerOperation read_addmm(Arguments given) {
  if (!given[3].toScalar().equal(1) || !given[4].toScalar().equal(1)) return {};
  return linear_of(untransposed(given[2].toTensor()), given[0].toTensor(), given[1].toTensor());
}

LayerOperation read_matmul(Arguments given) {
  if (given[1].toTensor().dim() != 2) return {};
  return linear_of(untransposed(given[1].toTensor()), {}, given[0].toTensor());
}

LayerOperation read_convolution(Arguments given) {
  const at::Tensor input = given[0].toTensor(), weight = given[1].toTensor();
  if (input.dim() != weight.dim() || !given[4].isIntList()) return {};  // a single picture; padding by name
  LayerOperation layer{.parameters = {weight, optional_tensor(given[2])},
                       .input = input.detach(),
                       .of = convolution,
                       .sizes = {}};
  const auto add = [&](std::vector<std::int64_t> pair, std::int64_t of_one_pixel) {
    if (pair.size() == 1) pair.insert(pair.begin(), of_one_pixel);
    layer.sizes.insert(layer.sizes.end(), pair.begin(), pair.end());
  };
  add(weight.sizes().slice(2).vec(), 1);
  add(given[5].toIntVector(), 1);
  add(given[4].toIntVector(), 0);
  add(given[3].toIntVector(), 1);
  layer.sizes.push_back(given[6].toInt());
  return layer;
}

LayerOperation read_embedding(Arguments given) {
  if (given[3].toBool() || given[4].toBool()) return {};  // scaled by frequency; sparse
  return {.parameters = {given[0].toTensor(), at::Tensor()},
          .input = given[1].toTensor(),
          .leading = given[1].toTensor().dim(),
          .of = embedding,
          .sizes = {given[2].toInt()}};
}

LayerOperation read_layer_norm(Arguments given) {
  const at::Tensor input = given[0].toTensor();
  auto shape = given[1].toIntVector();
  return {.parameters = {optional_tensor(given[2]), optional_tensor(given[3])},
          .input = input.detach(),
          .leading = input.dim() - std::ssize(shape),
          .of = layer_norm,
          .sizes = std::move(shape),
          .epsilon = given[4].toDouble()};
}

LayerOperation read_group_norm(Arguments given) {
  return {.parameters = {optional_tensor(given[2]), optional_tensor(given[3])},
          .input = given[0].toTensor().detach(),
          .of = group_norm,
          .sizes = {given[1].toInt()},
          .epsilon = given[4].toDouble()};
}

LayerOperation read_batch_norm(Arguments given) {
  LayerOperation layer;
  layer.parameters = {optional_tensor(given[1]), optional_tensor(given[2])};
  layer.couples = given[5].toBool();
  return layer;
}

LayerOperation tells_nothing(Arguments) { return {}; }

const std::unordered_map<std::string_view, Reader> kReaders{
    {"aten::linear", read_linear},          {"aten::addmm", read_addmm},
    {"aten::matmul", read_matmul},          {"aten::mm", read_matmul},
    {"aten::conv1d", read_convolution},     {"aten::conv2d", read_convolution},
    {"aten::embedding", read_embedding},    {"aten::layer_norm", read_layer_norm},
    {"aten::group_norm", read_group_norm},  {"aten::batch_norm", read_batch_norm},
    {"aten::instance_norm", tells_nothing}, {"aten::lstm", tells_nothing},
    {"aten::gru", tells_nothing},           {"aten::rnn_tanh", tells_nothing},
    {"aten::rnn_relu", tells_nothing},
};

at::Tensor wide(const at::Tensor& tensor) {
  const bool is_half = tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
  return is_half ? tensor.to(at::kFloat) : tensor;
}

}  // namespace

Squares LayerOperation::squares(const at::Tensor& gradient, std::int64_t examples) const {
  std::int64_t dimension = -1;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(leading, 2) && i + 1 < gradient.dim(); ++i)
    if (input.size(i) == examples && gradient.size(i) == examples &&
        (dimension < 0 || input.stride(i) > input.stride(dimension)))
      dimension = i;
  if (dimension < 0) return {};
  return of(*this, wide(input).movedim(dimension, 0), wide(gradient).movedim(dimension, 0));
}

std::optional<LayerOperation> layer_operation(const char* name, Arguments arguments) {
  const auto reader = kReaders.find(name);
  if (reader == kReaders.end()) return {};
  return reader->second(arguments);
}

}  // namespace batchscope::train
