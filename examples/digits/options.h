// SPDX-License-Identifier: Apache-2.0
//
// The example's command line.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace batchscope::digits {

struct Options {
  int epochs = 40;
  std::int64_t batch_size = 32;
  std::int64_t max_batch_size = 1024;
  double lr = 0.01;
  double momentum = 0.9;
  std::uint64_t seed = 0;
  std::string data;                // folder with MNIST's files; empty: drawn
  std::uint32_t train_images = 0;  // 0: all
  bool no_autoscale = false;
  bool no_accumulation = false;
};

// Ends the program after --help, and with exit code 2 after a mistake, which it explains.
Options parse_options(int argc, char** argv);

// As they are shown with the run.
std::map<std::string, std::string> hyperparameters(const Options& options);

}  // namespace batchscope::digits
