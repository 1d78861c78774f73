// SPDX-License-Identifier: Apache-2.0
//
// One SQLite file of ours, opened the one way we open them: write-ahead log, foreign keys, patience for
// a lock, a known application and version. Whatever goes wrong inside SQLite leaves here as an Error
// that names the file. Not thread-safe: one Database, one thread.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "database/query.h"
#include "database/schema.h"
#include "database/sqlite_error.h"

namespace batchscope::storage {

enum class Access { write, read };

class Database {
 public:
  // The content of a new file. Called before the transaction that makes the file, and what it returns within:
  // looking for it may take long, writing it should not.
  using Content = std::function<std::function<void(Database&)>(const std::filesystem::path& file)>;

  // Access::write creates the file with its folder, or migrates an older one. Access::read throws
  // Error(not_found) where there is nothing yet, and sees an older one as it would be after migration. On a
  // read-only medium both open for looking.
  Database(const std::filesystem::path& file, const Schema& schema, Access access,
           const Content& content = {});

  const std::filesystem::path& file() const { return file_; }

  // Returns SQLite's handle, for what SQLiteCpp does not offer.
  sqlite3* handle() const { return connection_.getHandle(); }

  // `sql` must last as a literal does: it is prepared once and kept. No two queries of the same text at a
  // time.
  template <class... Values>
  Query query(std::string_view sql, const Values&... values) {
    return query_with(sql, [&](Parameters& parameters) { (parameters.add(values), ...); });
  }

  // Runs a statement to its end. The number of rows it changed.
  template <class... Values>
  int execute(std::string_view sql, const Values&... values) {
    return execute_with(sql, [&](Parameters& parameters) { (parameters.add(values), ...); });
  }

  // Executes as execute does; `add(parameters)` adds each in turn.
  template <class Add>
  int execute_with(std::string_view sql, Add&& add) {
    return run(query_with(sql, add));
  }

  // The body in one transaction; an exception rolls it back.
  template <class Body>
  auto read(Body&& body) {
    return transaction(SQLite::TransactionBehavior::DEFERRED, body);
  }
  template <class Body>
  auto write(Body&& body) {
    return transaction(SQLite::TransactionBehavior::IMMEDIATE, body);
  }

  // Writes as write does, and on the disk when it returns: not even a power cut takes it back.
  template <class Body>
  auto write_durably(Body&& body) {
    const FullSynchronous full(connection_);
    return write(body);
  }

  // True once after every commit by another connection.
  bool changed();
  // Another number after every commit by another connection.
  std::int64_t data_version();

  // SQLite's own check of the file's structure. Throws Error(corrupt).
  void quick_check();

  // Moves the write-ahead log into the file and empties it, unless a reader is in the way.
  void checkpoint() noexcept;

 private:
  // Commits wait for the disk while this lives.
  class FullSynchronous {
   public:
    explicit FullSynchronous(SQLite::Database& connection);
    ~FullSynchronous();
    FullSynchronous(const FullSynchronous&) = delete;
    FullSynchronous& operator=(const FullSynchronous&) = delete;

   private:
    SQLite::Database& connection_;
  };

  template <class Add>
  Query query_with(std::string_view sql, Add&& add) {
    SQLite::Statement& statement = prepared(sql);
    Parameters parameters(statement);
    add(parameters);
    return Query(statement);
  }

  void open(const Schema& schema, Access access, const Content& content);
  void open_for_looking(const Schema& schema);
  void look_at_older(const Schema& schema);
  SQLite::Statement& prepared(std::string_view sql);
  int run(Query statement);

  // SQLite's errors become Errors.
  template <class Body>
  auto guard(Body&& body) {
    try {
      return body();
    } catch (const SQLite::Exception& e) {
      throw_error(file_, e);
    }
  }

  template <class Body>
  auto transaction(SQLite::TransactionBehavior behavior, Body& body) {
    return guard([&] {
      SQLite::Transaction transaction(connection_, behavior);
      if constexpr (std::is_void_v<decltype(body())>) {
        body();
        transaction.commit();
      } else {
        auto result = body();
        transaction.commit();
        return result;
      }
    });
  }

  std::filesystem::path file_;
  SQLite::Database connection_;
  std::unordered_map<std::string_view, SQLite::Statement> statements_;
  std::int64_t data_version_ = 0;
};

}  // namespace batchscope::storage
