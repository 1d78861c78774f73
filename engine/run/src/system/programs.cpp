// SPDX-License-Identifier: Apache-2.0
#include "system/programs.h"

#include <unistd.h>

#include <cstdlib>

#include "batchscope/protocol/error.h"
#include "batchscope/run/own_program.h"

namespace batchscope::run {

namespace fs = std::filesystem;

fs::path program_directory() {
  if (const char* set = std::getenv("BATCHSCOPE_BIN"); set && *set) return fs::absolute(set);
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

fs::path python_hook() {
  for (const fs::path& folder :
       {program_directory() / "python/hook", fs::path("/usr/share/batchscope/python/hook")}) {
    std::error_code error;
    if (fs::is_regular_file(folder / "sitecustomize.py", error)) return folder;
  }
  return {};
}

bool is_executable(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

fs::path own_program(const std::string& name) {
  fs::path program = program_directory() / name;
  if (!is_executable(program))
    throw Error(ErrorKind::not_found,
                program.string() +
                    " is missing: build it (./dev build), or set BATCHSCOPE_BIN to the folder that holds it");
  return program;
}

}  // namespace batchscope::run
