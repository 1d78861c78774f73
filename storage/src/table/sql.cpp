// SPDX-License-Identifier: Apache-2.0
//
// Three locks on one door: the file is opened read-only, `query_only` is set, and an authorizer sees every
// statement while it is compiled. The last also keeps a question from attaching other files and from loading
// code.
#include "batchscope/storage/sql.h"

#include <sqlite3.h>

#include <array>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "batchscope/protocol/error.h"
#include "catalogue/catalogue_schema.h"
#include "database/database.h"
#include "table/sample_table.h"

namespace batchscope::storage {
namespace {

constexpr std::array<std::string_view, 7> kPragmas{"table_info",  "table_xinfo",      "table_list",
                                                   "index_list",  "foreign_key_list", "index_info",
                                                   "user_version"};

constexpr int kStepsBetweenLooks = 1000;  // of SQLite's machine, a fraction of a millisecond

// The last two are the names of the database and of what asks; the second is a pragma's or a function's
// argument.
int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return std::string_view(second) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA: {
      const std::string_view name = first;
      const bool sets_version = name == "user_version" && second != nullptr;
      for (const std::string_view known : kPragmas)
        if (name == known && !sets_version) return SQLITE_OK;
      return SQLITE_DENY;
    }
    default: return SQLITE_DENY;
  }
}

SqlValue value_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return static_cast<std::int64_t>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement, column));
      return std::vector<std::uint8_t>(bytes, bytes + sqlite3_column_bytes(statement, column));
    }
    default: return std::monostate();
  }
}

struct Finalizer {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

}  // namespace

struct SqlSession::Impl {
  // Through Database for its checks of the file and its ways with read-only media.
  Impl(const std::filesystem::path& file, const SampleFiles& files)
      : database(file, catalogue_schema(), Access::read) {
    database.execute("PRAGMA query_only = ON");
    database.execute("PRAGMA trusted_schema = OFF");
    if (!files.empty()) {
      samples.emplace(database.handle(), files);
      database.query("PRAGMA table_info(sample)");  // connected here: no authorizer would let that pass
    }
    sqlite3_set_authorizer(database.handle(), authorize, nullptr);
    sqlite3_progress_handler(database.handle(), kStepsBetweenLooks, look, this);
  }

  // Not to be thrown through SQLite.
  static int look(void* self) {
    auto& impl = *static_cast<Impl*>(self);
    if (!impl.watch) return 0;
    try {
      impl.watch();
      return 0;
    } catch (...) {
      impl.interruption = std::current_exception();
      return 1;
    }
  }

  [[noreturn]] void refuse() {
    if (interruption) std::rethrow_exception(interruption);
    if (samples) samples->rethrow();
    const SQLite::Exception cause(database.handle());
    const std::string why = cause.what();
    if (cause.getErrorCode() == SQLITE_AUTH)
      throw Error(ErrorKind::usage, "a query cannot change the store: " + why);
    try {
      throw_error(database.file(), cause);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::failure) throw;  // of the file, not of the query
    }
    throw Error(ErrorKind::usage, "SQL: " + why);
  }

  Watch watch;
  std::exception_ptr interruption;
  std::optional<SampleTable> samples;
  Database database;
};

SqlSession::SqlSession(const std::filesystem::path& catalogue, const SampleFiles& samples)
    : impl_(std::make_unique<Impl>(catalogue, samples)) {}

SqlSession::~SqlSession() = default;

void SqlSession::set_watch(Watch watch) { impl_->watch = std::move(watch); }

std::int64_t SqlSession::rows_read() const { return impl_->samples ? impl_->samples->rows_read() : 0; }

std::int64_t SqlSession::samples_visited() const {
  return impl_->samples ? impl_->samples->samples_visited() : 0;
}

void SqlSession::ask(std::string_view sql, const OnColumns& on_columns, const OnRow& on_row) {
  sqlite3* connection = impl_->database.handle();
  if (impl_->samples) impl_->samples->begin_statement();
  impl_->interruption = nullptr;
  sqlite3_stmt* compiled = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &compiled, &rest);
  const Statement statement(compiled);
  if (code != SQLITE_OK) impl_->refuse();
  if (!statement) throw Error(ErrorKind::usage, "SQL: there is no statement");
  const std::string_view after(rest, static_cast<std::size_t>(sql.data() + sql.size() - rest));
  if (after.find_first_not_of(" \t\r\n;") != std::string_view::npos)
    throw Error(ErrorKind::usage,
                "SQL: one statement at a time; this follows the first: " + std::string(after));

  const int count = sqlite3_column_count(compiled);
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(sqlite3_column_name(compiled, i));
  on_columns(names);
  std::vector<SqlValue> row(static_cast<std::size_t>(count));
  for (;;) {
    const int step = sqlite3_step(compiled);
    if (step == SQLITE_DONE) return;
    if (step != SQLITE_ROW) impl_->refuse();
    for (int i = 0; i < count; ++i) row[static_cast<std::size_t>(i)] = value_of(compiled, i);
    if (!on_row(row)) return;
  }
}

}  // namespace batchscope::storage
