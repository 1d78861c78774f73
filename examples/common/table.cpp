// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string_view>

#include "batchscope/protocol/error.h"

namespace batchscope::examples {
namespace {

constexpr std::string_view kSeparators = ",;: \t\r";

// Returns the cells of a line that are not empty.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; (at = line.find_first_not_of(kSeparators, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kSeparators, at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end;
  }
  return cells;
}

std::optional<double> number(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

Table read_table(std::istream& in, const std::string& name) {
  Table table;
  std::string line;
  for (int at = 1; std::getline(in, line); ++at) {
    const auto refuse = [&](const std::string& found) {
      throw Error(ErrorKind::corrupt,
                  name + ": line " + std::to_string(at) + ": expected " +
                      (table.columns ? std::to_string(table.columns) + " numbers" : std::string("numbers")) +
                      ", found " + found);
    };
    const auto cells = split(line);
    if (cells.empty()) continue;
    if (at == 1 && !number(cells.front())) continue;
    if (table.columns == 0) table.columns = cells.size();
    if (cells.size() != table.columns) refuse(std::to_string(cells.size()) + " columns");
    for (const std::string_view cell : cells) {
      const auto value = number(cell);
      if (!value) refuse('"' + std::string(cell) + '"');
      table.values.push_back(*value);
    }
  }
  if (table.rows() == 0) throw Error(ErrorKind::corrupt, name + ": it has no row of numbers");
  return table;
}

Table read_table(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file))
    throw Error(ErrorKind::not_found, file.string() + ": cannot be read: name a file of rows of numbers");
  return read_table(in, file.string());
}

}  // namespace batchscope::examples
