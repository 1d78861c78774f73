// SPDX-License-Identifier: Apache-2.0
//
// Aligned tables for a terminal: a heading in bold, columns two spaces apart. If the terminal is too narrow,
// the columns that are declared elastic become narrower, the widest first, and their cells continue on
// further lines: nothing is cut off. Cells and titles are made printable.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "terminal/terminal.h"

namespace batchscope::cli {

class Table {
 public:
  enum class Align { left, right };

  struct Column {
    std::string title;
    Align align = Align::left;
    bool elastic = false;
  };

  struct Cell {
    Cell(std::string content, Colour painted = Colour::none) : text(std::move(content)), colour(painted) {}
    Cell(const char* content) : text(content) {}

    std::string text;
    Colour colour = Colour::none;
  };

  explicit Table(std::vector<Column> columns);

  // Adds a row of as many cells as there are columns.
  void addRow(std::vector<Cell> cells);
  // Adds a note below the last row, across all columns.
  void addNote(const std::string& text);
  bool isEmpty() const { return rows_.empty(); }

  // Returns all lines, each with its newline; every line is indented.
  std::string text(const Style& style, int indent = 0) const;

 private:
  std::vector<int> widths(int available) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::map<std::size_t, std::string> notes_;  // by row
};

}  // namespace batchscope::cli
