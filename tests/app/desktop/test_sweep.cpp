// SPDX-License-Identifier: GPL-3.0-or-later
//
// A sweep, as a person looks at it: it comes by itself, is brushed and filtered by mouse and by keys, its
// trials are opened and compared, it is paused, stopped and extended, and what cannot be read is said.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QWheelEvent>
#include <cmath>

#include "batchscope/run/pool.h"
#include "batchscope/sweep/driver.h"
#include "figure/figure.h"
#include "session/comparison.h"
#include "sweep/parallel_plot.h"
#include "sweep/sweep_figures.h"
#include "sweep/sweep_page.h"
#include "sweep/sweep_starter.h"
#include "sweep/trial_model.h"
#include "synthetic_sweep.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;
using storage::SweepState;

class TestSweep : public test::WindowTest {
  Q_OBJECT

  static constexpr int kTrials = 40;

  // While the test is these, no process trains anything.
  run::StoreLock pool_{run::kPool}, driver_{sweep::kDriver};

  SweepPage& page() const { return *window_->sweeps(); }
  QTableView& table() const { return *page().table(); }
  ParallelPlot& plot() const { return *page().plot(); }
  int rows() const { return table().model()->rowCount(); }
  QString cell(int row, const char* column) const {
    return table().model()->index(row, columnOf(column)).data().toString();
  }
  int columnOf(const char* title) const {
    for (int i = 0; i < table().model()->columnCount(); ++i)
      if (table().model()->headerData(i, Qt::Horizontal).toString() == QLatin1String(title)) return i;
    return -1;
  }
  QString total(const char* name) const { return test::named<QLabel>(page(), name)->text(); }
  template <class Button>
  Button* button(const QWidget& parent, const char* text) const {
    for (Button* found : parent.findChildren<Button*>())
      if (found->isVisible() && found->text() == QString::fromUtf8(text)) return found;
    return nullptr;
  }
  QPushButton* push(const char* text) const { return button<QPushButton>(page(), text); }
  const FigureData& figure(const char* title) const { return test::named<Figure>(page(), title)->data(); }
  SweepState state() { return storage::Sweeps(catalogue_).find("digits-lr")->state; }
  void choose(const char* name) {
    auto* sweeps = test::named<QComboBox>(page(), "Sweep");
    sweeps->setCurrentText(QLatin1String(name));
    Q_EMIT sweeps->activated(sweeps->currentIndex());
  }
  std::size_t axis(const char* name) const {
    const auto& axes = plot().axes();
    const auto found =
        std::ranges::find(axes, QLatin1String(name), [](const TrialAxis& each) { return each.name; });
    return static_cast<std::size_t>(found - axes.begin());
  }
  // Along an axis, from one share of it to another.
  void brush(const char* name, double from, double to) {
    const QRectF area = plot().plot();
    const auto at = [&](double share) {
      return QPointF(plot().axisX(axis(name)), area.bottom() - share * area.height()).toPoint();
    };
    QTest::mousePress(&plot(), Qt::LeftButton, {}, at(from));
    QTest::mouseMove(&plot(), at((from + to) / 2));
    QTest::mouseMove(&plot(), at(to));
    QTest::mouseRelease(&plot(), Qt::LeftButton, {}, at(to));
  }
  bool allRows(const char* column, const std::function<bool(double)>& isSo) const {
    for (int row = 0; row < rows(); ++row)
      if (!isSo(cell(row, column).toDouble())) return false;
    return true;
  }
  // A dialog has been in front of it.
  void comeBack() {
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  }
  void turnWheel(QWidget* widget) const {
    const QPointF at = widget->rect().center();
    QWheelEvent turn(at, widget->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, {}, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &turn);
  }

 private Q_SLOTS:
  void initTestCase() { showWindow(); }

