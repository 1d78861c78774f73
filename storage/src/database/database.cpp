// SPDX-License-Identifier: Apache-2.0
//
// Opening, and the few pragmas that make our use of SQLite: https://sqlite.org/wal.html. In WAL mode
// with synchronous NORMAL a killed process loses nothing that was committed, a power cut at most the
// last commits; neither damages the file.
#include "database/database.h"

#include <SQLiteCpp/Backup.h>
#include <sqlite3.h>

#include <chrono>
#include <thread>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/private_files.h"

namespace batchscope::storage {
namespace {

namespace fs = std::filesystem;

// A reader that keeps the log from being emptied costs a check at the next opening, so few are waited for.
constexpr int kCheckpointPatienceMs = 300;

SQLite::Database connect(const fs::path& file, Access access) {
  try {
    if (access == Access::read) {
      if (!fs::exists(file)) throw Error(ErrorKind::not_found, "there is no " + file.string() + " yet");
      return SQLite::Database(file.string(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
    }
    protocol::make_private_directories(file.parent_path());
    protocol::make_private_file(file);  // SQLite gives what it puts beside a file the file's own rights
    return SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs);
  } catch (const SQLite::Exception& e) {
    throw_error(file, e);
  }
}

// Returns the file as a URI, so that it can carry options.
std::string uri(const fs::path& file, const std::string& options) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string text = "file:";
  for (const unsigned char c : fs::absolute(file).string()) {
    if (c == '%' || c == '?' || c == '#')
      text += {'%', kHex[c >> 4], kHex[c & 15]};
    else
      text += static_cast<char>(c);
  }
  return text + "?" + options;
}

// Two processes that make a file at the same moment get in each other's way here, and SQLite does not
// wait by itself when it changes the journal mode.
void use_write_ahead_log(SQLite::Database& connection) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  for (;;) {
    try {
      connection.execAndGet("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& e) {
      if (e.getErrorCode() != SQLITE_BUSY || Clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

}  // namespace

Database::FullSynchronous::FullSynchronous(SQLite::Database& connection) : connection_(connection) {
  connection_.tryExec("PRAGMA synchronous = FULL");
}

Database::FullSynchronous::~FullSynchronous() { connection_.tryExec("PRAGMA synchronous = NORMAL"); }

Database::Database(const fs::path& file, const Schema& schema, Access access, const Content& content)
    : file_(file), connection_(connect(file, access)) {
  guard([&] {
    try {
      open(schema, access, content);
    } catch (const SQLite::Exception& e) {
      if (!is_read_only_medium(e) || !fs::exists(file_)) throw;
      open_for_looking(schema);
    }
    data_version_ = data_version();
  });
}

void Database::open(const Schema& schema, Access access, const Content& content) {
  const int version = identify(connection_, file_, schema);
  if (access == Access::read) {
    if (version == 0) throw Error(ErrorKind::not_found, "there is nothing in " + file_.string() + " yet");
    return look_at_older(schema);
  }
  if (sqlite3_db_readonly(connection_.getHandle(), "main") == 1) return look_at_older(schema);
  use_write_ahead_log(connection_);
  connection_.exec("PRAGMA synchronous = NORMAL");
  connection_.exec("PRAGMA foreign_keys = ON");
  connection_.exec("PRAGMA journal_size_limit = 16777216");
  const auto fill = version == 0 && content ? content(file_) : nullptr;
  migrate(connection_, file_, schema, [&] {
    if (fill) fill(*this);
  });
}

// SQLite cannot make its shared memory beside the file, so it must be told that nobody else will write it.
void Database::open_for_looking(const Schema& schema) {
  connection_ = SQLite::Database(uri(file_, "immutable=1"), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  open(schema, Access::read, {});
}

// Brings an older file that may not be changed on disk up to date in memory, where it can only be read.
void Database::look_at_older(const Schema& schema) {
  if (identify(connection_, file_, schema) == static_cast<int>(schema.migrations.size())) return;
  SQLite::Database copy(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Backup(copy, connection_).executeStep();
  upgrade(copy, file_, schema, {});
  copy.exec("PRAGMA query_only = ON");
  connection_ = std::move(copy);
}

SQLite::Statement& Database::prepared(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) found = statements_.try_emplace(sql, connection_, std::string(sql)).first;
  return found->second;
}

int Database::run(Query statement) {
  while (statement.next()) continue;
  return connection_.getChanges();
}

std::int64_t Database::data_version() {
  Query version = query("PRAGMA data_version");
  version.next();
  return version.integer(0);
}

bool Database::changed() {
  return guard([&] {
    const std::int64_t before = std::exchange(data_version_, data_version());
    return data_version_ != before;
  });
}

void Database::quick_check() {
  guard([&] {
    Query check = query("PRAGMA quick_check(1)");
    check.next();
    if (const std::string found = check.text(0); found != "ok")
      throw Error(ErrorKind::corrupt,
                  file_.string() + " is damaged: " + found + "; move it aside, or restore a copy of it");
  });
}

void Database::checkpoint() noexcept {
  sqlite3_busy_timeout(connection_.getHandle(), kCheckpointPatienceMs);
  connection_.tryExec("PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite3_busy_timeout(connection_.getHandle(), kBusyTimeoutMs);
}

}  // namespace batchscope::storage
