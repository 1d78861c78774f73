// SPDX-License-Identifier: GPL-3.0-or-later
//
// Links between lists and charts, and alerts: rows and the cross-hair in both directions, marks of
// checkpoints that are pressed, alerts that call a person back, and the list of runs that comes before the
// run.
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTextBlock>
#include <cmath>

#include "batchscope/protocol/series.h"
#include "records/alert_rules.h"
#include "records/checkpoints_panel.h"
#include "records/devices_panel.h"
#include "records/events_panel.h"
#include "records/log_panel.h"
#include "runs/fork_dialog.h"
#include "runs/run_list_panel.h"
#include "store_test.h"
#include "test_case.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;
using protocol::RunState;

namespace {

storage::Run listed(RunState state, std::int64_t step, double loss = 1) {
  storage::Run run;
  run.id = "aaaaaaaa";
  run.name = "digits";
  run.state = state;
  run.step = step;
  run.latest = {{"loss", loss}};
  return run;
}

}  // namespace

class TestLinks : public test::WindowTest {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    for (int i = 0; i < 300; ++i)
      test::writeListedRun(catalogue_, "run-" + std::to_string(i), RunState::finished, 0.9);
    test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 400});
  }

  void theRunsAreSeenBeforeAnySeriesIsRead() {
    makeWindow({1440, 900});
    auto* list = window_->findChild<QAbstractItemView*>(QStringLiteral("runList"));
    QCOMPARE(list->model()->rowCount(), 301);
    QVERIFY(!window_->session()->isOpen());
    window_->show();
    QVERIFY(!window_->session()->isOpen());
    QTRY_VERIFY(window_->session()->isOpen());
    QTRY_VERIFY(!window_->session()->series()->extent(XAxis::Step).empty());
  }

  void aChosenEventMovesTheCrossHair() {
    QTableView* table = window_->findChild<EventsPanel*>();
    auto* model = qobject_cast<EventModel*>(table->model());
    QTRY_VERIFY(model->rowCount() > 5);
    const int row = 2;
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(model->index(row, 1)).center());
    QVERIFY(window_->view()->cursor().has_value());
    QCOMPARE(window_->view()->cursor()->step, model->at(row).step);
    QTest::keyClick(table, Qt::Key_Down);
    QCOMPARE(window_->view()->cursor()->step, model->at(row + 1).step);
  }

  void theCrossHairChoosesTheEventBefore() {
    QTableView* table = window_->findChild<EventsPanel*>();
    auto* model = qobject_cast<EventModel*>(table->model());
    // A little after the first restart, which is at step 400.
    window_->view()->setCursor(StepRef{1, 450});
    const storage::Event& event = model->at(table->currentIndex().row());
    QCOMPARE(event.generation, 1);
    QVERIFY(event.step <= 450);
    QCOMPARE(*window_->view()->cursor(), (StepRef{1, 450}));
    window_->view()->setCursor({});
    QVERIFY(!table->currentIndex().isValid());
  }

  void aLineOfTheLogAndTheCrossHairAreTied() {
    const auto paths = protocol::run_paths(window_->session()->run().id);
    storage::SampleReader reader(paths.samples);
    QFile log(QString::fromStdString(paths.log_file(1, 0).string())), times(log.fileName() + ".times");
    QVERIFY(log.open(QIODevice::WriteOnly) && times.open(QIODevice::WriteOnly));
    const auto stepOf = [](int line) { return std::int64_t{410 + 60 * line}; };
    for (int line = 0; line < 5; ++line) {
      log.write(QStringLiteral("line %1\n").arg(line).toUtf8());
      const double time = reader.read(protocol::series::kTime, 1, stepOf(line), stepOf(line)).front().value;
      const std::int64_t size = log.pos();
      times.write(reinterpret_cast<const char*>(&time), sizeof time);
      times.write(reinterpret_cast<const char*>(&size), sizeof size);
    }
    log.close();
    times.close();
    window_->view()->setCursor({});
    raisePanel("log");
    auto* text = window_->findChild<LogPanel*>()->findChild<QPlainTextEdit*>();
    QTRY_COMPARE(text->blockCount(), 5);
    QTRY_VERIFY(text->isVisible());
    const QTextCursor third(text->document()->findBlockByNumber(2));
    QTest::mouseClick(text->viewport(), Qt::LeftButton, {}, text->cursorRect(third).center() + QPoint(4, 0));
    QVERIFY(window_->view()->cursor().has_value());
    QCOMPARE(*window_->view()->cursor(), (StepRef{1, stepOf(2)}));
    QTest::keyClick(text, Qt::Key_Down);
    QCOMPARE(*window_->view()->cursor(), (StepRef{1, stepOf(3)}));
    // And the other way round.
    window_->view()->setCursor(StepRef{1, stepOf(1)});
    const auto marked = [text] {
      return text->extraSelections().isEmpty() ? -1 : text->extraSelections().first().cursor.blockNumber();
    };
    QTRY_COMPARE(marked(), 1);
    window_->view()->setCursor({});
    QTRY_COMPARE(marked(), -1);
    // So it is with the head of a replay, also while it moves on.
    SeriesModel& series = *window_->session()->series();
    const double from = *series.position(XAxis::WallTime, {1, stepOf(1)});
    const double to = *series.position(XAxis::WallTime, {1, stepOf(3)});
    for (int i = 0; i <= 20 && marked() < 1; ++i) {
      window_->view()->setPlayHead(series, from + i * (to - from) / 1000);
      QTest::qWait(20);
    }
    QVERIFY(marked() > 0);
    window_->view()->endReplay();
    QTRY_COMPARE(marked(), -1);
  }

  void theDevicesAreDrawnByReplica() {
    raisePanel("devices");
    auto* panel = window_->findChild<DevicesPanel*>();
    QTRY_COMPARE(panel->cards().size(), 2u);  // cores and memory; there is no GPU
    const PlotView* plot = panel->cards()[0]->plot();
    QTRY_VERIFY_WITH_TIMEOUT(!plot->painter().scene().isEmpty, 30'000);
    QTRY_COMPARE(plot->painter().scene().lines.size(), 8u);
    // Replica 5 is only there in the third generation.
    for (const ScenePiece& piece : plot->painter().scene().lines[5].pieces)
      QCOMPARE(!piece.ink.raw.empty(), piece.generation == 2);
    const ChartScene& scene = plot->painter().scene();
    QVERIFY(std::abs(scene.lines[5].pieces.back().ink.raw.front().front().y() - scene.left.py(0.8)) < 1);
    test::keepPicture(*window_, QStringLiteral("devices"));
  }

  void aCheckpointIsForkedByKey() {
    raisePanel("checkpoints");
    QTableView* table = window_->findChild<CheckpointsPanel*>()->findChild<QTableView*>();
    QTRY_VERIFY(table->isVisible());
    table->selectRow(1);
    const auto& checkpoint = qobject_cast<CheckpointModel*>(table->model())->at(1);
    QTest::keyClick(table, Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
    auto* dialog = window_->findChild<ForkDialog*>();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    test::keepPicture(*dialog, QStringLiteral("fork-dialog"));
    auto* name = test::named<QLineEdit>(*dialog, "Name");
    name->selectAll();
    QTest::keyClicks(name, QStringLiteral("lr 0.01"));
    auto* words = test::named<QLineEdit>(*dialog, "Arguments of the program");
    words->selectAll();
    QTest::keyClicks(words, QStringLiteral("--epochs '30"));
    auto* start = dialog->findChild<QPushButton*>(QStringLiteral("primary"));
    QVERIFY(!start->isEnabled());
    QTest::keyClicks(words, QStringLiteral(" times' --lr 0.01"));
    QVERIFY(start->isEnabled());
    QVERIFY(dialog->command().startsWith(QStringLiteral("batchscope fork %1 --checkpoint %2 --name 'lr 0.01'")
                                             .arg(QString::fromStdString(window_->session()->run().id),
                                                  QString::fromStdString(checkpoint.name))));
    QVERIFY(dialog->command().endsWith(QStringLiteral("-- --epochs '30 times' --lr 0.01")));
    QCOMPARE(dialog->options().arguments,
             (std::optional<std::vector<std::string>>({"--epochs", "30 times", "--lr", "0.01"})));
    QTest::mouseClick(start, Qt::LeftButton);
    // The synthetic run has no files to go on from.
    QTRY_VERIFY_WITH_TIMEOUT(test::notice(*window_).contains(QStringLiteral("has no checkpoint")), 30'000);
    QCOMPARE(catalogue_.runs().size(), 301u);
  }

  void aMarkOnAChartOpensItsCheckpoint() {
    PlotView* plot = plotAt(0);
    window_->view()->setAxis(XAxis::Step, window_->session()->series());
    test::awaitDrawn(*window_);
    QCOMPARE(window_->view()->marks().size(), 3u);
    const StepRef mark = window_->view()->marks()[1];  // newest first: of the second generation
    const ChartScene& scene = plot->painter().scene();
    const QPoint place(qRound(scene.left.px(static_cast<double>(mark.step))),
                       qRound(scene.left.plot.bottom()) + 3);
    // It is drawn there.
    const QColor ink = plot->grab().toImage().pixelColor(place);
    const QColor good = Theme::light().good;
    QVERIFY(std::abs(ink.green() - good.green()) + std::abs(ink.red() - good.red()) < 60);
    QTest::mouseClick(plot, Qt::LeftButton, {}, place);
    QTableView* table = window_->findChild<CheckpointsPanel*>()->findChild<QTableView*>();
    QTRY_VERIFY(table->isVisible());
    QCOMPARE(qobject_cast<CheckpointModel*>(table->model())->at(table->currentIndex().row()).step, mark.step);
  }

  void whatWasOverBeforeSaysNothing() {
    AlertRules rules;
    QVERIFY(rules.observe({listed(RunState::failed, 10), listed(RunState::finished, 9)}, 0).empty());
  }

  void eachAlertIsSaidOnce() {
    using Kind = Alert::Kind;
    AlertRules rules;
    const auto kinds = [&](const storage::Run& at, double now) {
      std::vector<Kind> kinds;
      for (const Alert& alert : rules.observe({at}, now)) kinds.push_back(alert.kind);
      return kinds;
    };
    const std::vector<Kind> nothing;
    QCOMPARE(kinds(listed(RunState::running, 10), 0), nothing);
    QCOMPARE(kinds(listed(RunState::running, 20, std::nan("")), 1), std::vector{Kind::NotFinite});
    QCOMPARE(kinds(listed(RunState::running, 21, std::nan("")), 2), nothing);
    QCOMPARE(kinds(listed(RunState::running, 21, 1), AlertRules::kStall), nothing);
    QCOMPARE(kinds(listed(RunState::running, 21, 1), 3 + AlertRules::kStall), std::vector{Kind::Stalled});
    QCOMPARE(kinds(listed(RunState::running, 21, 1), 9 + AlertRules::kStall), nothing);
    // It goes on, and may stall again.
    QCOMPARE(kinds(listed(RunState::running, 22, 1), 500), nothing);
    QCOMPARE(kinds(listed(RunState::running, 22, 1), 501 + AlertRules::kStall), std::vector{Kind::Stalled});
    QCOMPARE(kinds(listed(RunState::restarting, 22, 1), 1000), nothing);
    QCOMPARE(kinds(listed(RunState::restarting, 22, 1), 1001 + AlertRules::kLongPause),
             std::vector{Kind::LongPause});
    QCOMPARE(kinds(listed(RunState::running, 23, 1), 2000), nothing);
    auto failed = listed(RunState::failed, 23);
    failed.message = "rank 1 killed";
    const auto alerts = rules.observe({failed}, 2001);
    QCOMPARE(alerts.size(), 1u);
    QCOMPARE(alerts[0].text, QStringLiteral("rank 1 killed"));
    QVERIFY(alerts[0].isUrgent());
    QCOMPARE(kinds(listed(RunState::running, 24), 2002), nothing);
    QCOMPARE(kinds(listed(RunState::finished, 25), 2003), std::vector{Kind::Finished});
    QCOMPARE(kinds(listed(RunState::finished, 25), 9999), nothing);
  }

  void whatCannotBeReadOfARunIsSaidAndOpensAllTheSame() {
    const std::string bad = test::writeListedRun(catalogue_, "bad", RunState::finished, 0.9);
    const std::string strange = test::writeListedRun(catalogue_, "strange", RunState::finished, 0.9);
    catalogue_.put_checkpoint(strange, {});
    const auto file = protocol::catalogue_path();
    QVERIFY(storage::test::meddle(file, "UPDATE run SET spec = '{' WHERE name = 'bad'"));
    QVERIFY(storage::test::meddle(file,
                                  "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
                                  " replace(sql, 'STRICT', '') WHERE name = 'checkpoint'"));
    QVERIFY(storage::test::meddle(file, "UPDATE checkpoint SET bytes = 'much' WHERE name = ''"));
    watcher_.reload();
    QCOMPARE(watcher_.runs().size(), 303u);
    QCOMPARE(watcher_.find(bad)->state, RunState::damaged);
    QSignalSpy said(&watcher_, &CatalogueWatcher::failed);
    window_->openRun(bad);
    QCOMPARE(window_->session()->run().id, bad);
    QVERIFY(window_->windowTitle().contains(QStringLiteral("Damaged")));
    window_->openRun(strange);
    QCOMPARE(window_->session()->run().id, strange);
    QVERIFY(!said.isEmpty() && said.last().first().toString().contains(QStringLiteral("checkpoints")));
    catalogue_.remove_run(strange);
    catalogue_.remove_run(bad);
    watcher_.reload();
  }
};

BATCHSCOPE_TEST(TestLinks)
#include "test_links.moc"
