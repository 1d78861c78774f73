// SPDX-License-Identifier: Apache-2.0
//
// Versions of a file of ours. `user_version` holds the version, `application_id` says whose file it is.
// Migration v leads from version v to v + 1, so a new file takes all of them and an old one the rest,
// in one transaction, after a copy of it has been put beside it.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace batchscope::storage {

struct Schema {
  std::int32_t application_id = 0;
  std::string what;                     // "a run catalogue"
  std::vector<std::string> migrations;  // SQL; their number is the version this program knows
  // Says who is using the file, or "". Asked before an old file is migrated, which needs it undisturbed.
  std::string (*holder)(SQLite::Database&) = nullptr;
};

// The file's version; 0 for an empty one. Throws Error(version) for a newer one, Error(corrupt) for a
// database of somebody else.
int identify(SQLite::Database& connection, const std::filesystem::path& file, const Schema& schema);

// Brings the file up to date; `fill` is called within the transaction that makes a new one. Throws
// Error(conflict) while somebody uses an old one.
void migrate(SQLite::Database& connection, const std::filesystem::path& file, const Schema& schema,
             const std::function<void()>& fill);

// The same without a backup, and whoever uses the file: for a copy that nobody else knows.
void upgrade(SQLite::Database& connection, const std::filesystem::path& file, const Schema& schema,
             const std::function<void()>& fill);

// Where the copy of a file of this version is put.
std::filesystem::path backup_path(const std::filesystem::path& file, int version);

}  // namespace batchscope::storage
