// SPDX-License-Identifier: GPL-3.0-or-later
//
// batchscope-screenshots FOLDER: draws the window as people meet it, for the page of screenshots and for a
// designer's eye: with no run; in a store with a sweep, that; and in a store with a run that trains: its
// story in four charts, all of it in every palette, while it restarts, on recorded runs, with each page,
// sheet and dialog. Not installed; resources/screenshots/take.py calls it.
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPainter>
#include <QPushButton>
#include <QTableView>
#include <cstdio>
#include <functional>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/recipe.h"
#include "batchscope/storage/sweeps.h"
#include "chart/dashboard.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "lessons/lesson_panel.h"
#include "look/theme.h"
#include "runs/new_run_dialog.h"
#include "series/view_state.h"
#include "session/catalogue_watcher.h"
#include "session/run_session.h"
#include "sweep/sweep_page.h"
#include "tools/grab.h"
#include "window/main_window.h"
#include "window/shortcut_sheet.h"

namespace {

using namespace batchscope;
using namespace batchscope::desktop;

constexpr QSize kSize(1440, 900), kStorySize(1280, 800);
// The charts that tell a run by themselves: what a step is worth, the batch that is chosen by it, what both
// bring, and that the run learns all the while.
const std::set<std::string> kStory{"gain", "batch-size", "goodput", "accuracy"};
constexpr double kStorySmoothing = 0.9;
constexpr int kPatience = 60'000;  // ms
constexpr int kSettled = 400;

void await(const char* what, const std::function<bool()>& isSo) {
  if (!spinUntil(kPatience, isSo))
    throw Error(ErrorKind::timeout, std::string("gave up waiting for ") + what);
}

class Camera {
 public:
  Camera(CatalogueWatcher& watcher, QString folder) : folder_(std::move(folder)), window_(&watcher, false) {
    window_.resize(kSize);
    window_.show();
    spin(kSettled);
  }

  // Takes the window without a run, and so without a training program.
  void takeEmpty() { save("empty", window_.grab()); }

  void takeSweep() {
    window_.showPage(Page::Sweep);
    await("the sweep", [this] { return window_.sweeps()->table()->model()->rowCount() > 0; });
    take("sweep-dark", [] { applyTheme(Theme::Mode::Dark); });
    take("sweep-light", [] { applyTheme(Theme::Mode::Light); });
  }

  void takeAll() {
    await("the run", [this] { return window_.session()->isConnected(); });
    const std::string live = window_.session()->run().id;
    takeStory();
    takePalettes();
    takeWhy();
    take("explorer", [this] { window_.showExplorer(true); });
    window_.showExplorer(false);
    takeRestart();
    takeDialogs();
    takeLesson();
    window_.openRun(live);
  }

 private:
  void save(const char* name, const QPixmap& picture) const {
    const QString file = QStringLiteral("%1/%2.png").arg(folder_, QLatin1String(name));
    if (!picture.save(file)) throw Error(ErrorKind::io, "cannot write " + file.toStdString());
  }

  void take(const char* name, const std::function<void()>& prepare) {
    prepare();
    spin(kSettled);
    save(name, window_.grab());
  }

  void takeStory() {
    Dashboard& dashboard = *window_.dashboard();
    const double smoothing = window_.view()->smoothing();
    window_.view()->setSmoothing(kStorySmoothing);
    for (const common::ChartSpec& chart : dashboard.layout().charts())
      dashboard.setShown(chart.name, kStory.contains(chart.name));
    window_.resize(kStorySize);
    take("story-dark", [] { applyTheme(Theme::Mode::Dark); });
    take("story-light", [] { applyTheme(Theme::Mode::Light); });
    window_.resize(kSize);
    dashboard.restoreDefaultLayout();
    window_.view()->setSmoothing(smoothing);
  }

  void takeWhy() {
    window_.showScaling(true);
    take("why-dark", [] { applyTheme(Theme::Mode::Dark); });
    take("why-light", [] { applyTheme(Theme::Mode::Light); });
    window_.showScaling(false);
  }

