// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/error.h"

#include <array>

namespace batchscope {
namespace {

struct Row {
  ErrorKind kind;
  const char* name;
  int code;
};

constexpr std::array kRows{
    Row{ErrorKind::failure, "failure", kExitFailure},
    Row{ErrorKind::usage, "usage", kExitUsage},
    Row{ErrorKind::not_found, "not_found", kExitNotFound},
    Row{ErrorKind::conflict, "conflict", kExitConflict},
    Row{ErrorKind::corrupt, "corrupt", kExitCorrupt},
    Row{ErrorKind::version, "version", kExitCorrupt},
    Row{ErrorKind::timeout, "timeout", kExitTimeout},
    Row{ErrorKind::io, "io", kExitFailure},
};

}  // namespace

int exit_code(ErrorKind kind) noexcept {
  for (const Row& row : kRows)
    if (row.kind == kind) return row.code;
  return kExitFailure;
}

const char* error_kind_name(ErrorKind kind) noexcept {
  for (const Row& row : kRows)
    if (row.kind == kind) return row.name;
  return "failure";
}

ErrorKind parse_error_kind(const std::string& name) noexcept {
  for (const Row& row : kRows)
    if (name == row.name) return row.kind;
  return ErrorKind::failure;
}

}  // namespace batchscope
