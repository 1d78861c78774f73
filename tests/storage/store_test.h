// SPDX-License-Identifier: Apache-2.0
//
// What the storage tests share: a folder of their own, the kind of an error.
#pragma once

#include <sqlite3.h>

#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/storage.h"
#include "same.h"

namespace batchscope::storage::test {

struct Folder {
  QTemporaryDir folder;
  std::filesystem::path path() const { return folder.path().toStdString(); }
  std::filesystem::path operator/(const char* name) const { return path() / name; }
};

// The error that the call throws; none where it throws none.
inline std::optional<Error> error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e;
  }
  return std::nullopt;
}

// Its kind as a word, so that a comparison that fails says what was seen.
inline std::string kind_of(const std::function<void()>& call) {
  const auto error = error_of(call);
  return error ? error_kind_name(error->kind()) : "nothing was thrown";
}

// Meddles with a file behind the store's back. True where SQLite took it.
inline bool meddle(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* connection = nullptr;
  const bool done = sqlite3_open(file.c_str(), &connection) == SQLITE_OK &&
                    sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(connection);
  return done;
}

}  // namespace batchscope::storage::test
