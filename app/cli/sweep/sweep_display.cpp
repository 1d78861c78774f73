// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_display.h"

#include <unistd.h>

#include "batchscope/common/sweep_json.h"
#include "batchscope/common/sweep_progress.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/catalogue.h"
#include "sweep/sweep_progress.h"
#include "terminal/json_output.h"
#include "terminal/live_block.h"
#include "terminal/standard_output.h"
#include "text/format.h"

namespace batchscope::cli {
namespace {

class TerminalDisplay : public SweepDisplay {
 public:
  void showProgress(const sweep::SweepView& view) override {
    block_.draw(sweepLines(view, common::progressOf(view, storage::now()), terminalStyle(STDOUT_FILENO)));
  }
  void showNotice(const std::string& text) override { block_.print(printable(text)); }
  void finish() override { block_.finish(); }

 private:
  LiveBlock block_;
};

// Lets something through every so many seconds.
class Interval {
 public:
  explicit Interval(double seconds) : seconds_(seconds) {}

  bool isOver() {
    const double now = protocol::monotonic_seconds();
    if (now - last_ < seconds_) return false;
    last_ = now;
    return true;
  }

 private:
  double seconds_;
  double last_ = -1e9;
};

class LogDisplay : public SweepDisplay {
 public:
  void showProgress(const sweep::SweepView& view) override {
    if (interval_.isOver()) show(sweepSentence(view, common::progressOf(view, storage::now())) + '\n');
  }
  void showNotice(const std::string& text) override { show(printable(text) + '\n'); }

 private:
  Interval interval_{10};
};

class JsonDisplay : public SweepDisplay {
 public:
  void showProgress(const sweep::SweepView& view) override {
    if (interval_.isOver()) printJson({{"sweep", common::sweepJson(view, true)}});
  }
  void showNotice(const std::string& text) override { printJson({{"notice", text}}); }

 private:
  Interval interval_{1};
};

}  // namespace

std::unique_ptr<SweepDisplay> makeSweepDisplay(bool json) {
  if (json) return std::make_unique<JsonDisplay>();
  if (isTerminal(STDOUT_FILENO)) return std::make_unique<TerminalDisplay>();
  return std::make_unique<LogDisplay>();
}

}  // namespace batchscope::cli
