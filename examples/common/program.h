// SPDX-License-Identifier: Apache-2.0
//
// The frame of every example around its training: reads the command line, explains mistakes, records its
// options as the run's hyperparameters, turns exceptions into a line and an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace batchscope::examples {

// Prints a line on standard output at once, on rank 0 only. Takes printf's arguments, without the newline.
[[gnu::format(printf, 1, 2)]] void print_line(const char* format, ...);

// "batch 128 on 2 replicas"
std::string batch_text(std::int64_t batch_size);

class Program {
 public:
  // `examples`: command lines that --help shows below the options.
  Program(const std::string& name, const std::string& description, const std::string& examples);

  // Returns the parser, to which the program adds its options; help shows their defaults.
  CLI::App& options() { return app_; }
  // Returns the values of all options, under their names with _ for -.
  std::map<std::string, std::string> hyperparameters() const;

  // Parses, trains and returns the exit code, for main. After --help or a mistake, which it explains, it does
  // not train.
  int run(int argc, char** argv, const std::function<void()>& train);

 private:
  CLI::App app_;
};

}  // namespace batchscope::examples
