// SPDX-License-Identifier: Apache-2.0
//
// DCGAN's two networks for pictures of 28 x 28 (Radford et al. 2016). `width` is the number of channels of
// the layers with the largest pictures.
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace batchscope::examples {

// Makes a network from noise [n, noise, 1, 1] to pictures [n, 1, 28, 28] from -1 to 1.
inline torch::nn::Sequential make_generator(std::int64_t noise, std::int64_t width) {
  namespace nn = torch::nn;
  const auto up = [](std::int64_t in, std::int64_t out, int size, int stride, int padding) {
    return nn::ConvTranspose2d(
        nn::ConvTranspose2dOptions(in, out, size).stride(stride).padding(padding).bias(false));
  };
  return nn::Sequential(up(noise, 2 * width, 7, 1, 0), nn::BatchNorm2d(2 * width), nn::ReLU(),
                        up(2 * width, width, 4, 2, 1), nn::BatchNorm2d(width), nn::ReLU(),
                        up(width, 1, 4, 2, 1), nn::Tanh());
}

// Makes a network from pictures to a score for each: above 0 for real.
inline torch::nn::Sequential make_discriminator(std::int64_t width) {
  namespace nn = torch::nn;
  const auto down = [](std::int64_t in, std::int64_t out, int size, int stride, int padding) {
    return nn::Conv2d(nn::Conv2dOptions(in, out, size).stride(stride).padding(padding).bias(false));
  };
  const auto leaky = [] { return nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)); };
  return nn::Sequential(down(1, width, 4, 2, 1), leaky(), down(width, 2 * width, 4, 2, 1),
                        nn::BatchNorm2d(2 * width), leaky(), down(2 * width, 1, 7, 1, 0), nn::Flatten());
}

// Returns the loss of the scores against one target for all of them.
inline at::Tensor loss_against(const at::Tensor& scores, double wanted) {
  return at::binary_cross_entropy_with_logits(scores, at::full_like(scores, wanted));
}

inline void freeze(torch::nn::Sequential& network, bool frozen) {
  for (at::Tensor& parameter : network->parameters()) parameter.set_requires_grad(!frozen);
}

}  // namespace batchscope::examples
