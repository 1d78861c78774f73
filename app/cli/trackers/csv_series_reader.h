// SPDX-License-Identifier: Apache-2.0
//
// A CSV file of values (RFC 4180, but a cell cannot span lines). The first line names the columns, each of
// which is a series. A column called step, global_step, iteration or the like has the steps; without one,
// rows are counted from 1. A column called time, timestamp or wall_time has the wall time. With the columns
// series, step and value, as `batchscope export --format csv` writes them, each line is one value of the
// series that it names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "trackers/findings.h"

namespace batchscope::cli {

class CsvSeriesReader : public FileReader {
 public:
  void feed(std::string_view bytes, Findings& findings) override;
  void end(Findings& findings) override;
  std::string trouble() const override { return damage_; }

 private:
  using Cells = std::vector<std::string>;

  void line(std::string_view text, Findings& findings);
  void header(const Cells& names);
  void row(const Cells& cells, Findings& findings);

  protocol::LineSplitter splitter_;
  Cells names_;  // of the columns, as the first line has them
  std::optional<std::size_t> step_, time_, series_, value_;
  std::int64_t rows_ = 0;
  bool hasRest_ = false;  // behind the last newline
  std::string damage_;
};

}  // namespace batchscope::cli
