// SPDX-License-Identifier: Apache-2.0
//
// A CSV file from a user, with known columns (RFC 4180, but a cell cannot span lines). Errors are
// Error(usage) with file, line, and what was expected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::cli {

// Returns the cells of a line without its newline; nullopt if a quote is not closed.
std::optional<std::vector<std::string>> splitCsvLine(std::string_view line);

class CsvFile {
 public:
  // Reads the file. The columns may be in any order, with others between them. Throws Error(not_found) if
  // there is no such file, Error(io) if it cannot be read.
  CsvFile(std::filesystem::path file, std::vector<std::string> columns);
  // Reads text that came from `name`, in the same way.
  CsvFile(std::filesystem::path name, std::string_view text, std::vector<std::string> columns);

  std::size_t rows() const { return rows_.size(); }
  // `column` counts in the order of the constructor's.
  const std::string& text(std::size_t row, std::size_t column) const;
  std::int64_t integer(std::size_t row, std::size_t column, std::int64_t least = 0,
                       std::int64_t most = kMost) const;
  double number(std::size_t row, std::size_t column) const;    // finite
  double positive(std::size_t row, std::size_t column) const;  // finite and above 0

  // Throws Error(usage): "FILE:LINE: what".
  [[noreturn]] void refuse(std::size_t row, const std::string& what) const;

  static constexpr std::int64_t kMost = std::int64_t{1} << 40;

 private:
  struct Row {
    int line;
    std::vector<std::string> cells;  // in the order of the constructor's columns
  };
  void read(std::string_view text);
  [[noreturn]] void refuseCell(std::size_t row, std::size_t column, const std::string& expected) const;

  std::filesystem::path file_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

}  // namespace batchscope::cli
