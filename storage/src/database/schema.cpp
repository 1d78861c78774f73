// SPDX-License-Identifier: Apache-2.0
#include "database/schema.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/core.h>
#include <unistd.h>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/private_files.h"

namespace batchscope::storage {
namespace {

namespace fs = std::filesystem;

int integer(SQLite::Database& connection, const char* sql) { return connection.execAndGet(sql).getInt(); }

// A copy without free pages, complete or absent: it is written beside its name and then renamed.
void back_up(SQLite::Database& connection, const fs::path& file, int version) {
  const fs::path unfinished = backup_path(file, version).string() + "." + std::to_string(getpid());
  fs::remove(unfinished);
  protocol::make_private_file(unfinished);  // an empty file is none to SQLite
  SQLite::Statement copy(connection, "VACUUM INTO ?");
  copy.bind(1, unfinished.string());
  copy.exec();
  fs::rename(unfinished, backup_path(file, version));
}

void check_references(SQLite::Database& connection, const fs::path& file) {
  SQLite::Statement dangling(connection, "PRAGMA foreign_key_check");
  if (dangling.executeStep())
    throw Error(ErrorKind::corrupt, file.string() + ": the table " + dangling.getColumn(0).getString() +
                                        " refers to rows that do not exist; the file was left as it was");
}

int known_version(const Schema& schema) { return static_cast<int>(schema.migrations.size()); }

}  // namespace

fs::path backup_path(const fs::path& file, int version) {
  return fmt::format("{}.v{}.backup", file.string(), version);
}

int identify(SQLite::Database& connection, const fs::path& file, const Schema& schema) {
  // The order matters: where another process makes the file meanwhile, what is read after its tables is
  // there.
  const bool has_tables = integer(connection, "SELECT count(*) FROM sqlite_schema") > 0;
  const int application = integer(connection, "PRAGMA application_id");
  const int version = integer(connection, "PRAGMA user_version");
  if ((has_tables || application != 0) && application != schema.application_id)
    throw Error(ErrorKind::corrupt,
                file.string() + " is a database, but not " + schema.what + ": name another file");
  const int known = known_version(schema);
  if (version > known)
    throw Error(
        ErrorKind::version,
        fmt::format(
            "{} has version {} of the layout, but this BatchScope knows up to {}: use a newer BatchScope",
            file.string(), version, known));
  return version;
}

void migrate(SQLite::Database& connection, const fs::path& file, const Schema& schema,
             const std::function<void()>& fill) {
  const int found = identify(connection, file, schema);
  if (found == known_version(schema)) return;
  if (found > 0) {
    if (const std::string holder = schema.holder ? schema.holder(connection) : ""; !holder.empty())
      throw Error(ErrorKind::conflict, file.string() + " has an older layout and is in use by " + holder +
                                           ": wait until it ends, then try again");
    back_up(connection, file, found);
  }
  upgrade(connection, file, schema, fill);
}

void upgrade(SQLite::Database& connection, const fs::path& file, const Schema& schema,
             const std::function<void()>& fill) {
  const int known = known_version(schema);
  // Tables are rebuilt under their old name, which foreign keys would follow; they are checked afterwards.
  connection.exec("PRAGMA foreign_keys = OFF");
  SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
  const int current = identify(connection, file, schema);  // another process may have been faster
  for (int version = current; version < known; ++version)
    connection.exec(schema.migrations[static_cast<std::size_t>(version)]);
  if (current == 0 && fill) fill();
  connection.exec("PRAGMA application_id = " + std::to_string(schema.application_id));
  connection.exec("PRAGMA user_version = " + std::to_string(known));
  check_references(connection, file);
  transaction.commit();
  connection.exec("PRAGMA foreign_keys = ON");
}

}  // namespace batchscope::storage
