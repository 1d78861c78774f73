// SPDX-License-Identifier: GPL-3.0-or-later
//
// Contrast of the themes, and ticks of the axes.
#include <QPainter>
#include <cmath>
#include <map>
#include <set>

#include "batchscope/protocol/json.h"
#include "chart/axis.h"
#include "chart/line_look.h"
#include "chart/series_painter.h"
#include "control/replica_buttons.h"
#include "look/swatch.h"
#include "look/theme.h"
#include "test_case.h"
#include "text_files.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

using protocol::Json;
using Ticks = std::vector<Tick> (*)(double low, double high, int most);

const std::map<std::string, Ticks> kAxes{{"linear", linearTicks},
                                         {"time", timeTicks},
                                         {"logarithmic time", logTimeTicks},
                                         {"logarithmic", logTicks}};

struct Lab {
  double l, a, b;
};

// Returns a colour as a person without red or green cones sees it (Vienot, Brettel and Mollon 1999), in CIE
// Lab.
Lab seen(const QColor& colour, bool isProtan) {
  const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  const double r = linear(colour.redF()), g = linear(colour.greenF()), b = linear(colour.blueF());
  const double red = isProtan ? 0.11238 * r + 0.88762 * g : 0.29275 * r + 0.70725 * g;
  const double blue = isProtan ? 0.00401 * (r - g) + b : 0.02234 * (g - r) + b;
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * red + 0.3576 * red + 0.1805 * blue) / 0.9505);
  const double y = f(0.2126 * red + 0.7152 * red + 0.0722 * blue);
  const double z = f((0.0193 * red + 0.1192 * red + 0.9505 * blue) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double leastDistance(const Theme& theme, bool isProtan) {
  double least = 1e9;
  for (std::size_t i = 0; i < theme.series.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Lab p = seen(theme.series[i], isProtan), q = seen(theme.series[j], isProtan);
      least = std::min(least, std::hypot(p.l - q.l, p.a - q.a, p.b - q.b));
    }
  }
  return least;
}

}  // namespace

