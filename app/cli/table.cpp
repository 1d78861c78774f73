// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <algorithm>
#include <numeric>

#include "format.h"

namespace batchscope::cli {
namespace {

constexpr int kGap = 2;
constexpr int kNarrowest = 6;  // an elastic column is never cut below this

std::string fitted(const Table::Cell& cell, Table::Align align, int width, bool last, const Style& style) {
  const std::string text = cutToWidth(cell.text, width);
  const std::string padding(static_cast<std::size_t>(std::max(0, width - displayWidth(text))), ' ');
  const std::string painted = style.paint(text, cell.colour);
  if (align == Table::Align::right) return padding + painted;
  return last ? painted : painted + padding;
}

}  // namespace

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
  const auto line = [&](const auto& cellAt) {
    std::string text(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) text.append(kGap, ' ');
      text += fitted(cellAt(i), columns_[i].align, columnWidths[i], i + 1 == columns_.size(), style);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
  };

  std::string text = line([&](std::size_t i) { return Cell(columns_[i].title, Colour::bold); });
  for (const auto& row : rows_) text += line([&](std::size_t i) { return row[i]; });
  return text;
}

}  // namespace batchscope::cli
