// SPDX-License-Identifier: Apache-2.0
#include "files/csv_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>

#include "batchscope/protocol/error.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr int kLongestQuote = 40;  // columns of a cell in a message

std::string read(const std::filesystem::path& file) {
  std::error_code fault;
  if (!std::filesystem::exists(file, fault))
    throw Error(ErrorKind::not_found, say("there is no file {}", printable(file.string())));
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  if (!std::filesystem::is_directory(file, fault) && stream)
    text.assign(std::istreambuf_iterator<char>(stream), {});
  else
    stream.setstate(std::ios::badbit);
  if (stream.bad())
    throw Error(ErrorKind::io,
                say("cannot read {}: it is not a file, or you may not read it", printable(file.string())));
  return text;
}

template <typename Number>
std::optional<Number> parse(const std::string& cell) {
  Number value{};
  const char* const end = cell.data() + cell.size();
  const auto [stop, fault] = std::from_chars(cell.data(), end, value);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::vector<std::string>> splitCsvLine(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  return cells;
}

CsvFile::CsvFile(std::filesystem::path file, std::vector<std::string> columns)
    : file_(std::move(file)), columns_(std::move(columns)) {
  read(cli::read(file_));
}

CsvFile::CsvFile(std::filesystem::path name, std::string_view text, std::vector<std::string> columns)
    : file_(std::move(name)), columns_(std::move(columns)) {
  read(text);
}

void CsvFile::read(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::size_t> places;  // of the columns, in the file
  std::size_t width = 0;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view content = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.ends_with('\r')) content.remove_suffix(1);
    if (content.empty()) continue;
    const auto here = [&] { return fmt::format("{}:{}", printable(file_.string()), line); };
    const auto cells = splitCsvLine(content);
    if (!cells) throw Error(ErrorKind::usage, say("{}: a quote is not closed", here()));
    if (places.empty()) {
      width = cells->size();
      for (const std::string& column : columns_) {
        const auto found = std::find(cells->begin(), cells->end(), column);
        if (found == cells->end())
          throw Error(ErrorKind::usage, say("{}: the first line has no column \"{}\"; expected {}", here(),
                                            column, fmt::join(columns_, ",")));
        places.push_back(static_cast<std::size_t>(found - cells->begin()));
      }
      continue;
    }
    if (cells->size() != width)
      throw Error(ErrorKind::usage, say("{}: {} where the first line has {}", here(),
                                        plural(static_cast<std::int64_t>(cells->size()), "cell"), width));
    Row row{line, {}};
    for (const std::size_t place : places) row.cells.push_back((*cells)[place]);
    rows_.push_back(std::move(row));
  }
  if (places.empty() && !columns_.empty())
    throw Error(ErrorKind::usage, say("{}:1: the file is empty; expected a line {}",
                                      printable(file_.string()), fmt::join(columns_, ",")));
}

void CsvFile::refuse(std::size_t row, const std::string& what) const {
  throw Error(ErrorKind::usage,
              fmt::format("{}:{}: {}", printable(file_.string()), rows_.at(row).line, what));
}

void CsvFile::refuseCell(std::size_t row, std::size_t column, const std::string& expected) const {
  refuse(row, say("{} is \"{}\"; expected {}", columns_.at(column),
                  cutToWidth(printable(text(row, column)), kLongestQuote), expected));
}

const std::string& CsvFile::text(std::size_t row, std::size_t column) const {
  return rows_.at(row).cells.at(column);
}

std::int64_t CsvFile::integer(std::size_t row, std::size_t column, std::int64_t least,
                              std::int64_t most) const {
  const std::string& cell = text(row, column);
  auto value = parse<std::int64_t>(cell);
  // pandas writes a column of integers with ".0" where one was missing.
  if (!value)
    if (const auto real = parse<double>(cell); real && std::abs(*real) < 1e15 && *real == std::floor(*real))
      value = static_cast<std::int64_t>(*real);
  if (value && *value >= least && *value <= most) return *value;
  refuseCell(row, column,
             most == kMost ? say("a whole number, at least {}", least)
                           : say("a whole number from {} to {}", least, most));
}

double CsvFile::number(std::size_t row, std::size_t column) const {
  const auto value = parse<double>(text(row, column));
  if (!value || !std::isfinite(*value)) refuseCell(row, column, say("a number"));
  return *value;
}

double CsvFile::positive(std::size_t row, std::size_t column) const {
  const auto value = parse<double>(text(row, column));
  if (!value || !std::isfinite(*value) || !(*value > 0)) refuseCell(row, column, say("a number above 0"));
  return *value;
}

}  // namespace batchscope::cli