class TestLook : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

  void textIsLegible() {
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
      for (const QColor& text :
           {theme->text, theme->dim, theme->accent, theme->good, theme->warning, theme->bad}) {
        for (const QColor& ground : {theme->background, theme->panel, theme->selection}) {
          QVERIFY2(contrastRatio(text, ground) >= 4.5, qPrintable(text.name() + " on " + ground.name()));
        }
      }
      for (const QColor& tone : {theme->good, theme->warning, theme->bad}) {
        QVERIFY2(contrastRatio(tone, theme->tint(tone)) >= 4.5, qPrintable(tone.name()));
        QVERIFY2(contrastRatio(theme->text, theme->tint(tone)) >= 4.5, qPrintable(tone.name()));
      }
      for (const QColor& text : {theme->text, theme->dim}) {
        for (const QColor& ground : {theme->raised, theme->grid})  // buttons; a chip without a tone
          QVERIFY2(contrastRatio(text, ground) >= 4.5, qPrintable(text.name() + " on " + ground.name()));
      }
      QVERIFY(contrastRatio(theme->bad, theme->raised) >= 4.5);
      QVERIFY(contrastRatio(theme->onAccent, theme->accent) >= 4.5);
      for (const QColor& line : theme->series) QVERIFY(contrastRatio(line, theme->panel) >= 3);
    }
  }

  // Lines of one chart stay apart for those who see no red or no green; 20 is plain at a glance.
  void seriesStayApartForTheColourBlind() {
    for (const bool isDark : {false, true}) {
      const Theme& theme = Theme::of(isDark, true);
      for (const bool isProtan : {false, true}) {
        QVERIFY2(
            leastDistance(theme, isProtan) >= 20,
            qPrintable(
                QStringLiteral("%1 %2: %3").arg(isDark).arg(isProtan).arg(leastDistance(theme, isProtan))));
      }
      for (const QColor& line : theme.series) QVERIFY(contrastRatio(line, theme.panel) >= 3);
    }
  }

  // Runs that are compared are told apart without their colours, too.
  void runsHaveMarksForTheColourBlind() {
    common::ChartSpec spec;
    spec.lines = {{.series = "loss", .label = {}}, {.series = "gain", .label = {}}};
    std::set<std::pair<Marker, bool>> marks;
    for (int run = 0; run < 8; ++run) {
      const LineLook look = lookOf(spec, 0, Theme::of(false, true), run);
      QVERIFY(look.isMarked);
      marks.emplace(look.marker, look.isHollow);
      // The same in all charts and lists, whose strokes tell the series.
      const LineLook other = lookOf(spec, 1, Theme::of(false, true), run),
                     named = lookOfRun(run, Theme::of(false, true));
      for (const LineLook& same : {other, named}) {
        QCOMPARE(same.marker, look.marker);
        QCOMPARE(same.isHollow, look.isHollow);
        QCOMPARE(same.colour, look.colour);
      }
      QVERIFY(other.strokes != look.strokes);
      QVERIFY(!lookOf(spec, 0, Theme::light(), run).isMarked);
    }
    QCOMPARE(marks.size(), 8u);
  }

  // They stand at intervals along each line, and in the lists.
  void theMarksAreDrawn() {
    const Theme& theme = Theme::of(false, true);
    const auto inkOf = [&](const Theme& of) {
      ChartScene scene;
      scene.left.plot = QRectF(0, 0, 400, 60);
      SceneLine line;
      line.colour = 2;
      ScenePiece piece;
      piece.ink.raw = {QPolygonF{{0, 30}, {400, 30}}};
      piece.ink.samples = 1000;
      line.pieces = {piece};
      scene.lines = {line};
      common::ChartSpec spec;
      spec.lines = {{.series = "loss", .label = {}}};
      SeriesPainter painter;
      painter.setScene(scene, spec, of, 1);
      QImage image(400, 60, QImage::Format_RGB32);
      image.fill(of.panel);
      QPainter on(&image);
      painter.paint(on);
      int columns = 0;  // that have ink beside the line
      for (int x = 0; x < image.width(); ++x) columns += image.pixelColor(x, 27) != of.panel ? 1 : 0;
      return columns;
    };
    QCOMPARE(inkOf(Theme::light()), 0);
    QVERIFY(inkOf(theme) >= 5 && inkOf(theme) < 60);
    applyTheme(Theme::Mode::Light, true);
    const QImage blind = sampleOfRun(1).toImage();
    QVERIFY(blind != sampleOfRun(5).toImage());
    applyTheme(Theme::Mode::Light);
    QVERIFY(sampleOfRun(1).toImage() == stroke(Theme::light().run(1)).toImage());
  }

  void everyTokenOfTheStyleSheetIsKnown() {
    applyTheme(Theme::Mode::Dark);
    QFile file(QStringLiteral(":/themes/window.qss"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QString sheet = QString::fromUtf8(file.readAll());
    sheet.remove(
        QRegularExpression(QStringLiteral("/\\*.*?\\*/"), QRegularExpression::DotMatchesEverythingOption));
    QVERIFY(!Theme::dark().styleSheet(sheet).contains(QLatin1Char('@')));
  }

  // The page of `batchscope serve`, and with it the report, has the window's colours.
  void thePageHasTheSameColours() {
    QFile file(QStringLiteral(":/report/tokens.css"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    static const QRegularExpression comment(QStringLiteral("/\\*.*?\\*/"),
                                            QRegularExpression::DotMatchesEverythingOption);
    const QString sheet = QString::fromUtf8(file.readAll()).remove(comment);
    static const QRegularExpression block(QStringLiteral("([^{}]*)\\{([^{}]*)\\}")),
        token(QStringLiteral("--([a-z0-9-]+): (#[0-9a-f]{6});"));
    const auto read = [&](const char* selector, const Theme& theme, int tokens) {
      int found = 0;
      for (const auto& rule : block.globalMatch(sheet)) {
        if (rule.captured(1).trimmed() != QLatin1String(selector)) continue;
        for (const auto& each : token.globalMatch(rule.captured(2))) {
          const QString name = each.captured(1);
          const QString colour = name.startsWith(QLatin1String("run-"))
                                     ? theme.run(name.mid(4).toInt() - 1).name()
                                     : theme.styleSheet(QLatin1Char('@') + name);
          QVERIFY2(each.captured(2) == colour, qPrintable(selector + name));
          ++found;
        }
      }
      QCOMPARE(found, tokens);
    };
    read(":root, [data-scheme=light]", Theme::light(), 28);
    read("[data-scheme=dark]", Theme::dark(), 28);
    read(":root:not([data-scheme])", Theme::dark(), 28);
    read("[data-palette=colour-blind]", Theme::of(false, true), 10);
    read("[data-scheme=dark][data-palette=colour-blind]", Theme::of(true, true), 10);
  }

  // The page passes the same table.
  void ticksReadAsInTheTable_data() {
    QTest::addColumn<QString>("axis");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<int>("most");
    QTest::addColumn<QString>("labels");
    const Json cases = Json::parse(batchscope::testing::contents(TICK_CASES));
    for (const auto& [axis, rows] : cases.items())
      for (const Json& row : rows)
        QTest::addRow("%s, %s to %s", axis.c_str(), row[0].dump().c_str(), row[1].dump().c_str())
            << QString::fromStdString(axis) << row[0].get<double>() << row[1].get<double>()
            << row[2].get<int>() << QString::fromStdString(row[3].get<std::string>());
  }
  void ticksReadAsInTheTable() {
    QFETCH(QString, axis);
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(int, most);
    QStringList labels;
    for (const Tick& tick : kAxes.at(axis.toStdString())(low, high, most)) labels << tick.label;
    QTEST(labels.join(QLatin1Char('|')), "labels");
  }

  void replicaChoicesFitTheMachine() {
    QCOMPARE(replicaChoices(1, 0), (std::vector<int>{1, 2}));
    QCOMPARE(replicaChoices(2, 0), (std::vector<int>{1, 2, 3, 4}));
    QCOMPARE(replicaChoices(8, 0), (std::vector<int>{1, 2, 4, 8, 16}));
    QCOMPARE(replicaChoices(6, 3), (std::vector<int>{1, 2, 3, 4, 6, 8}));
  }
};

BATCHSCOPE_TEST(TestLook)
#include "test_look.moc"
