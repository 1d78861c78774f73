// SPDX-License-Identifier: GPL-3.0-or-later
//
// A chart at rest: its axes and ticks, what is dropped and where its lines break, what is said of the point
// under the mouse and by the arrow keys, and its colours as the theme changes.
#include <QCategoryAxis>
#include <QLegendMarker>
#include <QLineSeries>
#include <QSvgRenderer>
#include <QtTest>
#include <cmath>
#include <limits>

#include "figure/figure.h"
#include "share/picture_export.h"
#include "test_case.h"

using namespace batchscope::desktop;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

FigureData decades() {
  FigureData data;
  data.bottom = {.kind = FigureAxis::Kind::Logarithmic, .low = 16, .high = 512};
  data.left = {.kind = FigureAxis::Kind::Logarithmic};
  data.series.push_back({.name = QStringLiteral("line"),
                         .ink = {Ink::Series, 1},
                         .points = {{16, 1, QStringLiteral("one")},
                                    {32, 10, QStringLiteral("two")},
                                    {64, 0},
                                    {128, 100, QStringLiteral("three")},
                                    {256, kNothing},
                                    {512, 1000, QStringLiteral("four")}}});
  return data;
}

}  // namespace

class TestFigure : public QObject {
  Q_OBJECT

  std::unique_ptr<Figure> figure_;

  template <class Series>
  QList<Series*> seriesOf() const {
    QList<Series*> found;
    for (QAbstractSeries* series : figure_->chart()->series())
      if (auto* wanted = qobject_cast<Series*>(series)) found << wanted;
    return found;
  }

 private Q_SLOTS:
  void init() {
    applyTheme(Theme::Mode::Light);
    figure_ = std::make_unique<Figure>();
    figure_->resize(500, 300);
    figure_->setData(decades());
    figure_->show();
    QVERIFY(QTest::qWaitForWindowExposed(figure_.get()));
  }

  void logarithmicAxesHaveTicksAPersonWouldWrite() {
    const auto axes = figure_->chart()->axes(Qt::Horizontal);
    QCOMPARE(qobject_cast<QCategoryAxis*>(axes.front())->categoriesLabels(),
             QStringList({"16", "32", "64", "128", "256", "512"}));
    QVERIFY(std::abs(figure_->place(128, 1).x() - figure_->place(16, 1).x() -
                     3 * (figure_->place(32, 1).x() - figure_->place(16, 1).x())) < 1);
    QVERIFY(std::abs(figure_->valueAt(figure_->place(100, 1).x()) - 100) < 0.5);
  }

  // One value at or below zero would blank a chart of Qt Charts, and NaN a line.
  void linesBreakAtWhatHasNoPlace() {
    const auto lines = seriesOf<QLineSeries>();
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[0]->count(), 2);
    int shown = 0;
    for (const QLegendMarker* marker : figure_->chart()->legend()->markers()) shown += marker->isVisible();
    QCOMPARE(shown, 1);
  }

  void whatIsPointedAtIsSaid() {
    QTest::mouseMove(figure_->viewport(), figure_->place(32, 10).toPoint() + QPoint(3, -3));
    QCOMPARE(figure_->chosenText(), QStringLiteral("two"));
    QCOMPARE(figure_->accessibleDescription(), QStringLiteral("two"));
    QTest::mouseMove(figure_->viewport(), figure_->place(32, 900).toPoint());
    QCOMPARE(figure_->chosenText(), QString());
  }

  void theArrowKeysGoFromPointToPoint() {
    figure_->activateWindow();
    figure_->setFocus();
    for (const char* text : {"one", "two", "three", "four", "four"}) {
      QTest::keyClick(figure_.get(), Qt::Key_Right);
      QCOMPARE(figure_->chosenText(), QLatin1String(text));
    }
    QTest::keyClick(figure_.get(), Qt::Key_Down);
    QCOMPARE(figure_->chosenText(), QStringLiteral("three"));
    QTest::keyClick(figure_.get(), Qt::Key_Left);
    QCOMPARE(figure_->chosenText(), QStringLiteral("two"));
  }

  void coloursFollowTheTheme() {
    QCOMPARE(seriesOf<QLineSeries>().front()->pen().color(), Theme::light().series[1]);
    applyTheme(Theme::Mode::Dark);
    QCOMPARE(seriesOf<QLineSeries>().front()->pen().color(), Theme::dark().series[1]);
    applyTheme(Theme::Mode::Dark, true);
    QCOMPARE(seriesOf<QLineSeries>().front()->pen().color(), Theme::of(true, true).series[1]);
  }

  void barsAndCellsAreDrawn() {
    FigureData data;
    data.left.ticks = {{0, QStringLiteral("first")}, {1, QStringLiteral("second")}};
    data.bars = {{QStringLiteral("stop"), {Ink::Series, 0}, {1, 2}},
                 {QStringLiteral("launch"), {Ink::Series, 1}, {3, 1}}};
    data.barTexts = {QStringLiteral("4 in all"), QStringLiteral("3 in all")};
    figure_->setData(data);
    figure_->grab();
    QTest::mouseMove(figure_->viewport(), figure_->place(2, 0.1).toPoint());
    QCOMPARE(figure_->chosenText(), QStringLiteral("4 in all"));
    QImage image = figure_->grab().toImage();
    const double density = image.devicePixelRatio();
    QCOMPARE(image.pixelColor((figure_->place(2.5, 1.1) * density).toPoint()), Theme::light().series[1]);

    FigureData map;
    map.cells = {{QRectF(0, 0, 1, 1), {Ink::Good}, QStringLiteral("low")},
                 {QRectF(1, 1, 1, 1), {Ink::Bad}, QStringLiteral("high")}};
    figure_->setData(map);
    image = figure_->grab().toImage();
    QCOMPARE(image.pixelColor((figure_->place(1.5, 1.5) * density).toPoint()), Theme::light().bad);
    QTest::mouseMove(figure_->viewport(), figure_->place(0.5, 0.5).toPoint());
    QCOMPARE(figure_->chosenText(), QStringLiteral("low"));
  }

  void emptyItSaysWhatIsMissing() {
    FigureData data;
    data.missing = QStringLiteral("Nothing yet");
    figure_->setData(data);
    QCOMPARE(figure_->accessibleDescription(), QStringLiteral("Nothing yet"));
    QVERIFY(!figure_->grab().isNull());
  }

  void aPictureIsMadeOfLines() {
    const QByteArray svg = svgOf(figure_.get());
    QVERIFY(QSvgRenderer(svg).isValid());
    QVERIFY(svg.contains("polyline") || svg.contains("<path"));
    QVERIFY(svg.contains(">512<") && svg.contains(">line<"));
    QVERIFY(!svg.contains("<image"));
  }
};

BATCHSCOPE_TEST(TestFigure)
#include "test_figure.moc"
