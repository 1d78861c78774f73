// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/script.h"

#include <cstdlib>

#include "system/programs.h"

namespace batchscope::run {

std::string interpreter_of(const std::filesystem::path& file) {
  std::error_code error;
  if (file.extension() != ".py" || !std::filesystem::is_regular_file(file, error) || is_executable(file))
    return {};
  const char* named = std::getenv("PYTHON");
  return named && *named ? named : "/usr/bin/python3";
}

}  // namespace batchscope::run
