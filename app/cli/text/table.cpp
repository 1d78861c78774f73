// SPDX-License-Identifier: Apache-2.0
#include "text/table.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "text/format.h"

namespace batchscope::cli {
namespace {

constexpr int kGap = 2;
constexpr int kNoteIndent = 4;
constexpr int kNarrowest = 12;  // an elastic column gets no narrower than this

// The text in lines of at most so many columns, broken between words where there is one to break at.
std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> lines;
  while (displayWidth(text) > width) {
    const std::string piece = cutToWidth(text, width);
    const bool atWord = text[piece.size()] == ' ';
    const auto space = atWord ? piece.size() : piece.rfind(' ');
    const auto end = space == std::string::npos || space == 0 ? piece.size() : space;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  }
  lines.emplace_back(text);
  return lines;
}

std::string padded(const std::string& text, Table::Align align, int width, Colour colour,
                   const Style& style) {
  const std::string padding(static_cast<std::size_t>(std::max(0, width - displayWidth(text))), ' ');
  const std::string painted = style.paint(text, colour);
  return align == Table::Align::right ? padding + painted : painted + padding;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = printable(column.title);
}

void Table::addRow(std::vector<Cell> cells) {
  for (Cell& cell : cells) cell.text = printable(cell.text);
  rows_.push_back(std::move(cells));
}

void Table::addNote(const std::string& text) { notes_[rows_.size() - 1] = printable(text); }

std::vector<int> Table::widths(int available) const {
  std::vector<int> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    int width = displayWidth(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, displayWidth(row[i].text));
    widths.push_back(width);
  }
  const int gaps = kGap * (static_cast<int>(columns_.size()) - 1);
  int excess = std::accumulate(widths.begin(), widths.end(), gaps) - available;
  while (excess > 0) {
    int* widest = nullptr;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].elastic && widths[i] > kNarrowest && (widest == nullptr || widths[i] > *widest))
        widest = &widths[i];
    if (widest == nullptr) break;
    --*widest;
    --excess;
  }
  return widths;
}

std::string Table::text(const Style& style, int indent) const {
  const std::vector<int> columnWidths = widths(style.width - indent);
  const auto lines = [&](const auto& cellAt) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      cells.push_back(wrapped(cellAt(i).text, columnWidths[i]));
      height = std::max(height, cells.back().size());
    }
    std::string text;
    for (std::size_t row = 0; row < height; ++row) {
      std::string line(static_cast<std::size_t>(indent), ' ');
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (i > 0) line.append(kGap, ' ');
        const std::string part = row < cells[i].size() ? cells[i][row] : "";
        line += padded(part, columns_[i].align, columnWidths[i], cellAt(i).colour, style);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    return text;
  };

  std::string text = lines([&](std::size_t i) { return Cell(columns_[i].title, Colour::bold); });
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    text += lines([&](std::size_t i) { return rows_[row][i]; });
    const auto note = notes_.find(row);
    if (note == notes_.end()) continue;
    const int margin = indent + kNoteIndent;
    for (const std::string& line : wrapped(note->second, std::max(style.width - margin, kNarrowest)))
      text += std::string(static_cast<std::size_t>(margin), ' ') + style.paint(line, Colour::dim) + '\n';
  }
  return text;
}

}  // namespace batchscope::cli
