// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/store_size.h"

#include <string>

namespace batchscope::desktop {
namespace {

namespace fs = std::filesystem;

// A database with its write-ahead log.
std::int64_t databaseSize(const fs::path& file) {
  std::int64_t bytes = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code missing;
    const auto size = fs::file_size(file.string() + suffix, missing);
    if (!missing) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

}  // namespace

std::int64_t storeSize(const fs::path& catalogue) {
  std::int64_t bytes = databaseSize(catalogue);
  std::error_code missing;
  for (const auto& run : fs::directory_iterator(catalogue.parent_path() / "runs", missing)) {
    bytes += databaseSize(run.path() / "samples.db");
  }
  return bytes;
}

}  // namespace batchscope::desktop
