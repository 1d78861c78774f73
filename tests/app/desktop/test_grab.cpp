// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window as a picture: at the sizes and themes of the documentation nothing is clipped, the charts show
// what the store holds, within a pixel. With BATCHSCOPE_PICTURES set to a folder, the pictures are kept
// there.
#include <QAbstractButton>
#include <QLabel>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "batchscope/protocol/paths.h"
#include "catalogue_watcher.h"
#include "chart_card.h"
#include "control_panel.h"
#include "dashboard.h"
#include "main_window.h"
#include "plot_view.h"
#include "run_session.h"
#include "synthetic_run.h"
#include "temporary_store.h"
#include "theme.h"
#include "view_state.h"

using namespace batchscope;
using namespace batchscope::desktop;

class GrabTest : public QObject {
  Q_OBJECT

  test::TemporaryStore store_;
  std::unique_ptr<storage::Catalogue> catalogue_;
  std::unique_ptr<CatalogueWatcher> watcher_;

  // Every chart has been laid out and drawn, over the range that is in view.
  static bool isDrawn(const MainWindow& window) {
    SeriesModel* series = window.session()->series();
    if (series == nullptr) return false;
    const auto& cards = window.dashboard()->cards();
    return std::all_of(cards.begin(), cards.end(), [&](const ChartCard* card) {
      const PlotView& plot = *card->plot();
      const ChartScene& scene = plot.painter().scene();
      const XAxis axis = plot.spec().axis.value_or(window.view()->axis());
      return !scene.isEmpty && scene.left.plot == plot.plotArea() &&
             scene.left.x1 == window.view()->range(*series, axis).high;
    });
  }
  static void show(MainWindow& window, const QSize& size) {
    window.resize(size);
    window.show();
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn(window), 30000);
  }

 private Q_SLOTS:
  void initTestCase() {
    catalogue_ = std::make_unique<storage::Catalogue>(protocol::catalogue_path());
    test::writeListedRun(*catalogue_, "digits-linear-S64", protocol::RunState::stopped, 0.902);
    test::writeListedRun(*catalogue_, "dcgan-small", protocol::RunState::failed, 0.42);
    test::SyntheticOptions options;
    options.state = protocol::RunState::running;
    catalogue_->claim_supervisor(test::writeSyntheticRun(*catalogue_, options));
    watcher_ = std::make_unique<CatalogueWatcher>(protocol::catalogue_path());
  }

  void aRestartTellsItsPause() {
    MainWindow window(watcher_.get(), false);
    show(window, {1440, 900});
    const PlotView* plot = window.dashboard()->cards().front()->plot();
    const QRectF area = plot->plotArea();
    int told = 0;
    for (const SceneBand& band : plot->painter().scene().bands) {
      const QString text = plot->restartAt({band.left, area.center().y()});
      QCOMPARE(text.isEmpty(), !band.isRestart);
      QCOMPARE(plot->restartAt({band.left + 6, area.top() + 3}), text);
      QVERIFY(plot->restartAt({band.left + 20, area.center().y()}).isEmpty());
      if (text.contains(QStringLiteral("\nPause ")) && text.contains(QStringLiteral("Checkpoint 9 ms")))
        ++told;
    }
    QVERIFY(told > 0);
  }

  void nothingIsClipped_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("isDark");
    for (const QSize& size : {QSize(1280, 800), QSize(1440, 900), QSize(1920, 1080)}) {
      for (const bool isDark : {false, true}) {
        QTest::addRow("%dx%d %s", size.width(), size.height(), isDark ? "dark" : "light") << size << isDark;
      }
    }
  }

  void nothingIsClipped() {
    QFETCH(QSize, size);
    QFETCH(bool, isDark);
    applyTheme(isDark ? Theme::Mode::Dark : Theme::Mode::Light);
    MainWindow window(watcher_.get(), false);
    show(window, size);
    window.view()->setCursor(window.session()->series()->nearest(XAxis::Step, 5400));
    const QPixmap picture = window.grab();
    QCOMPARE(picture.size(), size);
    const QString folder = qEnvironmentVariable("BATCHSCOPE_PICTURES");
    if (!folder.isEmpty()) {
      picture.save(
          QStringLiteral("%1/window-%2-%3.png").arg(folder, isDark ? "dark" : "light").arg(size.width()));
    }

    for (const QLabel* label : window.findChildren<QLabel*>()) {
      if (!label->isVisible() || label->wordWrap()) continue;
      QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
      QVERIFY2(label->height() >= label->fontMetrics().height(), qPrintable(label->text()));
    }
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>()) {
      if (!button->isVisible() || button->text().isEmpty()) continue;
      QVERIFY2(button->width() >= button->minimumSizeHint().width(), qPrintable(button->text()));
    }
    for (const ChartCard* card : window.dashboard()->cards()) {
      const ChartScene& scene = card->plot()->painter().scene();
      QVERIFY(!scene.isEmpty);
      QCOMPARE(scene.bands.size(), 3u);
      QCOMPARE(scene.left.plot, card->plot()->plotArea());
      QVERIFY(scene.left.plot.height() >= 80);
    }
  }

  void linesAreWhereTheStoreSays() {
    applyTheme(Theme::Mode::Light);
    MainWindow window(watcher_.get(), false);
    show(window, {1440, 900});
    window.view()->setAxis(XAxis::Step, window.session()->series());
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn(window), 30000);
    // The batch size is neither noisy nor smoothed: its line's colour stands at its value.
    const PlotView* plot = window.dashboard()->cards()[1]->plot();
    const ChartScene& scene = plot->painter().scene();
    const QImage image = const_cast<PlotView*>(plot)->grab().toImage();
    for (const std::int64_t step : {300, 1500, 3600, 6000}) {
      const auto at = window.session()->series()->nearest(XAxis::Step, static_cast<double>(step));
      const double value = *window.session()->series()->value("batch_size", *at);
      const QPoint expected(qRound(scene.left.px(static_cast<double>(at->step))),
                            qRound(scene.left.py(value)));
      bool isThere = false;
      for (int dy = -1; dy <= 1; ++dy) {
        const QColor pixel = image.pixelColor(expected.x(), expected.y() + dy);
        const QColor line = Theme::light().series[0];
        isThere = isThere || std::abs(pixel.red() - line.red()) + std::abs(pixel.blue() - line.blue()) < 60;
      }
      QVERIFY2(isThere, qPrintable(QString::number(step)));
    }
  }

  void gainStandsOnOne() {
    MainWindow window(watcher_.get(), false);
    show(window, {1440, 900});
    const ChartScene& gain = window.dashboard()->cards()[0]->plot()->painter().scene();
    const double y = gain.left.py(1);
    QVERIFY(y < gain.left.plot.bottom() && y > gain.left.plot.bottom() - 0.1 * gain.left.plot.height());
  }

  void theWheelZoomsAllCharts() {
    MainWindow window(watcher_.get(), false);
    show(window, {1440, 900});
    window.view()->setAxis(XAxis::Step, window.session()->series());
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn(window), 30000);
    PlotView* plot = window.dashboard()->cards()[0]->plot();
    const QPointF centre = plot->plotArea().center();
    QWheelEvent wheel(centre, plot->mapToGlobal(centre), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(plot, &wheel);
    QVERIFY(window.view()->isZoomed());
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn(window), 30000);
    const ChartScene& first = plot->painter().scene();
    const ChartScene& last = window.dashboard()->cards()[5]->plot()->painter().scene();
    QCOMPARE(first.left.x0, last.left.x0);
    QVERIFY(first.left.x1 - first.left.x0 < 0.7 * 7050);
    QTest::mouseDClick(plot, Qt::LeftButton, {}, centre.toPoint());
    QVERIFY(!window.view()->isZoomed());
  }

  void draggingZoomsToTheRange() {
    MainWindow window(watcher_.get(), false);
    show(window, {1440, 900});
    window.view()->setAxis(XAxis::Step, window.session()->series());
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn(window), 30000);
    PlotView* plot = window.dashboard()->cards()[4]->plot();
    const QRectF area = plot->plotArea();
    const auto at = [&](double share) {
      return QPoint(static_cast<int>(area.left() + share * area.width()),
                    static_cast<int>(area.center().y()));
    };
    const double from = plot->painter().scene().left.xAt(at(0.2).x()),
                 to = plot->painter().scene().left.xAt(at(0.4).x());
    QTest::mousePress(plot, Qt::LeftButton, {}, at(0.2));
    QTest::mouseMove(plot, at(0.4));
    QTest::mouseRelease(plot, Qt::LeftButton, {}, at(0.4));
    const auto range = window.view()->range(*window.session()->series(), XAxis::Step);
    QVERIFY(std::abs(range.low - from) <= 1);
    QVERIFY(std::abs(range.high - to) <= 1);
  }

  void cleanupTestCase() {
    watcher_.reset();
    catalogue_.reset();
  }
};

QTEST_MAIN(GrabTest)
#include "test_grab.moc"
