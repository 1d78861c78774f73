// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window as a picture: at the sizes and themes of the documentation nothing is clipped and nothing lies
// over another, axes, bands and labels are there, and the charts show what the store holds, within a pixel.
// Run again with QT_SCALE_FACTOR=2.
#include <cmath>
#include <map>

#include "batchscope/storage/samples.h"
#include "control/control_panel.h"
#include "explorer/explorer_panel.h"
#include "lessons/lesson_panel.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

double distance(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
}

// A widget's picture, asked in the widget's own coordinates whatever the scale.
class GrabbedPicture {
 public:
  explicit GrabbedPicture(QWidget& widget)
      : image_(widget.grab().toImage()), scale_(image_.devicePixelRatio()) {}

  // The least distance of a pixel from a colour within `reach` of here.
  double nearest(const QPointF& at, const std::vector<QColor>& colours, double reach) const {
    double least = 1e9;
    visit(QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach), [&](const QColor& pixel) {
      for (const QColor& colour : colours) least = std::min(least, distance(pixel, colour));
    });
    return least;
  }
  // Pixels that are nearly of this colour, as a share.
  double share(const QRectF& area, const QColor& colour) const {
    int all = 0, found = 0;
    visit(area, [&](const QColor& pixel) {
      ++all;
      found += distance(pixel, colour) < 90 ? 1 : 0;
    });
    return all == 0 ? 0 : double(found) / all;
  }
  QColor commonest(const QRectF& area) const {
    std::map<QRgb, int> counts;
    visit(area, [&](const QColor& pixel) { ++counts[pixel.rgb()]; });
    return std::max_element(counts.begin(), counts.end(),
                            [](auto& a, auto& b) { return a.second < b.second; })
        ->first;
  }

 private:
  template <typename Do>
  void visit(const QRectF& area, Do&& act) const {
    const QRect pixels =
        QRectF(area.topLeft() * scale_, area.size() * scale_).toAlignedRect() & image_.rect();
    for (int y = pixels.top(); y <= pixels.bottom(); ++y) {
      for (int x = pixels.left(); x <= pixels.right(); ++x) act(image_.pixelColor(x, y));
    }
  }

  QImage image_;
  double scale_;
};

}  // namespace

class TestGrab : public test::WindowTest {
  Q_OBJECT

  MainWindow& show(const QSize& size) {
    makeWindow(size);
    window_->show();
    test::awaitDrawn(*window_);
    return *window_;
  }

  // Keeps its picture; no text is cut off, and nothing lies over another.
  void inspect(const char* page) {
    const QPixmap picture = window_->grab();
    QCOMPARE(picture.size(), window_->size() * window_->devicePixelRatioF());
    test::keepPicture(picture, QStringLiteral("%1-%2-%3-%4")
                                   .arg(page, Theme::current().isDark ? "dark" : "light")
                                   .arg(window_->width())
                                   .arg(picture.devicePixelRatio()));
    QTRY_COMPARE(test::fault(*window_), QString());
  }

 private Q_SLOTS:
  void initTestCase() {
    test::writeListedRun(catalogue_, "digits-linear-S64", protocol::RunState::stopped, 0.902);
    test::writeListedRun(catalogue_, "dcgan-small", protocol::RunState::failed, 0.42);
    catalogue_.claim_supervisor(test::writeSyntheticRun(catalogue_, {.state = protocol::RunState::running}));
  }

  void aRestartTellsItsPause() {
    show({1440, 900});
    const PlotView* plot = plotAt(0);
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
    MainWindow& window = show(size);
    window.view()->setCursor(window.session()->series()->nearest(XAxis::Step, 5400));
    inspect("window");
    for (const ChartCard* card : window.dashboard()->cards()) {
      if (card->visibleRegion().isEmpty()) continue;  // scrolled out of sight
      const ChartScene& scene = card->plot()->painter().scene();
      QTRY_VERIFY(!scene.isEmpty);
      QCOMPARE(scene.bands.size(), 3u);
      QCOMPARE(scene.left.plot, card->plot()->plotArea());
      QVERIFY(scene.left.plot.height() >= 80);
    }
    window.showExplorer(true);
    QTest::qWait(100);
    inspect("explorer");
    window.showExplorer(false);
    for (const auto& [name, page] : {std::pair("lessons", Page::Learn), std::pair("table", Page::Runs)}) {
      window.showPage(page);
      QTest::qWait(100);
      inspect(name);
      window.showPage(Page::Run);
    }
  }

