// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <iostream>

#include "batchscope/protocol/error.h"
#include "batchscope/replica/process_group.h"

namespace batchscope::examples {

void print_line(const char* format, ...) {
  if (replica_rank() != 0) return;
  std::va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  std::puts("");
  std::fflush(stdout);
}

std::string batch_text(std::int64_t batch_size) {
  return "batch " + std::to_string(batch_size) + " on " + std::to_string(num_replicas()) + " replica" +
         (num_replicas() == 1 ? "" : "s");
}

Program::Program(const std::string& name, const std::string& description, const std::string& examples)
    : app_(description, name) {
  app_.footer("Examples:\n" + examples);
  app_.get_formatter()->column_width(32);
  app_.option_defaults()->always_capture_default();
}

std::map<std::string, std::string> Program::hyperparameters() const {
  std::map<std::string, std::string> values;
  for (const CLI::Option* option : app_.get_options()) {
    std::string name = option->get_single_name();
    if (name == "help") continue;
    std::replace(name.begin(), name.end(), '-', '_');
    const bool flag = option->get_items_expected_max() == 0;
    values[name] = flag              ? (option->count() > 0 ? "true" : "false")
                   : option->count() ? option->as<std::string>()
                                     : option->get_default_str();
  }
  return values;
}

int Program::run(int argc, char** argv, const std::function<void()>& train) try {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  train();
  return kExitOk;
} catch (const Error& error) {
  std::cerr << app_.get_name() << ": " << error.what() << '\n';
  return exit_code(error.kind());
} catch (const std::exception& error) {
  std::cerr << app_.get_name() << ": " << error.what() << '\n';
  return kExitFailure;
}

}  // namespace batchscope::examples
