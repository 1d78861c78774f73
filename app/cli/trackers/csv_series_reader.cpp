// SPDX-License-Identifier: Apache-2.0
#include "trackers/csv_series_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "batchscope/protocol/error.h"
#include "files/csv_file.h"
#include "text/say.h"
#include "trackers/number_in.h"

namespace batchscope::cli {
namespace {

// In the order in which they are looked for; blanks count as underscores.
constexpr std::array kStepNames{"step", "global_step", "_step", "iteration", "iter", "epoch"};
constexpr std::array kTimeNames{"time", "timestamp", "_timestamp", "wall_time"};

std::string plainName(const std::string& name) {
  std::string plain = name;
  for (char& c : plain) c = c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return plain;
}

std::optional<std::size_t> columnOf(const std::vector<std::string>& columns, auto&& names) {
  for (const std::string_view name : names)
    if (const auto found = std::find(columns.begin(), columns.end(), name); found != columns.end())
      return static_cast<std::size_t>(found - columns.begin());
  return std::nullopt;
}

}  // namespace

void CsvSeriesReader::feed(std::string_view bytes, Findings& findings) {
  if (!damage_.empty() || bytes.empty()) return;
  try {
    for (const std::string& text : splitter_.feed(bytes)) line(text, findings);
    hasRest_ = bytes.back() != '\n';
  } catch (const Error& error) {
    damage_ = say("{}, after row {}", error.what(), rows_);
  }
}

void CsvSeriesReader::end(Findings& findings) {
  if (std::exchange(hasRest_, false)) feed("\n", findings);
  if (names_.empty() && damage_.empty()) damage_ = say("it has no line that names the columns");
}

void CsvSeriesReader::line(std::string_view text, Findings& findings) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (names_.empty() && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  if (text.empty() || !damage_.empty()) return;
  const auto cells = splitCsvLine(text);
  if (names_.empty()) {
    if (!cells || text.find('\0') != std::string_view::npos)
      damage_ = say("its first line does not name columns with commas between them");
    else
      header(*cells);
    return;
  }
  ++rows_;
  if (!cells || cells->size() != names_.size())
    findings.leaveOut(say("rows with more or fewer cells than the first line"));
  else
    row(*cells, findings);
}

void CsvSeriesReader::header(const Cells& names) {
  names_ = names;
  std::vector<std::string> plain;
  for (const std::string& name : names_) plain.push_back(plainName(name));
  step_ = columnOf(plain, kStepNames);
  time_ = columnOf(plain, kTimeNames);
  if (step_) {
    series_ = columnOf(plain, std::array{"series"});
    value_ = columnOf(plain, std::array{"value"});
  }
}

void CsvSeriesReader::row(const Cells& cells, Findings& findings) {
  std::int64_t step = rows_;
  if (step_) {
    const auto number = numberIn(cells[*step_]);
    if (!number || *number != std::floor(*number) || std::abs(*number) > 0x1p62)
      return findings.leaveOut(say("rows whose step is not a whole number"));
    step = static_cast<std::int64_t>(*number);
  }
  if (time_)
    if (const auto wall = numberIn(cells[*time_])) findings.time(step, *wall);
  if (series_ && value_) {
    const auto value = numberIn(cells[*value_]);
    return value ? findings.add(cells[*series_], step, *value)
                 : findings.leaveOut(say("cells that are not numbers"));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i == step_ || i == time_ || cells[i].empty()) continue;
    if (const auto value = numberIn(cells[i]))
      findings.add(names_[i], step, *value);
    else
      findings.leaveOut(say("cells that are not numbers"));
  }
}

}  // namespace batchscope::cli
