// SPDX-License-Identifier: Apache-2.0
//
// Views of an attached run: bars redrawn in place on a terminal, below what the program prints; a line every
// few seconds in a log; or JSON lines for scripts, without the program's output. A view gets at most five
// statuses a second and every event once.
#pragma once

#include <memory>
#include <string>

#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

class View {
 public:
  virtual ~View() = default;

  virtual void showStatus(const protocol::RunStatus& status) = 0;
  // `origin`: of the run's clock (common/run_clock.h).
  virtual void showEvent(const storage::Event& event, double origin) = 0;
  // Shows a sentence about what this program is doing.
  virtual void showNotice(const std::string& text) = 0;
  // Shows output of replica 0: complete lines, each with its newline, and the line that is being written.
  virtual void showOutput(const std::string& /*lines*/, const std::string& /*unfinished*/) {}
  // Ends the view, with the cursor on a fresh line.
  virtual void finish() {}
};

// Makes the view that suits standard output.
std::unique_ptr<View> makeView(const storage::Run& run, bool json);

// Makes a view that shows nothing, for --detach, which only waits until the run has begun.
std::unique_ptr<View> makeSilentView();

// Returns "[1:23] warning: replica 1 was killed by signal 9": time since the origin of the run's clock, and
// the level unless it is info.
std::string eventLine(const storage::Event& event, double origin);

}  // namespace batchscope::cli
