// SPDX-License-Identifier: Apache-2.0
#include "batchscope/storage/maintenance.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>
#include <unistd.h>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/private_files.h"
#include "database/sqlite_error.h"

namespace batchscope::storage {
namespace {

namespace fs = std::filesystem;

SQLite::Database open(const fs::path& file, int flags) {
  if (!fs::exists(file)) throw Error(ErrorKind::not_found, "there is no " + file.string());
  return SQLite::Database(file.string(), flags, kBusyTimeoutMs);
}

}  // namespace

void back_up(const fs::path& file, const fs::path& copy) {
  if (fs::exists(copy)) throw Error(ErrorKind::conflict, copy.string() + " exists already");
  const fs::path unfinished = copy.string() + ".partial-" + std::to_string(getpid());
  try {
    {
      SQLite::Database from = open(file, SQLite::OPEN_READONLY);
      fs::remove(unfinished);
      protocol::make_private_file(unfinished);
      SQLite::Database to(unfinished.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      SQLite::Backup backup(to, from);
      // In one step, for one that follows somebody's commit would begin anew, and never end where commits are
      // many. A writer waits for no reader.
      if (const int code = backup.executeStep(); code != SQLITE_DONE)
        throw SQLite::Exception(sqlite3_errstr(code), code);
    }
    fs::rename(unfinished, copy);
  } catch (const SQLite::Exception& error) {
    fs::remove(unfinished);
    throw_error(file, error);
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::io, error.what());
  }
}

std::int64_t size_on_disk(const fs::path& file) {
  std::int64_t bytes = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code missing;
    const auto size = fs::file_size(file.string() + suffix, missing);
    if (!missing) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

void vacuum(const fs::path& file) {
  try {
    SQLite::Database connection = open(file, SQLite::OPEN_READWRITE);
    connection.exec("VACUUM");
    connection.tryExec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (const SQLite::Exception& error) {
    throw_error(file, error);
  }
}

std::vector<std::string> check(const fs::path& file) {
  std::vector<std::string> faults;
  try {
    SQLite::Database connection = open(file, SQLite::OPEN_READONLY);
    SQLite::Statement row(connection, "PRAGMA integrity_check(20)");
    while (row.executeStep())
      if (const std::string text = row.getColumn(0).getString(); text != "ok") faults.push_back(text);
  } catch (const SQLite::Exception& error) {
    faults.emplace_back(error.what());
  }
  return faults;
}

}  // namespace batchscope::storage
