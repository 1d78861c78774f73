// SPDX-License-Identifier: Apache-2.0
#include "unfinished.h"

#include <fmt/format.h>
#include <unistd.h>

#include "batchscope/protocol/error.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

// "a/b/" names what "a/b" does.
fs::path withFileName(const fs::path& path) {
  const fs::path plain = fs::absolute(path).lexically_normal();
  return plain.has_filename() ? plain : plain.parent_path();
}

}  // namespace

Unfinished::Unfinished(const fs::path& name)
    : name_(withFileName(name)),
      folder_(fmt::format("{}.partial-{}", name_.string(), getpid())),
      path_(folder_ / name_.filename()) {
  std::error_code fault;
  fs::remove_all(folder_, fault);
  if (!fs::create_directory(folder_, fault))
    throw Error(ErrorKind::io, fmt::format("cannot write {}: {}", name.string(), fault.message()));
}

Unfinished::~Unfinished() {
  std::error_code fault;
  fs::remove_all(folder_, fault);
}

void Unfinished::finish() {
  std::error_code fault;
  fs::rename(path_, name_, fault);
  if (fault) throw Error(ErrorKind::io, fmt::format("cannot write {}: {}", name_.string(), fault.message()));
}

}  // namespace batchscope::cli
