// SPDX-License-Identifier: GPL-3.0-or-later
//
// The base of the window's tests: a store of the test's own, which its supervisor would write and the window
// watches, the window itself, and what a person does with it and sees of it.
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QtTest>
#include <algorithm>
#include <memory>

#include "batchscope/protocol/paths.h"
#include "chart/chart_card.h"
#include "chart/dashboard.h"
#include "chart/plot_view.h"
#include "look/theme.h"
#include "series/view_state.h"
#include "session/catalogue_watcher.h"
#include "session/run_session.h"
#include "synthetic_run.h"
#include "temporary_store.h"
#include "window/main_window.h"

namespace batchscope::desktop::test {

class WindowTest : public QObject {
 protected:
  WindowTest() { applyTheme(Theme::Mode::Light); }

  // Makes a window with what the catalogue holds by now.
  void makeWindow(const QSize& size) {
    watcher_.reload();
    window_ = std::make_unique<MainWindow>(&watcher_, false);
    window_->resize(size);
  }
  // Shows the window in front, with the keyboard's focus.
  void showWindow(const QSize& size = {1440, 900}) {
    makeWindow(size);
    window_->show();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  }

  // Brings the dock to the front.
  void raisePanel(const char* name) {
    auto* dock = window_->findChild<QDockWidget*>(QLatin1String(name));
    dock->show();
    dock->raise();
  }

  PlotView* plotAt(std::size_t chart) const { return window_->dashboard()->cards().at(chart)->plot(); }

  TemporaryStore store_;
  storage::Catalogue catalogue_{protocol::catalogue_path()};
  CatalogueWatcher watcher_{protocol::catalogue_path()};
  std::unique_ptr<MainWindow> window_;
};

// The charts in sight are laid out and drawn, with a later event, as they are asked to be now.
inline bool isDrawn(const MainWindow& window) {
  SeriesModel* series = window.session()->series();
  if (series == nullptr) return false;
  const ViewState& view = *window.view();
  const auto& cards = window.dashboard()->cards();
  return std::all_of(cards.begin(), cards.end(), [&](const ChartCard* card) {
    const PlotView& plot = *card->plot();
    if (plot.visibleRegion().isEmpty()) return true;
    const ChartScene& scene = plot.painter().scene();
    const XAxis axis = plot.spec().isOverTime ? XAxis::WallTime : view.axis();
    const bool isLog = view.logX() || plot.spec().isLogLog;
    // Accuracy, once it has been read, may have no value in view.
    const bool mayBeEmpty =
        plot.spec().showing == common::Showing::Recorded && !series->generations().empty() &&
        series->track(plot.spec().lines.front().series, series->generations().front().number) != nullptr;
    return (mayBeEmpty || !scene.isEmpty) && scene.left.plot == plot.plotArea() && scene.left.logX == isLog &&
           scene.left.x1 == view.range(*series, axis, isLog).high;
  });
}

// Along the middle of the plot, between these shares of its width; returns the places.
inline std::pair<QPoint, QPoint> drag(PlotView* plot, double from, double to) {
  const QRectF area = plot->plotArea();
  const auto at = [&](double share) {
    return QPointF(area.left() + share * area.width(), area.center().y()).toPoint();
  };
  QTest::mousePress(plot, Qt::LeftButton, {}, at(from));
  QTest::mouseMove(plot, at(to));
  QTest::mouseRelease(plot, Qt::LeftButton, {}, at(to));
  return {at(from), at(to)};
}

// Returns the widget that a screen reader names so; null: there is none.
template <class Widget>
Widget* named(const QWidget& parent, const char* name) {
  const auto widgets = parent.findChildren<Widget*>();
  const auto found = std::find_if(widgets.begin(), widgets.end(), [name](const Widget* widget) {
    return widget->accessibleName() == QLatin1String(name);
  });
  return found == widgets.end() ? nullptr : *found;
}

inline void awaitDrawn(const MainWindow& window) { QTRY_VERIFY_WITH_TIMEOUT(isDrawn(window), 30'000); }

// Returns the newest notice in the window's corner; empty where there is none.
inline QString notice(const QWidget& window) {
  const auto shown = window.findChildren<QLabel*>(QStringLiteral("message"));
  const auto newest =
      std::find_if(shown.rbegin(), shown.rend(), [](const QLabel* label) { return label->isVisible(); });
  return newest == shown.rend() ? QString() : (*newest)->text();
}

// Keeps a picture where BATCHSCOPE_PICTURES names a folder.
inline void keepPicture(const QPixmap& picture, const QString& name) {
  const QString folder = qEnvironmentVariable("BATCHSCOPE_PICTURES");
  if (!folder.isEmpty()) picture.save(QStringLiteral("%1/%2.png").arg(folder, name));
}
inline void keepPicture(QWidget& widget, const QString& name) { keepPicture(widget.grab(), name); }

// Chooses an entry of the window's menus with the mouse, such as "View/Theme/Dark". False where there is no
// such entry, or it cannot be chosen.
inline bool clickMenu(QMainWindow& window, const QString& path) {
  QWidget* bar = window.menuBar();
  const QStringList titles = path.split(QLatin1Char('/'));
  for (const QString& title : titles) {
    const QList<QAction*> entries = bar->actions();
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const QAction* action) {
      return action->text().remove(QLatin1Char('&')) == title;
    });
    if (found == entries.end() || !(*found)->isEnabled()) return false;
    if (QMenu* menu = (*found)->menu()) {
      menu->popup(window.mapToGlobal(QPoint(60, 30)));
      bar = menu;
      continue;
    }
    QTest::mouseClick(bar, Qt::LeftButton, {}, qobject_cast<QMenu*>(bar)->actionGeometry(*found).center());
    while (QWidget* left = QApplication::activePopupWidget()) left->close();
    return true;
  }
  return false;
}

}  // namespace batchscope::desktop::test
