// SPDX-License-Identifier: Apache-2.0
//
// The base of the storage tests: a folder of their own, a run of a name, and the file behind the store's
// back.
#pragma once

#include <sqlite3.h>

#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage.h"
#include "same.h"
#include "text_files.h"
#include "thrown.h"

namespace batchscope::storage::test {

// A new one for each function of a test: `folder_ = {}` in its init().
struct Folder {
  std::unique_ptr<QTemporaryDir> folder = std::make_unique<QTemporaryDir>();
  std::filesystem::path path() const { return folder->path().toStdString(); }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path() / name; }
};

using testing::contents;
using testing::error_of;
using testing::kind_of;
using testing::write_file;

inline protocol::RunSpec named(const std::string& name) {
  protocol::RunSpec spec;
  spec.name = name;
  return spec;
}

using Names = std::vector<std::string>;

// These devices, whoever else has them.
inline Catalogue::Choice always(const Names& devices) {
  return [devices](const auto&, const auto&) { return devices; };
}

// Meddles with a file behind the store's back. True where SQLite took it.
inline bool meddle(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* connection = nullptr;
  const bool done = sqlite3_open(file.c_str(), &connection) == SQLITE_OK &&
                    sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(connection);
  return done;
}

// Puts bytes in the place of those of a file from `at` on.
inline void overwrite(const std::filesystem::path& file, std::uintmax_t at, const std::string& bytes) {
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(at));
  out << bytes;
}

// Overwrites the first page of a table; the file must be closed.
inline void damage_table(const std::filesystem::path& file, const std::string& table) {
  constexpr std::uintmax_t kPage = 4096;
  sqlite3* connection = nullptr;
  sqlite3_stmt* row = nullptr;
  sqlite3_open(file.c_str(), &connection);
  const std::string sql = "SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'";
  sqlite3_prepare_v2(connection, sql.c_str(), -1, &row, nullptr);
  sqlite3_step(row);
  const auto page = static_cast<std::uintmax_t>(sqlite3_column_int64(row, 0));
  sqlite3_finalize(row);
  sqlite3_close(connection);
  overwrite(file, (page - 1) * kPage, std::string(kPage, '\x55'));
}

// Changes the file to one that was not made by SQLite's rules: any column takes any type.
inline bool loosen(const std::filesystem::path& file) {
  return meddle(file,
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '')");
}

}  // namespace batchscope::storage::test
