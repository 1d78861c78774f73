// SPDX-License-Identifier: Apache-2.0
//
// Numbers from a text file, a row in each line, separated by comma, semicolon, colon, tab or blanks: CSV
// files and MovieLens' ratings.dat and u.data are read alike. A first line that is not a row of numbers is a
// heading.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace batchscope::examples {

struct Table {
  std::size_t columns = 0;
  std::vector<double> values;  // row by row
  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};

// Throws Error(corrupt), naming `name` and the line, for a cell that is not a finite number, for rows of
// different lengths, and if there is no row at all.
Table read_table(std::istream& in, const std::string& name);

// Reads a file. Throws as above, and Error(not_found).
Table read_table(const std::filesystem::path& file);

}  // namespace batchscope::examples
