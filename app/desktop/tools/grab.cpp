// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/grab.h"

#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTimer>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/run_state.h"
#include "chart/dashboard.h"
#include "scaling/scaling_page.h"
#include "session/catalogue_watcher.h"
#include "session/run_session.h"
#include "share/report.h"
#include "window/main_window.h"

namespace batchscope::desktop {
namespace {

constexpr QSize kReportSize(1440, 1000);

void showUntilDrawn(MainWindow& window, const std::string& run, const QSize& size) {
  window.resize(size);
  if (!run.empty()) window.openRun(run);
  window.show();
  spin(50);  // the list of runs is drawn before a run is opened
  // An active run's state comes from its supervisor, as it would on the screen.
  const RunSession& session = *window.session();
  spinUntil(1500,
            [&] { return !session.isOpen() || !is_active(session.run().state) || session.isConnected(); });
  spin(400);
}

}  // namespace

void spin(int milliseconds) {
  QEventLoop loop;
  QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
  loop.exec();
}

bool spinUntil(int milliseconds, const std::function<bool()>& isSo) {
  const QDeadlineTimer end(milliseconds);
  while (!isSo() && !end.hasExpired()) spin(5);
  return isSo();
}

QPixmap grabWindow(CatalogueWatcher* watcher, const std::string& run, const QSize& size) {
  MainWindow window(watcher, false);
  showUntilDrawn(window, run, size);
  return window.grab();
}

QByteArray reportOf(CatalogueWatcher* watcher, const std::string& run) {
  MainWindow window(watcher, false);
  showUntilDrawn(window, run, kReportSize);
  if (!window.session()->isOpen())
    throw Error(ErrorKind::not_found, "there is no run to report on; start one with: batchscope run");
  window.scaling()->draw();
  return reportHtml(*window.session(), window.dashboard()->cards(), window.scaling()->cards());
}

}  // namespace batchscope::desktop
