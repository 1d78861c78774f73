// SPDX-License-Identifier: Apache-2.0
/// \file
/// Queries in SQL, for people who want to know more than the calls of this room answer. They cannot change
/// anything: the catalogue is opened read-only, and every statement but SELECT and a few informing pragmas is
/// refused. Beside the catalogue's tables (storage/FORMAT.md) there is one more, with the samples of chosen
/// runs:
///
///     sample (run TEXT, series TEXT, generation INTEGER, step INTEGER, value REAL)      NaN is NULL
///
/// Equality on run, series and generation and comparisons of the step are looked up, so a join by step costs
/// a look-up a row, and a statement reads what had been recorded when it began.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace batchscope::storage {

/// A cell: NULL, a number, a text, or bytes.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string, std::vector<std::uint8_t>>;

/// An open catalogue for queries. Not thread-safe.
class SqlSession {
 public:
  /// `samples` are the files of the runs in the table `sample`, by run id. Throws Error(not_found | io |
  /// corrupt | version).
  SqlSession(const std::filesystem::path& catalogue,
             const std::map<std::string, std::filesystem::path>& samples);
  ~SqlSession();

  /// Called once with the columns' names, and with each row until it returns false.
  ///@{
  using OnColumns = std::function<void(const std::vector<std::string>& names)>;
  using OnRow = std::function<bool(const std::vector<SqlValue>& row)>;
  ///@}

  /// Runs one statement; rows are fetched as they are handed out, in bounded memory. Blocks no writer. Throws
  /// Error(usage) where the text is wrong, is more than one statement, or would change something, and as
  /// SampleReader::read does.
  void ask(std::string_view sql, const OnColumns& on_columns, const OnRow& on_row);

  /// Called every few milliseconds while a statement runs; what it throws ends the statement and leaves
  /// `ask`.
  using Watch = std::function<void()>;
  /// Sets the function that watches the statements from now on; an empty one does not watch.
  void set_watch(Watch watch);

  /// Return the cost of the statements so far: chunks and batches of samples fetched from the files, and
  /// samples looked at. Plans are measured by them.
  ///@{
  std::int64_t rows_read() const;
  std::int64_t samples_visited() const;
  ///@}

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::storage