  void takePalettes() {
    const auto pointAt = [this](double share) {
      SeriesModel& series = *window_.session()->series();
      const auto extent = series.extent(window_.view()->axis());
      window_.view()->setCursor(
          series.nearest(window_.view()->axis(), extent.low + share * (extent.high - extent.low)));
    };
    take("live-dark", [&] {
      applyTheme(Theme::Mode::Dark);
      pointAt(0.7);
    });
    take("live-colour-blind", [] { applyTheme(Theme::Mode::Light, true); });
    take("live-light", [] { applyTheme(Theme::Mode::Light); });
    window_.view()->setCursor({});
  }

  void takeRestart() {
    const int before = window_.session()->status().replicas;
    window_.control()->replicas()->choose(before == 1 ? 2 : 1);
    spin(kSettled);
    window_.control()->restartButton()->click();
    await("the restart", [this] { return !window_.session()->status().phase.empty(); });
    save("restart", window_.grab());
    await("the end of the restart", [this] { return window_.session()->status().phase.empty(); });
  }

  // A dialog is a window of its own: it is drawn where it would stand.
  void takeDialog(const char* name, QDialog& dialog) {
    dialog.show();
    spin(kSettled);
    QPixmap picture = window_.grab();
    QPainter painter(&picture);
    painter.fillRect(picture.rect(), QColor(0, 0, 0, 90));
    const QPixmap front = dialog.grab();
    painter.drawPixmap((kSize.width() - front.width()) / 2, (kSize.height() - front.height()) / 2, front);
    painter.end();
    save(name, picture);
  }

  void takeDialogs() {
    NewRunDialog newRun({.recipes = run::installed_recipes(), .devices = 2}, &window_);
    for (QComboBox* field : newRun.findChildren<QComboBox*>()) {
      if (field->accessibleName() == QLatin1String("What to run"))
        field->setCurrentText(QStringLiteral("Handwritten digits"));
    }
    for (QLineEdit* field : newRun.findChildren<QLineEdit*>()) {
      if (field->accessibleName() == QLatin1String("batch-size")) field->setText(QStringLiteral("many"));
    }
    takeDialog("new-run", newRun);
    newRun.close();
    ShortcutSheet shortcuts(window_.menuBar(), &window_);
    takeDialog("shortcuts", shortcuts);
  }

  void takeLesson() {
    LessonPanel& lessons = *window_.lessons();
    take("lessons", [&] { window_.showPage(Page::Learn); });
    const auto show = [&](int row, int page) {
      lessons.start(row);
      for (int i = 0; i < page; ++i) lessons.turn(1);
      await("the lesson", [&] { return !lessons.text()->text().isEmpty(); });
    };
    take("lesson", [&] {
      show(0, 1);
      lessons.choices()[1]->click();
    });
    take("lesson-explorer", [&] { show(2, 1); });
    take("lesson-map", [&] {
      show(7, 0);
      lessons.choices()[0]->click();
    });
    take("lesson-restarts", [&] { show(8, 0); });
    take("recorded", [&] { show(4, 0); });
    take("crash", [&] { show(5, 1); });
  }

  QString folder_;
  MainWindow window_;
};

int takePictures() {
  const QStringList arguments = QApplication::arguments();
  if (arguments.size() != 2) {
    std::fprintf(stderr, "usage: batchscope-screenshots FOLDER\n");
    return kExitUsage;
  }
  applyTheme(Theme::Mode::Light);
  CatalogueWatcher watcher(protocol::catalogue_path());
  Camera camera(watcher, arguments[1]);
  if (watcher.runs().empty()) {
    camera.takeEmpty();
  } else if (!storage::Sweeps(watcher.catalogue()).all().empty()) {
    camera.takeSweep();
  } else {
    camera.takeAll();
  }
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("batchscope"));
  QApplication::setOrganizationName(QStringLiteral("batchscope"));
  QLocale::setDefault(QLocale(QLocale::English));
  try {
    return takePictures();
  } catch (const Error& error) {
    std::fprintf(stderr, "batchscope-screenshots: %s\n", error.what());
    return exit_code(error.kind());
  }
}
