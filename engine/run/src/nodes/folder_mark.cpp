// SPDX-License-Identifier: Apache-2.0
#include "nodes/folder_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/random_text.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

constexpr char kMarkPrefix[] = ".seen-by-nodes-";
constexpr std::size_t kMarkDigits = 32;

}  // namespace

FolderMark::FolderMark(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  for (fs::directory_iterator entry(real, error), end; !error && entry != end; entry.increment(error))
    if (std::error_code ignored; entry->path().filename().string().starts_with(kMarkPrefix))
      fs::remove(entry->path(), ignored);
  path_ = (real.empty() ? folder : real) / (kMarkPrefix + protocol::random_text(kMarkDigits));
  const int descriptor = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0)
    throw Error(ErrorKind::io, "cannot make " + path_.string() + ": " + std::strerror(errno));
  close(descriptor);
}

FolderMark::~FolderMark() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace batchscope::run
