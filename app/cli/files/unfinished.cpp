// SPDX-License-Identifier: Apache-2.0
#include "files/unfinished.h"

#include <fmt/format.h>
#include <unistd.h>

#include "batchscope/protocol/error.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

Unfinished::Unfinished(const OutputTarget& target)
    : target_(target),
      folder_(fmt::format("{}.partial-{}", target_.path().string(), getpid())),
      path_(folder_ / target_.path().filename()) {
  std::error_code fault;
  fs::remove_all(folder_, fault);
  if (!fs::create_directory(folder_, fault))
    throw Error(ErrorKind::io, say("cannot write {}: {}", target_.name(), fault.message()));
}

Unfinished::~Unfinished() {
  std::error_code fault;
  fs::remove_all(folder_, fault);
}

void Unfinished::finish() {
  std::error_code fault;
  fs::rename(path_, target_.path(), fault);
  if (fault) throw Error(ErrorKind::io, say("cannot write {}: {}", target_.name(), fault.message()));
}

}  // namespace batchscope::cli
