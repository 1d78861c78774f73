// SPDX-License-Identifier: Apache-2.0
#include "terminal/watch.h"

#include <unistd.h>

#include <QEventLoop>
#include <QTimer>
#include <algorithm>
#include <exception>

#include "batchscope/common/translate.h"
#include "terminal/interrupts.h"
#include "terminal/standard_output.h"
#include "terminal/terminal.h"

namespace batchscope::cli {
namespace {

constexpr int kIntervalMs = 250;

// The alternate screen without a cursor and without wrapping, while this lives.
class FullScreen {
 public:
  FullScreen() { show("\x1b[?1049h\x1b[?25l\x1b[?7l"); }
  ~FullScreen() { show("\x1b[?7h\x1b[?25h\x1b[?1049l"); }
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  // Draws as many lines as there is room for, the last of which says how many are hidden.
  static void draw(const std::string& text) {
    const auto room = static_cast<std::ptrdiff_t>(std::max(2, terminalHeight(STDOUT_FILENO)));
    const std::ptrdiff_t lines = std::count(text.begin(), text.end(), '\n');
    const std::ptrdiff_t shown = lines < room ? lines : room - 2;
    std::string picture = "\x1b[H";
    std::size_t begin = 0;
    for (std::ptrdiff_t line = 0; line < shown; ++line) {
      const std::size_t end = text.find('\n', begin);
      picture += text.substr(begin, end - begin) + "\x1b[K\n";
      begin = end + 1;
    }
    if (shown < lines) picture += tr("(%1 more lines)").arg(lines - shown).toStdString() + "\x1b[K\n";
    show(picture + "\x1b[J");
  }
};

}  // namespace

void watch(const std::function<std::string()>& text) {
  QEventLoop loop;
  Interrupts interrupts;
  QObject::connect(&interrupts, &Interrupts::raised, &loop, &QEventLoop::quit);
  std::string shown;
  std::exception_ptr fault;  // an exception must not cross the event loop
  const bool onTerminal = isTerminal(STDOUT_FILENO);
  const auto run = [&](const std::function<void()>& draw) {
    const auto look = [&] {
      try {
        std::string next = text();
        if (next == shown && !onTerminal) return;
        shown = std::move(next);
        draw();
        flushOutput();
      } catch (...) {
        fault = std::current_exception();
        loop.quit();
      }
    };
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &loop, look);
    timer.start(kIntervalMs);
    look();
    if (!fault) loop.exec();
  };
  if (onTerminal) {
    {
      const FullScreen screen;
      run([&] { screen.draw(shown); });
    }
    show(shown);
  } else {
    bool first = true;
    run([&] { show(std::exchange(first, false) || shown.starts_with('{') ? shown : "\n" + shown); });
  }
  if (fault) std::rethrow_exception(fault);
}

}  // namespace batchscope::cli
