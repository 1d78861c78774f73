// SPDX-License-Identifier: Apache-2.0
#include "follow/view.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "batchscope/run/supervisor.h"
#include "batchscope/storage/record_json.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "terminal/live_block.h"
#include "terminal/standard_output.h"
#include "terminal/terminal.h"
#include "text/format.h"
#include "text/progress_bar.h"

namespace batchscope::cli {
namespace {

Colour levelColour(const std::string& level) {
  if (level == "error") return Colour::red;
  if (level == "debug") return Colour::dim;
  return level == "warning" ? Colour::yellow : Colour::none;
}

// Returns whether an event is not shown: it is for debugging, or the caller reports it at the end (why the
// run failed, and that its program reported no steps).
bool isLeftOut(const storage::Event& event) {
  return event.level == "debug" || event.text.starts_with("failed: ") ||
         event.text.starts_with(run::kSilentProgram);
}

// Events and the program's lines scroll by above a block of lines that is drawn over again in place: the line
// that the program is writing, and the run's progress.
class TerminalView : public View {
 public:
  explicit TerminalView(const storage::Run& run) : name_(run.name + " " + run.id) {}

  void showStatus(const protocol::RunStatus& status) override {
    status_ = status;
    draw();
  }

  void showEvent(const storage::Event& event, double origin) override {
    if (isLeftOut(event)) return;
    const Style style = terminalStyle(STDOUT_FILENO);
    block_.print(style.paint(eventLine(event, origin), levelColour(event.level)));
  }

  void showNotice(const std::string& text) override { block_.print(printable(text)); }
  void showOutput(const std::string& lines, const std::string& unfinished) override {
    if (!lines.empty()) block_.print(lines.substr(0, lines.size() - 1));
    if (unfinished == unfinished_) return;
    unfinished_ = unfinished;
    draw();
  }

  // The last picture stays where it is.
  void finish() override { block_.finish(); }

 private:
  void draw() {
    const Style style = terminalStyle(STDOUT_FILENO);
    std::vector<std::string> lines;
    if (!unfinished_.empty()) lines.push_back(cutToWidth(unfinished_, style.width));
    if (status_) std::ranges::move(progressLines(name_, *status_, style), std::back_inserter(lines));
    block_.draw(std::move(lines));
  }

  std::string name_;
  std::optional<protocol::RunStatus> status_;  // the newest
  std::string unfinished_;                     // of the program's output
  LiveBlock block_;
};

// The part of a status that is worth a line before the interval is over.
struct Milestone {
  protocol::RunState state = protocol::RunState::starting;
  int generation = 0;
  int epoch = 0;
  bool operator==(const Milestone&) const = default;
};

Milestone milestoneOf(const protocol::RunStatus& status) {
  return {status.state, status.generation, status.epoch};
}

// Lets a status through every `interval` seconds and at each milestone.
class Pacer {
 public:
  explicit Pacer(double interval) : interval_(interval) {}

  bool isDue(const protocol::RunStatus& status) {
    const double now = protocol::monotonic_seconds();
    const Milestone milestone = milestoneOf(status);
    if (now - last_ < interval_ && milestone == milestone_) return false;
    last_ = now;
    milestone_ = milestone;
    return true;
  }

 private:
  double interval_;
  double last_ = -1e9;
  Milestone milestone_;
};

class LogView : public View {
 public:
  void showStatus(const protocol::RunStatus& status) override {
    // An event and the caller report how the run ended.
    if (!isAtRest(status.state) && pacer_.isDue(status)) print(progressSentence(status));
  }
  void showEvent(const storage::Event& event, double origin) override {
    if (!isLeftOut(event)) print(eventLine(event, origin));
  }
  void showNotice(const std::string& text) override { print(printable(text)); }
  void showOutput(const std::string& lines, const std::string& /*unfinished*/) override { show(lines); }

 private:
  static void print(const std::string& line) { show(line + '\n'); }

  Pacer pacer_{5};
};

class JsonView : public View {
 public:
  void showStatus(const protocol::RunStatus& status) override {
    if (pacer_.isDue(status)) printJson({{"status", status}});
  }
  void showEvent(const storage::Event& event, double /*origin*/) override {
    printJson({{"event", storage::fields_json(event)}});
  }
  void showNotice(const std::string& text) override { printJson({{"notice", text}}); }

 private:
  Pacer pacer_{1};
};

class SilentView : public View {
 public:
  void showStatus(const protocol::RunStatus& /*status*/) override {}
  void showEvent(const storage::Event& /*event*/, double /*origin*/) override {}
  void showNotice(const std::string& /*text*/) override {}
};

}  // namespace

std::unique_ptr<View> makeView(const storage::Run& run, bool json) {
  if (json) return std::make_unique<JsonView>();
  if (isTerminal(STDOUT_FILENO)) return std::make_unique<TerminalView>(run);
  return std::make_unique<LogView>();
}

std::unique_ptr<View> makeSilentView() { return std::make_unique<SilentView>(); }

std::string eventLine(const storage::Event& event, double origin) {
  const std::string level = event.level == "info" ? "" : event.level + ": ";
  return fmt::format("[{}] {}", formatClock(event.time - origin), printable(level + event.text));
}

}  // namespace batchscope::cli
