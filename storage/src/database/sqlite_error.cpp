// SPDX-License-Identifier: Apache-2.0
//
// The table of SQLite's result codes. Extended codes carry the primary one in their low byte.
#include "database/sqlite_error.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <string>

#include "batchscope/protocol/error.h"

namespace batchscope::storage {
namespace {

int primary_code(const SQLite::Exception& cause) noexcept { return cause.getErrorCode() & 0xff; }

}  // namespace

void throw_error(const std::filesystem::path& file, const SQLite::Exception& cause) {
  const std::string name = file.string();
  const std::string detail = std::string(" (SQLite: ") + cause.what() + ")";
  switch (primary_code(cause)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(
          ErrorKind::timeout,
          fmt::format(
              "{} has been locked by another process for {} s: find out which one holds it (fuser {}){}",
              name, kBusyTimeoutMs / 1000, name, detail));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw Error(ErrorKind::corrupt, name + " is damaged: move it aside, or restore a copy of it" + detail);
    case SQLITE_FULL: throw Error(ErrorKind::io, "no space left to write " + name + ": free some" + detail);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      throw Error(ErrorKind::io,
                  name + " cannot be written: check its permissions and its folder's" + detail);
    case SQLITE_CANTOPEN:
      throw Error(ErrorKind::io, name + " cannot be opened: check its folder and the permissions" + detail);
    case SQLITE_IOERR:
      throw Error(ErrorKind::io, "the system refused to read or write " + name + ": check the disk" + detail);
    default: throw Error(ErrorKind::failure, name + ": " + cause.what());
  }
}

bool is_read_only_medium(const SQLite::Exception& cause) noexcept {
  const int code = primary_code(cause);
  return code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM;
}

}  // namespace batchscope::storage
