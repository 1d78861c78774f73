// SPDX-License-Identifier: Apache-2.0
//
// The frame of every example around its training: reads the command line, explains mistakes, shows its
// options with the run as hyperparameters, turns exceptions into a line and an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace batchscope::examples {

// Prints, on rank 0, a line of standard output, at once; as printf has it, but for the newline.
[[gnu::format(printf, 1, 2)]] void print_line(const char* format, ...);

// "batch 128 on 2 replicas"
std::string batch_text(std::int64_t batch_size);

class Program {
 public:
  // `examples` are command lines, shown below the options in --help.
  Program(const std::string& name, const std::string& description, const std::string& examples);

  // Options to add to; help shows their defaults.
  CLI::App& options() { return app_; }
  // All options as they are, under their names with _ for -.
  std::map<std::string, std::string> hyperparameters() const;

  // Parses, trains and returns the exit code, for main. --help and mistakes, which it explains, train
  // nothing.
  int run(int argc, char** argv, const std::function<void()>& train);

 private:
  CLI::App app_;
};

}  // namespace batchscope::examples
