// SPDX-License-Identifier: Apache-2.0
//
// How an attached run is shown: bars redrawn in place on a terminal, below what the program prints; a line
// every few seconds in a log; or JSON lines for scripts, without the program's output. A view gets at most
// five statuses a second and every event once.
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
  // A sentence of our own: what this program is doing about the run.
  virtual void showNotice(const std::string& text) = 0;
  // The output of replica 0: complete lines, each with its newline, and the one that is being written.
  virtual void showOutput(const std::string& /*lines*/, const std::string& /*unfinished*/) {}
  // Nothing will follow: leaves the cursor on a fresh line.
  virtual void finish() {}
};

// The view that suits standard output.
std::unique_ptr<View> makeView(const storage::Run& run, bool json);

// Makes a view that shows nothing, for --detach, which only waits until there is something to leave.
std::unique_ptr<View> makeSilentView();

// "[1:23] warning: replica 1 was killed by signal 9": seconds since the origin of the run's clock, level
// where it matters.
std::string eventLine(const storage::Event& event, double origin);

}  // namespace batchscope::cli
