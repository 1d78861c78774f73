// SPDX-License-Identifier: Apache-2.0
//
// Numbers from a text file, a row a line: separated by comma, semicolon, colon, tab or blanks, so that CSV
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

// `name` stands in the message. Throws Error(corrupt) with the line for a cell that is not a finite number,
// for rows of different lengths, and where there is no row at all.
Table read_table(std::istream& in, const std::string& name);

// Throws as above, and Error(not_found).
Table read_table(const std::filesystem::path& file);

}  // namespace batchscope::examples