  void withoutASweepThePageSaysHowToBegin() {
    QTest::keyClick(window_.get(), Qt::Key_S);
    QVERIFY(page().isVisible());
    QTRY_VERIFY(test::named<QWidget>(page(), "Sweep") == nullptr || !push("Pause"));
    QVERIFY(button<QLabel>(page(), "batchscope sweep run FILE.toml") != nullptr);
    QVERIFY(push("Begin a sweep …") != nullptr);
    QTRY_COMPARE(test::fault(*window_), QString());
    test::keepPicture(*window_, QStringLiteral("sweep-none"));
  }

  void aFileThatIsNoneIsRefusedInItsWords() {
    const QString programs = store_.path(QStringLiteral("programs"));
    QDir().mkpath(programs);
    QFile fake(programs + QStringLiteral("/batchscope"));
    QVERIFY(fake.open(QIODevice::WriteOnly));
    fake.write(
        "#!/bin/sh\necho \"$@\" > \"$0.said\"\ncase $3 in *bad*) echo 'no key metric' >&2; exit 2;; esac\n");
    fake.setPermissions(fake.permissions() | QFile::ExeOwner);
    fake.close();
    const QByteArray before = qgetenv("PATH");
    qputenv("PATH", programs.toUtf8() + ':' + before);
    page().starter()->begin(QStringLiteral("/tmp/bad.toml"));
    QTRY_VERIFY(window_->findChild<QMessageBox*>() != nullptr);
    auto* refusal = window_->findChild<QMessageBox*>();
    QCOMPARE(refusal->informativeText(), QStringLiteral("no key metric"));
    QTest::mouseClick(refusal->button(QMessageBox::Close), Qt::LeftButton);
    QTRY_VERIFY(window_->findChild<QMessageBox*>() == nullptr);
    QSignalSpy begun(page().starter(), &SweepStarter::begun);
    page().starter()->begin(QStringLiteral("/tmp/good.toml"));
    QVERIFY(begun.wait());
    QFile said(fake.fileName() + QStringLiteral(".said"));
    QVERIFY(said.open(QIODevice::ReadOnly));
    QCOMPARE(said.readAll().trimmed(), QByteArray("sweep run /tmp/good.toml --detach"));
    qputenv("PATH", before);
  }

  void aSweepComesByItself() {
    test::writeSyntheticSweep(catalogue_, {.trials = kTrials, .ended = 42});
    QTRY_VERIFY(push("Pause") != nullptr);
    QTRY_VERIFY(rows() > 20);
    QCOMPARE(page().findChild<QLabel*>(QStringLiteral("chip"))->text(), QStringLiteral("Running"));
    QVERIFY(total("Trials done").endsWith(QStringLiteral("of 40")));
    QVERIFY(total("Best").startsWith(QStringLiteral("accuracy 90.")));
    QCOMPARE(columnOf("epochs"), -1);  // it is not searched
    QTRY_COMPARE(test::fault(*window_), QString());
  }

