// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/command.h"

#include "batchscope/protocol/error.h"
#include "system/programs.h"

namespace batchscope::run {

std::filesystem::path command_program() {
  const std::filesystem::path program = program_directory() / "batchscope";
  if (!is_executable(program))
    throw Error(
        ErrorKind::not_found,
        program.string() + " is missing: build it, or set BATCHSCOPE_BIN to the folder that holds it");
  return program;
}

}  // namespace batchscope::run
