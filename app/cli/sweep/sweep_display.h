// SPDX-License-Identifier: Apache-2.0
//
// Displays of a watched sweep: lines with a bar that are redrawn in place on a terminal, a sentence now and
// then in a log, or JSON lines for scripts.
#pragma once

#include <memory>
#include <string>

#include "batchscope/sweep/sweeps.h"

namespace batchscope::cli {

class SweepDisplay {
 public:
  virtual ~SweepDisplay() = default;

  // Shows the sweep's progress; called a few times a second.
  virtual void showProgress(const sweep::SweepView& view) = 0;
  // Shows a sentence: what has happened, or what this program is doing.
  virtual void showNotice(const std::string& text) = 0;
  // Ends the display, with the cursor on a fresh line.
  virtual void finish() {}
};

// Makes the display that suits standard output.
std::unique_ptr<SweepDisplay> makeSweepDisplay(bool json);

}  // namespace batchscope::cli
