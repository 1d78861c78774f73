// SPDX-License-Identifier: GPL-3.0-or-later
//
// Accessibility: each control has a name that a screen reader says, each action is in a menu and so has a key
// or a mnemonic, and the view can be worked without a mouse.
#include <QAccessible>
#include <QToolButton>

#include "test_case.h"
#include "visual_checks.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

bool isControl(const QWidget* widget) {
  return test::isA(widget,
                   {"QAbstractButton", "QLineEdit", "QComboBox", "QAbstractSpinBox", "QAbstractItemView",
                    "QAbstractSlider", "QPlainTextEdit", "batchscope::desktop::PlotView"});
}

// Returns whether Qt made the widget for its own use: scroll bars, corner buttons, the field inside a spin
// box.
bool isInternal(const QWidget* widget) {
  return widget->objectName().startsWith(QLatin1String("qt_")) ||
         test::isA(widget, {"QScrollBar", "QTableCornerButton", "QHeaderView", "QComboBoxListView"}) ||
         test::isA(widget->parentWidget(), {"QAbstractSpinBox", "QLineEdit", "QTabBar"});
}

void collect(const QMenu* menu, QList<QAction*>& found) {
  for (QAction* action : menu->actions()) {
    if (action->menu() != nullptr) {
      collect(action->menu(), found);
    } else if (!action->isSeparator()) {
      found << action;
    }
  }
}

}  // namespace

class TestAccess : public test::WindowTest {
  Q_OBJECT

  QList<QAction*> actions() const {
    QList<QAction*> found;
    for (const QAction* top : window_->menuBar()->actions()) {
      if (top->menu() != nullptr) collect(top->menu(), found);
    }
    return found;
  }

 private Q_SLOTS:
  void initTestCase() {
    test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 300});
    showWindow();
    test::awaitDrawn(*window_);
  }

  void everyControlHasAName() {
    int seen = 0;
    for (QWidget* widget : window_->findChildren<QWidget*>()) {
      if (!isControl(widget) || isInternal(widget)) continue;
      ++seen;
      QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget);
      QVERIFY2(interface != nullptr && !interface->text(QAccessible::Name).isEmpty(),
               qPrintable(QStringLiteral("%1 \"%2\" in %3")
                              .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                                   QLatin1String(widget->parentWidget()->metaObject()->className()))));
    }
    QVERIFY(seen > 30);
  }

  void noKeyMeansTwoThings() {
    QMap<QString, QString> taken;
    for (const QAction* action : actions()) {
      const QString keys = action->shortcut().toString();
      if (keys.isEmpty()) continue;
      QVERIFY2(!taken.contains(keys), qPrintable(keys + ": " + taken.value(keys) + ", " + action->text()));
      taken[keys] = action->text();
    }
    QVERIFY(taken.size() > 30);
  }

  // Each button's action is in a menu too.
  void everyToolIsInAMenu() {
    const QList<QAction*> all = actions();
    for (const QToolButton* tool : window_->findChildren<QToolButton*>()) {
      if (tool->defaultAction() == nullptr || isInternal(tool)) continue;
      QVERIFY2(all.contains(tool->defaultAction()), qPrintable(tool->text()));
    }
  }

  void theViewIsWorkedByKeys() {
    ViewState& view = *window_->view();
    const auto press = [&](int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
      QTest::keyClick(window_.get(), static_cast<Qt::Key>(key), modifiers);
    };
    press(Qt::Key_1, Qt::AltModifier);
    QCOMPARE(view.axis(), XAxis::Step);
    press(Qt::Key_3, Qt::AltModifier);
    QCOMPARE(view.axis(), XAxis::Epoch);
    press(Qt::Key_6, Qt::AltModifier);
    QCOMPARE(view.axis(), XAxis::ActiveTime);
    QCOMPARE(view.logY(), std::nullopt);
    for (const std::optional<bool> next :
         {std::optional(true), std::optional(false), std::optional<bool>()}) {
      press(Qt::Key_L);
      QCOMPARE(view.logY(), next);
    }
    press(Qt::Key_L, Qt::ShiftModifier);
    QVERIFY(view.logX());
    press(Qt::Key_L, Qt::ShiftModifier);
    QVERIFY(!view.logX() && !view.logY());
    press(Qt::Key_Plus);
    QVERIFY(view.isZoomed());
    press(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!view.isZoomed());
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(view.isZoomed());
    press(Qt::Key_0);
    QVERIFY(!view.isZoomed());
    press(Qt::Key_Period);
    QVERIFY(view.cursor().has_value());
    const auto before = *view.cursor();
    press(Qt::Key_Comma);
    QVERIFY(view.cursor()->step < before.step);
    press(Qt::Key_Escape);
    QVERIFY(!view.cursor());
  }

  void everyAxisShowsTheRun_data() {
    QTest::addColumn<int>("axis");
    QTest::addColumn<bool>("isLog");
    for (const XAxis axis : kXAxes) {
      for (const bool isLog : {false, true}) {
        QTest::addRow("%s%s", qPrintable(xAxisName(axis)), isLog ? ", log" : "")
            << static_cast<int>(axis) << isLog;
      }
    }
  }

  void everyAxisShowsTheRun() {
    QFETCH(int, axis);
    QFETCH(bool, isLog);
    window_->view()->setAxis(static_cast<XAxis>(axis), window_->session()->series());
    window_->view()->setLogX(isLog);
    test::awaitDrawn(*window_);
    const ChartScene& scene = plotAt(0)->painter().scene();
    QVERIFY(!scene.isEmpty);
    QCOMPARE(scene.left.logX, isLog);
    QCOMPARE(scene.bands.size(), 3u);
    QVERIFY(scene.samples > 300);
    // The newest sample stands at the right edge.
    double right = 0;
    for (const ScenePiece& piece : scene.lines[0].pieces) {
      for (const QPolygonF& line : piece.ink.raw) right = std::max(right, line.last().x());
    }
    QVERIFY(std::abs(right - scene.left.plot.right()) < 4);
    test::keepPicture(*window_, QStringLiteral("axis-%1%2").arg(axis).arg(isLog ? "-log" : ""));
    window_->view()->setLogX(false);
  }
};

BATCHSCOPE_TEST(TestAccess)
#include "test_access.moc"