  void axesBandsAndLabelsAreThere() {
    applyTheme(Theme::Mode::Light);
    const Theme& theme = Theme::current();
    MainWindow& window = show({1440, 900});
    QTest::qWait(150);
    for (const ChartCard* card : window.dashboard()->cards()) {
      PlotView* plot = card->plot();
      const QByteArray title = plot->spec().title.toUtf8();
      const ChartScene& scene = plot->painter().scene();
      const QRectF area = plot->plotArea();
      const GrabbedPicture picture(*plot);

      // The axes have numbers, where the scene has their values, and they can be seen.
      QVERIFY2(plot->ticks().bottom.size() >= 2 && plot->ticks().left.size() >= 2, title);
      for (const Tick& tick : plot->ticks().left) {
        const double y = scene.left.py(tick.value);
        QVERIFY2(y > area.top() - 1 && y < area.bottom() + 1, title);
        QVERIFY2(picture.share(QRectF(0, y - 6, area.left() - 2, 12), theme.dim) > 0.01,
                 title + tick.label.toUtf8());
      }
      for (const Tick& tick : plot->ticks().bottom) {
        const double x = scene.left.px(tick.value);
        QVERIFY2(x > area.left() - 1 && x < area.right() + 1, title);
        QVERIFY2(picture.share(QRectF(x - 10, area.bottom() + 3, 20, 18), theme.dim) > 0.01,
                 title + tick.label.toUtf8());
      }

      // Every generation has its ground, its number of replicas and, but for the first, its line.
      for (const SceneBand& band : scene.bands) {
        const QRectF ground(band.left + 2, area.top() + 16,
                            std::min(band.right, area.right()) - band.left - 4, area.height() - 18);
        if (ground.width() > 30) {
          const bool isTinted = distance(picture.commonest(ground), theme.panel) > 10;
          QVERIFY2(isTinted == band.isShaded, title);
          QVERIFY2(picture.share(QRectF(band.left + 2, area.top() + 1, 22, 13), theme.accent) > 0.05, title);
        }
        if (band.isRestart)
          QVERIFY2(picture.share(QRectF(std::floor(band.left), area.top() + 16, 1, area.height() - 16),
                                 theme.accent) > 0.15,
                   title);
      }
    }
  }

  // No line is smoothed here, and so few steps are in view that each has a column of its own: where the store
  // has a value there is ink of the line's colour, or of one that is drawn over it.
  void pointsAreWhereTheStoreSays() {
    applyTheme(Theme::Mode::Light);
    const Theme& theme = Theme::current();
    MainWindow& window = show({1440, 900});
    QTest::qWait(50);
    SeriesModel& model = *window.session()->series();
    window.view()->setSmoothing(0);
    window.view()->setAxis(XAxis::Step, &model);
    window.view()->zoomTo(model, XAxis::Step, {3300, 3338});
    test::awaitDrawn(window);
    storage::SampleReader reader(protocol::run_paths(window.session()->run().id).samples);
    const auto valueAt = [&](const std::string& series, std::int64_t step) {
      const auto found = reader.read(series, 1, step, step);
      return found.empty() ? std::nan("") : found.front().value;
    };
    const std::vector<QColor> inks(theme.series.begin(), theme.series.end());
    int seen = 0;
    for (const ChartCard* card : window.dashboard()->cards()) {
      PlotView* plot = card->plot();
      if (plot->spec().isOverTime) continue;
      const GrabbedPicture picture(*plot);
      const ChartScene& scene = plot->painter().scene();
      QCOMPARE(scene.left.x0, 3300.0);
      for (const common::LineSpec& line : plot->spec().lines) {
        const auto sign = line.series.find_first_of("-/");
        for (std::int64_t step = 3301; step < 3338; ++step) {
          double value = valueAt(line.series.substr(0, sign), step);
          if (sign != std::string::npos) {
            const double other = valueAt(line.series.substr(sign + 1), step);
            value = line.series[sign] == '-' ? value - other : value / other;
          }
          if (std::isnan(value)) continue;  // not of every step
          const Projection& projection = line.isRight ? scene.right : scene.left;
          const QPointF place(projection.px(static_cast<double>(step)), projection.py(value * line.factor));
          if (!scene.left.plot.adjusted(2, 15, -2, -2).contains(place)) continue;  // none, or cut as a peak
          if (line.isBound || line.isDashed || line.isOff) continue;
          ++seen;
          QVERIFY2(picture.nearest(place, inks, 1) < 100,
                   qPrintable(QStringLiteral("%1 at %2").arg(QString::fromStdString(line.series)).arg(step)));
        }
      }
    }
    QVERIFY(seen > 300);
  }

  void gainStandsOnOne() {
    show({1440, 900});
    const ChartScene& gain = plotAt(0)->painter().scene();
    const double y = gain.left.py(1);
    QVERIFY(y < gain.left.plot.bottom() && y > gain.left.plot.bottom() - 0.1 * gain.left.plot.height());
  }

  void theWheelZoomsAllCharts() {
    MainWindow& window = show({1440, 900});
    window.view()->setAxis(XAxis::Step, window.session()->series());
    test::awaitDrawn(window);
    PlotView* plot = plotAt(0);
    const QPointF centre = plot->plotArea().center();
    QWheelEvent wheel(centre, plot->mapToGlobal(centre), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(plot, &wheel);
    QVERIFY(window.view()->isZoomed());
    test::awaitDrawn(window);
    const ChartScene& first = plot->painter().scene();
    const ChartScene& last = plotAt(5)->painter().scene();
    QCOMPARE(first.left.x0, last.left.x0);
    QVERIFY(first.left.x1 - first.left.x0 < 0.7 * 6960);
    QTest::mouseDClick(plot, Qt::LeftButton, {}, centre.toPoint());
    QVERIFY(!window.view()->isZoomed());
  }

  void draggingZoomsToTheRange() {
    MainWindow& window = show({1440, 900});
    window.view()->setAxis(XAxis::Step, window.session()->series());
    test::awaitDrawn(window);
    PlotView* plot = plotAt(4);
    const Projection before = plot->painter().scene().left;
    const auto [from, to] = test::drag(plot, 0.2, 0.4);
    const auto range = window.view()->range(*window.session()->series(), XAxis::Step);
    QVERIFY(std::abs(range.low - before.xAt(from.x())) <= 1);
    QVERIFY(std::abs(range.high - before.xAt(to.x())) <= 1);
  }
};

BATCHSCOPE_TEST(TestGrab)
#include "test_grab.moc"
