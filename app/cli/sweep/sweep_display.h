// SPDX-License-Identifier: Apache-2.0
//
// How a sweep that is watched is shown: lines with a bar that are redrawn in place on a terminal, a sentence
// now and then in a log, or JSON lines for scripts.
#pragma once

#include <memory>
#include <string>

#include "batchscope/sweep/sweeps.h"

namespace batchscope::cli {

class SweepDisplay {
 public:
  virtual ~SweepDisplay() = default;

  // How it stands; asked a few times a second.
  virtual void showProgress(const sweep::SweepView& view) = 0;
  // A sentence: what has happened, or what this program does about it.
  virtual void showNotice(const std::string& text) = 0;
  // Nothing will follow: leaves the cursor on a fresh line.
  virtual void finish() {}
};

// The one that suits standard output.
std::unique_ptr<SweepDisplay> makeSweepDisplay(bool json);

}  // namespace batchscope::cli
