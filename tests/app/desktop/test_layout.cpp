// SPDX-License-Identifier: GPL-3.0-or-later
//
// The look that a person chooses, by mouse from the menus: light, dark and colour-blind palettes, panels
// that come and go, the default layout again; and numbers in the person's own locale.
#include <QDockWidget>

#include "chart/axis.h"
#include "control/control_panel.h"
#include "look/format.h"
#include "test_case.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

class TestLayout : public test::WindowTest {
  Q_OBJECT

  bool choose(const QString& path) { return test::clickMenu(*window_, path); }
  bool isDocked(const char* name) const {
    const auto* dock = window_->findChild<QDockWidget*>(QLatin1String(name));
    return dock != nullptr && !dock->isHidden();
  }
  // Of the chart's card, beside its title.
  QColor ground() const {
    return window_->dashboard()->cards()[0]->grab().toImage().pixelColor(QPoint(6, 20));
  }
  bool isDrawnIn(const QColor& ink) const {
    const QImage image = plotAt(1)->grab().toImage();
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        if (image.pixelColor(x, y) == ink) return true;
      }
    }
    return false;
  }

 private Q_SLOTS:
  void initTestCase() {
    QCoreApplication::setApplicationName(QStringLiteral("batchscope"));
    test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 300});
    showWindow({1280, 800});
    test::awaitDrawn(*window_);
  }

  void thePaletteIsChosen() {
    QVERIFY(choose(QStringLiteral("View/Theme/Dark")));
    QTRY_COMPARE(ground(), Theme::dark().panel);
    QTRY_VERIFY(isDrawnIn(Theme::dark().series[0]));
    QVERIFY(choose(QStringLiteral("View/Theme/Light")));
    QTRY_COMPARE(ground(), Theme::light().panel);
    const auto blind = QStringLiteral("View/Theme/Colours for the colour-blind");
    QVERIFY(choose(blind));
    QTRY_VERIFY(isDrawnIn(Theme::of(false, true).series[0]));
    QVERIFY(choose(blind));
    QTRY_VERIFY(isDrawnIn(Theme::light().series[0]));
  }

  void panelsComeAndGo() {
    const auto panels = QStringLiteral("View/Panels/");
    auto* control = window_->control();
    QVERIFY(control->isVisible());
    QVERIFY(choose(panels + QStringLiteral("Control")));
    QVERIFY(!control->isVisible());
    QVERIFY(choose(panels + QStringLiteral("Control")));
    QVERIFY(control->isVisible());
    QVERIFY(isDocked("log") && isDocked("events"));
    QVERIFY(choose(panels + QStringLiteral("Show Log")));
    QVERIFY(choose(panels + QStringLiteral("Show Events")));
    QVERIFY(!isDocked("log") && !isDocked("events"));
    QVERIFY(choose(panels + QStringLiteral("Restore the default layout")));
    QVERIFY(isDocked("log") && isDocked("events"));
    // One that floats comes home too.
    auto* log = window_->findChild<QDockWidget*>(QStringLiteral("log"));
    log->setFloating(true);
    QVERIFY(choose(panels + QStringLiteral("Restore the default layout")));
    QVERIFY(!log->isFloating());
  }

  void aZoomByMouseIsUndoneByMenu() {
    ViewState& view = *window_->view();
    view.setAxis(XAxis::Step, nullptr);
    QTest::qWait(30);
    PlotView* plot = plotAt(2);
    SeriesModel& model = *window_->session()->series();
    test::drag(plot, 0.2, 0.8);
    const auto first = view.range(model, XAxis::Step);
    QTest::qWait(20);
    test::drag(plot, 0.3, 0.6);
    QVERIFY(view.range(model, XAxis::Step).high < first.high);
    QVERIFY(choose(QStringLiteral("View/Undo zoom or pan")));
    QCOMPARE(view.range(model, XAxis::Step).high, first.high);
    QVERIFY(choose(QStringLiteral("View/Undo zoom or pan")));
    QVERIFY(!view.isZoomed());
    QVERIFY(!choose(QStringLiteral("View/Undo zoom or pan")));  // nothing is left to undo
    QVERIFY(choose(QStringLiteral("View/Redo zoom or pan")));
    QCOMPARE(view.range(model, XAxis::Step).high, first.high);
    QTest::mouseDClick(plot, Qt::LeftButton, {}, plot->plotArea().center().toPoint());
    QVERIFY(!view.isZoomed());
  }

  void numbersAreThoseOfTheLocale() {
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    QCOMPARE(formatNumber(4731.4), QStringLiteral("4.731"));
    QCOMPARE(formatNumber(4.2137), QStringLiteral("4,21"));
    QCOMPARE(formatCount(7214), QStringLiteral("7.214"));
    QCOMPARE(formatPause(1.402), QStringLiteral("1,40 s"));
    QCOMPARE(linearTicks(0, 1, 4)[1].label, QStringLiteral("0,25"));
    QLocale::setDefault(before);
  }
};

BATCHSCOPE_TEST(TestLayout)
#include "test_layout.moc"