  void theBestStandsFirst() {
    const auto view = sweep::look(catalogue_, "digits-lr");
    QCOMPARE(plot().axes().size(), 5u);
    QCOMPARE(plot().axes().back().title(), QStringLiteral("accuracy, %"));
    table().sortByColumn(columnOf("Trial"), Qt::AscendingOrder);
    QCOMPARE(cell(0, "Trial"), QStringLiteral("0"));
    // Trials without a value stand last, however the table is sorted.
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
      table().sortByColumn(columnOf("accuracy"), order);
      QCOMPARE(cell(rows() - 1, "accuracy"), QStringLiteral("–"));
      QVERIFY(cell(0, "accuracy").endsWith(QStringLiteral(" %")));
    }
    const auto isBest = [&](int row) {
      return table()
          .model()
          ->index(row, 0)
          .data(Qt::AccessibleTextRole)
          .toString()
          .contains("the best so far");
    };
    int marked = 0;
    for (int row = 0; row < rows(); ++row) {
      if (!isBest(row)) continue;
      ++marked;
      QCOMPARE(cell(row, "Trial").toULong(), *view.best);
    }
    QCOMPARE(marked, 1);
  }

  void theModelKeepsTheRules() {
    TrialModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    auto view = std::make_shared<sweep::SweepView>(sweep::look(catalogue_, "digits-lr"));
    const std::size_t all = view->trials.size();
    auto fewer = std::make_shared<sweep::SweepView>(*view);
    fewer->trials.resize(all - 5);
    model.setView(fewer);
    const QPersistentModelIndex kept = model.index(3, 0);
    model.setView(view);
    QCOMPARE(model.rowCount(), static_cast<int>(all));
    QCOMPARE(kept.row(), 3);
    model.setView({});
    QCOMPARE(model.rowCount(), 0);
  }

  void anAxisIsBrushedByTheMouse() {
    const int all = rows();
    brush("lr", 0.5, 0.8);
    QVERIFY(rows() > 0 && rows() < all);
    const TrialAxis& rate = plot().axes()[axis("lr")];
    const double low = rate.valueAt(0.48), high = rate.valueAt(0.82);
    QVERIFY(allRows("lr", [=](double value) { return value >= low && value <= high; }));
    QVERIFY(plot().accessibleDescription().startsWith(QStringLiteral("Only lr 0.0")));
    const int some = rows();
    brush("rule", 0.1, 0.3);  // a cell is brushed whole
    QVERIFY(rows() > 0 && rows() < some);
    for (int row = 0; row < rows(); ++row) QCOMPARE(cell(row, "rule"), QStringLiteral("adascale"));
    test::keepPicture(*window_, QStringLiteral("sweep-brushed"));
    // Inside of a brush it is moved, at its edge its end is; a click clears it.
    brush("lr", 0.65, 0.45);
    const auto moved = plot().brushes().at(rate);
    QVERIFY(moved && std::abs(moved->low - 0.3) < 0.02 && std::abs(moved->high - 0.6) < 0.02);
    brush("lr", moved->high, 0.9);
    QVERIFY(std::abs(plot().brushes().at(rate)->high - 0.9) < 0.02);
    QVERIFY(std::abs(plot().brushes().at(rate)->low - 0.3) < 0.02);
    for (const char* name : {"lr", "rule"})
      QTest::mouseClick(
          &plot(), Qt::LeftButton, {},
          QPoint(static_cast<int>(plot().axisX(axis(name))), static_cast<int>(plot().plot().top()) + 1));
    QCOMPARE(rows(), all);
    QVERIFY(plot().brushes().isEmpty());
  }

  void anAxisIsBrushedByKeys() {
    const int all = rows();
    plot().setFocus();
    const auto press = [this](int key, Qt::KeyboardModifiers modifiers = {}) {
      QTest::keyClick(&plot(), static_cast<Qt::Key>(key), modifiers);
    };
    for (int i = 0; i < 9; ++i) press(Qt::Key_Left);
    press(Qt::Key_Up);
    const TrialAxis& rate = plot().axes()[0];
    QCOMPARE(plot().brushes().at(rate), std::optional(Stretch{0.5, 1}));
    QVERIFY(rows() < all);
    press(Qt::Key_Down);
    QVERIFY(std::abs(plot().brushes().at(rate)->low - 0.45) < 1e-6);
    press(Qt::Key_Down, Qt::ShiftModifier);
    QVERIFY(std::abs(plot().brushes().at(rate)->low - 0.5) < 1e-6);
    QVERIFY(std::abs(plot().brushes().at(rate)->high - 0.9) < 1e-6);
    press(Qt::Key_Right);
    press(Qt::Key_Right);
    press(Qt::Key_Down);
    QCOMPARE(plot().brushes().at(plot().axes()[2]), std::optional(Stretch{0, 0.5}));
    press(Qt::Key_Delete);
    QVERIFY(!plot().brushes().at(plot().axes()[2]));
    press(Qt::Key_Delete, Qt::ShiftModifier);
    QCOMPARE(rows(), all);
    // A brush up to the end of its axis keeps what will come beyond.
    press(Qt::Key_Up);
    QTest::mouseClick(button<QToolButton>(page(), "Clear brushes"), Qt::LeftButton);
    QCOMPARE(rows(), all);
  }

  void wordsFilterTheTableAndThePlot() {
    const int all = rows();
    auto* text = test::named<QLineEdit>(page(), "Filter the trials");
    comeBack();
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    QVERIFY(text->hasFocus());
    QTest::keyClicks(text, QStringLiteral("ADASCALE paused"));
    QVERIFY(rows() > 0 && rows() < all);
    for (int row = 0; row < rows(); ++row) {
      QCOMPARE(cell(row, "rule"), QStringLiteral("adascale"));
      QCOMPARE(cell(row, "State"), QStringLiteral("paused at a rung"));
    }
    text->setText(QStringLiteral("out of memory"));
    QCOMPARE(rows(), 1);
    QCOMPARE(cell(0, "Trial"), QStringLiteral("13"));
    text->setText(QStringLiteral("nothing like it"));
    QCOMPARE(rows(), 0);
    text->clear();
    QCOMPARE(rows(), all);
    table().setFocus();
  }

  void whatIsPointedAtStandsOut() {
    const std::size_t best = *sweep::look(catalogue_, "digits-lr").best;
    const QPointF place = (plot().crossing(0, best) + plot().crossing(1, best)) / 2;
    QSignalSpy hovered(&plot(), &ParallelPlot::hovered);
    QTest::mouseMove(&plot(), QPoint(2, 2));
    QTest::mouseMove(&plot(), place.toPoint());
    QVERIFY(!hovered.isEmpty());
    const auto at = plot().trialAt(place);
    QVERIFY(at.has_value());
    int lit = 0;
    for (int row = 0; row < rows(); ++row)
      lit += table().model()->index(row, 0).data(Qt::BackgroundRole).isValid();
    QCOMPARE(lit, 1);
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, place.toPoint());
    QCOMPARE(table().selectionModel()->selectedRows().size(), 1);
    QTest::mouseMove(&plot(), QPoint(2, 2));
  }

  void theFiguresTellWhatWasFound() {
    const FigureData& curves = figure("Learning curves");
    QVERIFY(curves.notes.size() >= 3);
    QCOMPARE(curves.notes[1].x, 600.0);
    QCOMPARE(curves.bottom.ticks[2].label, QStringLiteral("1,800"));
    const FigureData& best = figure("Best so far");
    const auto& points = best.series.front().points;
    QVERIFY(points.size() > 3);
    QVERIFY(std::ranges::is_sorted(points, {}, &FigurePoint::x));
    QVERIFY(std::ranges::is_sorted(points, {}, &FigurePoint::y));  // more is better
    const double wall = points.back().x;
    QTest::mouseClick(button<QPushButton>(page(), "Devices"), Qt::LeftButton);
    QVERIFY(figure("Best so far").series.front().points.back().x > 2 * wall);  // four at a time
    QTest::mouseClick(button<QPushButton>(page(), "Time"), Qt::LeftButton);
    const FigureData& bars = figure("Importance");
    QCOMPARE(bars.left.ticks.back().label, QStringLiteral("lr"));
    double sum = 0;
    for (const double value : bars.bars.front().values) sum += value;
    QVERIFY(std::abs(sum - 100) < 1e-6);
    auto* across = test::named<QComboBox>(page(), "Across");
    across->setCurrentText(QStringLiteral("device time"));
    Q_EMIT across->activated(across->currentIndex());
    QCOMPARE(figure("Scatter").bottom.title, QStringLiteral("device time"));
    QCOMPARE(figure("Scatter").left.title, QStringLiteral("accuracy, %"));
  }

  void theWheelChangesNothing() {
    auto* across = test::named<QComboBox>(page(), "Across");
    for (QWidget* widget : {static_cast<QWidget*>(across), static_cast<QWidget*>(&plot()),
                            static_cast<QWidget*>(test::named<QComboBox>(page(), "Sweep"))})
      turnWheel(widget);
    QCOMPARE(across->currentText(), QStringLiteral("device time"));
    QVERIFY(plot().brushes().isEmpty());
    across->setCurrentIndex(0);
    Q_EMIT across->activated(0);
  }

  void theCommandOfTheBestIsCopied() {
    QTest::mouseClick(push("Copy command of the best"), Qt::LeftButton);
    const QString command = QApplication::clipboard()->text();
    QVERIFY2(command.contains(QStringLiteral("batchscope run /usr/bin/true -- ")), qPrintable(command));
    QVERIFY(command.contains(QStringLiteral("--rule adascale")));
  }

  void itIsPausedStoppedAndExtended() {
    QTest::mouseClick(push("Pause"), Qt::LeftButton);
    QTRY_COMPARE(state(), SweepState::paused);
    QTRY_VERIFY(push("Resume") != nullptr);
    const auto trials = [this](const char* state) {
      int count = 0;
      for (int row = 0; row < rows(); ++row) count += cell(row, "State") == QLatin1String(state);
      return count;
    };
    QTRY_COMPARE(trials("interrupted"), 4);
    QCOMPARE(trials("running"), 0);
    QTest::mouseClick(push("Resume"), Qt::LeftButton);
    QTRY_COMPARE(state(), SweepState::running);
    QTRY_VERIFY(push("Pause") != nullptr);
    QTest::mouseClick(push("Stop …"), Qt::LeftButton);
    auto* question = window_->findChild<QMessageBox*>();
    QVERIFY(question != nullptr);
    QTest::mouseClick(button<QPushButton>(*question, "Keep"), Qt::LeftButton);
    QCOMPARE(state(), SweepState::running);
    QTRY_VERIFY(window_->findChild<QMessageBox*>() == nullptr);
    QTest::mouseClick(push("Stop …"), Qt::LeftButton);
    QTest::mouseClick(button<QPushButton>(*window_->findChild<QMessageBox*>(), "Stop digits-lr"),
                      Qt::LeftButton);
    QTRY_COMPARE(state(), SweepState::stopped);
    QTRY_VERIFY(!push("Stop …")->isEnabled());
    QTest::mouseClick(push("More trials …"), Qt::LeftButton);
    auto* more = test::named<QSpinBox>(*window_, "More trials");
    QVERIFY(more != nullptr && more->isVisible());
    QVERIFY(!test::named<QDoubleSpinBox>(*window_, "More device-hours")->isVisible());
    turnWheel(more);
    QCOMPARE(more->value(), 16);
    more->setValue(8);
    QTest::mouseClick(button<QPushButton>(*window_, "Add and go on"), Qt::LeftButton);
    QTRY_COMPARE(state(), SweepState::running);
    QTRY_VERIFY(total("Trials done").endsWith(QStringLiteral("of 48")));
  }

  void theLookIsSound_data() {
    QTest::addColumn<bool>("isDark");
    QTest::addColumn<QSize>("size");
    QTest::newRow("light") << false << QSize(1440, 900);
    QTest::newRow("dark") << true << QSize(1440, 900);
    QTest::newRow("small") << false << QSize(1024, 720);
  }

  void theLookIsSound() {
    QFETCH(bool, isDark);
    QFETCH(QSize, size);
    applyTheme(isDark ? Theme::Mode::Dark : Theme::Mode::Light);
    window_->resize(size);
    QTest::qWait(20);
    QTRY_COMPARE(test::fault(*window_), QString());
    QTest::qWait(300);
    test::keepPicture(*window_, QStringLiteral("sweep-%1").arg(QLatin1String(QTest::currentDataTag())));
    applyTheme(Theme::Mode::Light);
    window_->resize(1440, 900);
  }

  void trialsAreComparedOnTheCharts() {
    table().clearSelection();
    for (const int row : {0, 1, 2})
      table().selectionModel()->setCurrentIndex(table().model()->index(row, 0),
                                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
    auto* compare = button<QToolButton>(page(), "Compare 3 trials");
    QVERIFY(compare != nullptr);
    comeBack();
    QTest::mouseClick(compare, Qt::LeftButton);
    QVERIFY(!page().isVisible());
    QCOMPARE(window_->comparison()->chosenCount(), 3u);
    QTRY_VERIFY(window_->session()->isOpen());
    QTest::keyClick(window_.get(), Qt::Key_S);
    QVERIFY(page().isVisible());
    window_->comparison()->clear();
  }

  void aTrialIsOpened() {
    table().sortByColumn(columnOf("Trial"), Qt::AscendingOrder);
    table().selectRow(4);
    table().setFocus();
    QTest::keyClick(&table(), Qt::Key_Return);
    QVERIFY(!page().isVisible());
    QTRY_COMPARE(window_->session()->run().name, std::string("digits-lr-4"));
    QTest::keyClick(window_.get(), Qt::Key_S);
    QVERIFY(page().isVisible());
  }

  // The chooser leads back to a sweep that can be read.
  void oneThatCannotBeReadIsSaid() {
    storage::Sweep broken;
    broken.name = "broken";
    broken.file = "metric = 7\n";
    broken.spec.program = "/usr/bin/true";
    storage::Sweeps(catalogue_).create(broken);
    choose("digits-lr");
    QTRY_COMPARE(test::named<QComboBox>(page(), "Sweep")->count(), 2);
    choose("broken");
    auto* complaint = page().findChild<QLabel*>(QStringLiteral("complaint"));
    QTRY_VERIFY(complaint->isVisible());
    QVERIFY2(complaint->text().startsWith(QStringLiteral("the sweep 'broken' cannot be read: ")),
             qPrintable(complaint->text()));
    QVERIFY(!push("Copy command of the best")->isEnabled());
    choose("digits-lr");
    QTRY_VERIFY(!complaint->isVisible());
    QVERIFY(rows() > 20);
  }

  void aPopulationHasALineage() {
    test::writeSyntheticSweep(catalogue_, {.name = "evolved", .trials = 10, .stop = "pbt", .hasRuns = false});
    QTRY_COMPARE(test::named<QComboBox>(page(), "Sweep")->count(), 3);
    choose("evolved");
    QTRY_COMPARE(total("Trials done"), QStringLiteral("10 of 10"));
    const FigureData& curves = figure("Learning curves");
    QCOMPARE(curves.notes.size(), 6u);
    const FigureSeries& lineage = curves.series.front();
    QVERIFY(lineage.mark == FigureSeries::Mark::Dotted && lineage.points.size() > 3);
    QCOMPARE(lineage.points[1].x - lineage.points[0].x, 900.0);  // a rung on
    QTRY_COMPARE(test::fault(*window_), QString());
    test::keepPicture(*window_, QStringLiteral("sweep-population"));
  }

  void oneWithoutRungsIsShownToo() {
    test::writeSyntheticSweep(catalogue_, {.name = "plain", .trials = 6, .stop = "none", .hasRuns = false});
    QTRY_COMPARE(test::named<QComboBox>(page(), "Sweep")->count(), 4);
    choose("plain");
    QTRY_COMPARE(total("Trials done"), QStringLiteral("6 of 6"));
    QCOMPARE(columnOf("Rung"), -1);
    QVERIFY(figure("Learning curves").isEmpty());
    QVERIFY(figure("Learning curves").missing.contains(QStringLiteral("no rungs")));
    QVERIFY(!push("Pause") && !push("Resume")->isEnabled());
    // The trials have no runs any more.
    table().selectRow(0);
    QTest::keyClick(&table(), Qt::Key_Return);
    QVERIFY(page().isVisible());
    QTRY_VERIFY(test::notice(*window_).contains(QStringLiteral("not there any more")));
  }
};

BATCHSCOPE_TEST(TestSweep)
#include "test_sweep.moc"
