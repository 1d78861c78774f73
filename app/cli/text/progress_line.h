// SPDX-License-Identifier: Apache-2.0
//
// The parts of progress displays: lines of as many pieces as fit, and bars.
#pragma once

#include <string>

#include "terminal/terminal.h"

namespace batchscope::cli {

// A line that is made of pieces, as many as fit.
class ProgressLine {
 public:
  explicit ProgressLine(const Style& style) : style_(style) {}

  // Adds a piece if there is room for it. Returns whether there was.
  bool add(const std::string& text, Colour colour = Colour::none);

  const std::string& text() const { return text_; }

 private:
  const Style& style_;
  std::string text_;
  int used_ = 0;
};

// "43 %", rounded down: 100 % is done.
std::string formatPercent(double fraction);
std::string percentColumn(double fraction);  // as wide as that of any other fraction

// Returns whether there is room for a bar between a label and a suffix of these widths.
bool fitsBar(int labelWidth, int suffixWidth, const Style& style);
// Returns a label, a bar and a suffix; only the label and the percentage if a bar does not fit.
std::string barLine(const std::string& label, int labelWidth, double fraction, const std::string& suffix,
                    int suffixWidth, const Style& style);

}  // namespace batchscope::cli
