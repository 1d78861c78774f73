// SPDX-License-Identifier: Apache-2.0
//
// sql: queries the catalogue, and the samples of chosen runs, in SQL that can change nothing.
#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>

#include "batchscope/common/data_forms.h"
#include "batchscope/storage/sql.h"
#include "commands/commands.h"
#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using storage::SqlValue;
using Strings = std::vector<std::string>;

constexpr std::size_t kMostRows = 10'000;  // of a table, which is made in memory

std::string hex(const std::vector<std::uint8_t>& bytes) {
  std::string text = "x'";
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text + "'";
}

std::string textOf(const SqlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&value)) return hex(*bytes);
  return "";
}

protocol::Json jsonOf(const SqlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return protocol::encode_number(*number);
  if (std::holds_alternative<std::monostate>(value)) return nullptr;
  return textOf(value);
}

void printCsv(const Strings& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    fmt::print("{}{}", i > 0 ? "," : "", common::csvCell(std::string_view(cells[i])));
  fmt::print("\n");
}

// Keeps all rows until the end: only then it is known which columns hold numbers and are aligned right.
class Rows {
 public:
  void setColumns(const Strings& names) {
    names_ = names;
    isNumber_.assign(names.size(), true);
  }

  bool add(const std::vector<SqlValue>& row) {
    if (rows_.size() == kMostRows) {
      isCut_ = true;
      return false;
    }
    Strings& cells = rows_.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(textOf(row[i]));
      if (std::holds_alternative<std::string>(row[i])) isNumber_[i] = false;
    }
    return true;
  }

  void print() const {
    std::vector<Table::Column> columns;
    for (std::size_t i = 0; i < names_.size(); ++i)
      columns.push_back({names_[i], isNumber_[i] ? Table::Align::right : Table::Align::left, !isNumber_[i]});
    Table table(std::move(columns));
    for (const Strings& row : rows_) table.addRow({row.begin(), row.end()});
    fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
    if (isCut_) {
      std::fflush(stdout);
      fmt::print(stderr, "batchscope: {}\n",
                 say("only the first {} rows are shown; --csv and --json show all", kMostRows));
    }
  }

 private:
  Strings names_;
  std::vector<bool> isNumber_;
  std::vector<Strings> rows_;
  bool isCut_ = false;
};

void answer(storage::SqlSession& session, const SqlOptions& options) {
  if (options.csv) {
    session.ask(
        options.sql, [](const Strings& names) { printCsv(names); },
        [](const std::vector<SqlValue>& row) {
          Strings cells;
          for (const SqlValue& value : row) cells.push_back(textOf(value));
          printCsv(cells);
          return true;
        });
  } else if (options.json) {
    Strings columns;
    session.ask(
        options.sql, [&](const Strings& names) { columns = names; },
        [&](const std::vector<SqlValue>& row) {
          protocol::Json json = protocol::Json::object();
          for (std::size_t i = 0; i < row.size(); ++i) json[columns[i]] = jsonOf(row[i]);
          fmt::print("{}", jsonLine(json));
          return true;
        });
  } else {
    Rows rows;
    session.ask(
        options.sql, [&](const Strings& names) { rows.setColumns(names); },
        [&](const std::vector<SqlValue>& row) { return rows.add(row); });
    rows.print();
  }
}

// Looks an id up directly, so that a query over a thousand runs does not search all runs for each.
std::string idOf(storage::Catalogue& catalogue, const std::string& text) {
  const std::optional<storage::Run> run = catalogue.run(text);
  return run && run->removed == 0 ? run->id : catalogue.resolve(text).id;
}

double deadlineOf(const std::string& timeout) {
  return timeout.empty() ? std::numeric_limits<double>::infinity()
                         : protocol::monotonic_seconds() + protocol::parse_duration(timeout);
}

}  // namespace

int askSql(const SqlOptions& options) {
  std::map<std::string, std::filesystem::path> samples;
  if (!options.runs.empty()) {
    storage::Catalogue catalogue = openCatalogue();
    for (const std::string& run : options.runs) {
      const std::string id = idOf(catalogue, run);
      samples[id] = protocol::run_paths(id).samples;
    }
  }
  storage::SqlSession session(protocol::catalogue_path(), samples);
  const InterruptionGuard guard;
  session.set_watch([limit = options.timeout, deadline = deadlineOf(options.timeout)] {
    throwIfInterrupted();
    if (protocol::monotonic_seconds() > deadline)
      throw Error(ErrorKind::timeout,
                  say("the query took longer than {}; narrow it by run, series and step, or "
                      "give it more time with --timeout",
                      limit));
  });
  try {
    answer(session, options);
  } catch (const Error& error) {
    const bool wantsSamples = std::string_view(error.what()).ends_with("no such table: sample");
    if (!wantsSamples) throw;
    throw Error(error.kind(), say("{}; --run RUN fills it with that run's samples", error.what()));
  }
  return kExitOk;
}

}  // namespace batchscope::cli
