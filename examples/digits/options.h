// SPDX-License-Identifier: Apache-2.0
//
// The example's command line.
#pragma once

#include <cstdint>
#include <string>

#include "program.h"
#include "scaling.h"

namespace batchscope::digits {

struct Options {
  explicit Options(CLI::App& app);

  int epochs = 40;
  double lr = 0.01;
  double momentum = 0.9;
  std::uint64_t seed = 0;
  std::string data;                // folder with MNIST's files; empty: drawn
  std::uint32_t train_images = 0;  // 0: all
  examples::ScalingOptions scaling{.batch_size = 32, .max_batch_size = 1024};
};

}  // namespace batchscope::digits
