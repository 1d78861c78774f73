// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queue of the pool, as a person works it: with the mouse and with keys it is put into another order,
// held, released and cancelled, the pool is told how to share, and what the catalogue says comes by itself. A
// run that waits has a page of its own until it has devices.
#include <QAbstractItemModelTester>
#include <QDropEvent>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QWheelEvent>

#include "batchscope/run/pool.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "queue/device_timeline.h"
#include "queue/queue_model.h"
#include "queue/queue_page.h"
#include "queue/waiting_page.h"
#include "runs/run_list_panel.h"
#include "runs/run_model.h"
#include "session/queue_session.h"
#include "test_case.h"
#include "thrown.h"
#include "visual_checks.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;
using protocol::RunState;

class TestQueue : public test::WindowTest {
  Q_OBJECT

  // While the test is the pool, nobody else decides.
  run::StoreLock pool_{run::kPool};
  std::string first_, second_, third_, fourth_;

  std::string submit(const char* name, int most) {
    protocol::RunSpec spec;
    spec.name = name;
    spec.program = "/usr/bin/true";
    spec.working_directory = "/tmp";
    spec.auto_replicas = protocol::AutoReplicas{1, most};
    const std::string id = catalogue_.submit_run(spec, {});
    protocol::make_run_directories(protocol::run_paths(id));
    QTest::qWait(2);  // times of submission differ
    return id;
  }
  void say(const std::string& id, const char* reason, double end = 0) {
    storage::Job job = *catalogue_.job(id);
    job.reason = reason;
    job.expected_end = end;
    catalogue_.put_job(job);
  }
  void start(const std::string& id, const std::vector<std::string>& devices) {
    QVERIFY(catalogue_.claim_supervisor(id));
    catalogue_.lease_devices(
        id, [&](const auto&, const auto&) { return devices; }, 0, "start");
    catalogue_.set_state(id, RunState::running);
  }

  QueuePage& page() const { return *window_->queue(); }
  QTableView& table() const { return *page().table(); }
  QStringList names() const {
    QStringList names;
    for (int row = 0; row < table().model()->rowCount(); ++row) names << cell(row, QueueModel::Name);
    return names;
  }
  QString cell(int row, QueueModel::Column column) const {
    return table().model()->index(row, column).data().toString();
  }
  // Returns the jobs' names in the catalogue's order.
  QString order() {
    QStringList names;
    for (const storage::Job& job : catalogue_.jobs())
      names << QString::fromStdString(catalogue_.run(job.run)->name);
    return names.join(QLatin1Char(' '));
  }
  void select(std::initializer_list<int> rows) {
    table().clearSelection();
    for (const int row : rows)
      table().selectionModel()->setCurrentIndex(table().model()->index(row, 0),
                                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
    table().setFocus();
  }
  void press(int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&table(), static_cast<Qt::Key>(key), modifiers);
  }
  // Drops the selected rows upon the border above this row.
  void dropAbove(int row) {
    const std::unique_ptr<QMimeData> data(
        table().model()->mimeData(table().selectionModel()->selectedIndexes()));
    const QRect at = table().visualRect(table().model()->index(row, QueueModel::Name));
    const QPoint place = at.topLeft() + QPoint(10, 1);
    QDragEnterEvent enter(place, Qt::MoveAction, data.get(), Qt::LeftButton, {});
    QApplication::sendEvent(table().viewport(), &enter);
    QDragMoveEvent moveOver(place, Qt::MoveAction, data.get(), Qt::LeftButton, {});
    QApplication::sendEvent(table().viewport(), &moveOver);
    QVERIFY(moveOver.isAccepted());
    QDropEvent drop(place, Qt::MoveAction, data.get(), Qt::LeftButton, {});
    QApplication::sendEvent(table().viewport(), &drop);
  }
  QToolButton* tool(const char* text) const {
    for (QToolButton* button : page().findChildren<QToolButton*>())
      if (button->text() == QString::fromUtf8(text)) return button;
    return nullptr;
  }
  QueueSession& session() const { return *window_->findChild<QueueSession*>(); }
  QPushButton* button(const QWidget& parent, const char* text) const {
    for (QPushButton* found : parent.findChildren<QPushButton*>())
      if (found->text() == QString::fromUtf8(text)) return found;
    return nullptr;
  }
  void turnWheel(QWidget* widget) {
    const QPointF at = widget->rect().center();
    QWheelEvent turn(at, widget->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, {}, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &turn);
  }

 private Q_SLOTS:
  void initTestCase() {
    first_ = submit("alpha", 2);
    second_ = submit("beta", 4);
    third_ = submit("gamma", 1);
    fourth_ = submit("delta", 2);
    start(first_, {"cpu:0", "cpu:1"});
    say(first_, "2 devices, the most that it may have", storage::now() + 600);
    say(second_, "waits for its turn; alpha gains +31 % by its second device");
    protocol::PoolDecision decision;
    decision.time = storage::now() - 60;
    decision.cause = "alpha arrived";
    decision.policy = "fair";
    decision.choices = {{.run = first_,
                         .devices = {"cpu:0"},
                         .before = 0,
                         .why = "worth",
                         .reason = "1 device",
                         .alternatives = {{2, 0.9}}}};
    decision.idle = {"cpu:1", "cpu:2"};
    catalogue_.add_decision(decision);
    decision.time = storage::now() - 30;
    decision.cause = "beta arrived";
    decision.choices[0] = {.run = first_,
                           .devices = {"cpu:0", "cpu:1"},
                           .before = 1,
                           .why = "worth",
                           .reason = "2 devices, the most that it may have",
                           .alternatives = {{1, -0.38}}};
    decision.choices.push_back({.run = second_, .why = "waits", .reason = "waits for its turn"});
    decision.idle = {"cpu:2"};
    decision.advice = "2 more cores would end the queue 41 min sooner";
    catalogue_.add_decision(decision);
    showWindow({1280, 800});
    QTest::keyClick(window_.get(), Qt::Key_Q);
    QVERIFY(page().isVisible());
    QTRY_COMPARE(table().model()->rowCount(), 4);
  }

  void eachRunIsARow() {
    QCOMPARE(names().join(QLatin1Char(' ')), QStringLiteral("alpha beta gamma delta"));
    QCOMPARE(cell(0, QueueModel::State), QStringLiteral("running"));
    QCOMPARE(cell(0, QueueModel::Devices), QStringLiteral("cpu:0-1"));
    QCOMPARE(cell(1, QueueModel::Place), QStringLiteral("2"));
    QCOMPARE(cell(1, QueueModel::Replicas), QStringLiteral("0 of 1–4"));
    QVERIFY(cell(1, QueueModel::Why).contains(QStringLiteral("+31 %")));
    QCOMPARE(cell(2, QueueModel::Why), QStringLiteral("waits for the pool's first decision"));
    QVERIFY(cell(0, QueueModel::End) != QStringLiteral("–"));
    QTRY_COMPARE(test::fault(*window_), QString());
    const auto* area = qobject_cast<QScrollArea*>(page().parentWidget()->parentWidget());
    QVERIFY(area != nullptr);
    QTRY_VERIFY(!area->verticalScrollBar()->isVisible() && !area->horizontalScrollBar()->isVisible());
    test::keepPicture(*window_, QStringLiteral("queue"));
  }

  void aPoolThatHangsIsTold() {
    const auto* told = page().findChild<QLabel*>(QStringLiteral("complaint"));
    QVERIFY(!told->isVisible());
    std::filesystem::last_write_time(
        run::kPool.lock_path(), std::filesystem::file_time_type::clock::now() - std::chrono::seconds(75));
    QTRY_VERIFY(told->isVisible());
    VERIFY_HOLDS(told->text(), "has not answered for", "kill -CONT");
    pool_.beat();
    QTRY_VERIFY(!told->isVisible());
  }

  void theModelKeepsTheRules() {
    QueueModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    auto entries = pool::queue(catalogue_);
    model.setEntries(entries);
    const QPersistentModelIndex kept = model.index(2, QueueModel::Name);
    std::swap(entries[0], entries[2]);
    entries.erase(entries.begin() + 1);
    model.setEntries(entries);
    QCOMPARE(kept.row(), 0);
    QCOMPARE(kept.data().toString(), QStringLiteral("gamma"));
  }

  void trialsThatWaitAtARungAreOneRow() {
    QueueModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    auto entries = pool::queue(catalogue_);
    const int length = static_cast<int>(entries.size());
    for (std::size_t number = 0; number < 2; ++number) {
      pool::QueueEntry trial = entries.front();
      trial.run.id = "trial-" + std::to_string(number);
      trial.run.name = trial.run.id;
      trial.run.state = protocol::RunState::paused;
      trial.run.trial = storage::TrialOf{.sweep = "rates", .trial = number, .rung = 1};
      trial.state = pool::JobState::held;
      entries.push_back(trial);
    }
    model.setEntries(entries, {{"trial-0", 1}, {"trial-1", 1}});
    const auto text = [&](int row, QueueModel::Column column) {
      return model.index(row, column).data().toString();
    };
    QCOMPARE(model.rowCount(), length + 1);
    QCOMPARE(model.length(), length);
    QCOMPARE(text(length, QueueModel::Name), QStringLiteral("▸ rates"));
    QCOMPARE(text(length, QueueModel::Why), QStringLiteral("2 wait at rung 1 of rates"));
    QCOMPARE(text(length, QueueModel::Place), QString());
    QVERIFY(!model.flags(model.index(length, 0)).testFlag(Qt::ItemIsDragEnabled));
    model.toggleFold(model.sweepAt(length));
    QCOMPARE(model.rowCount(), length + 3);
    QCOMPARE(text(length + 1, QueueModel::State), QStringLiteral("at rung"));
    QCOMPARE(text(length + 1, QueueModel::Why), QStringLiteral("waits at rung 1 of rates"));
    QCOMPARE(model.entries().size(), entries.size());
    model.toggleFold("rates");
    QCOMPARE(model.rowCount(), length + 1);
  }

  void aDragIsAPriority() {
    select({3});
    dropAbove(1);
    QCOMPARE(names().join(QLatin1Char(' ')), QStringLiteral("alpha delta beta gamma"));  // at once
    QTRY_COMPARE(order(), QStringLiteral("alpha delta beta gamma"));
    QCOMPARE(table().selectionModel()->selectedRows().value(0).row(), 1);
    press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(order(), QStringLiteral("alpha beta gamma delta"));
    QCOMPARE(catalogue_.job(fourth_)->priority, 0);
    QVERIFY(!tool("Undo")->isEnabled());
  }

  // Neither changes the replicas of the run that is open, nor a zoom, for which the window has these keys.
  void keysMoveWhatIsSelected() {
    select({2, 3});
    press(Qt::Key_Up, Qt::ControlModifier);
    QTRY_COMPARE(order(), QStringLiteral("alpha gamma delta beta"));
    press(Qt::Key_Up, Qt::ControlModifier);
    QTRY_COMPARE(order(), QStringLiteral("gamma delta alpha beta"));
    press(Qt::Key_Up, Qt::ControlModifier);  // they are first already
    QCOMPARE(names().join(QLatin1Char(' ')), QStringLiteral("gamma delta alpha beta"));
    press(Qt::Key_Down, Qt::ControlModifier);
    QTRY_COMPARE(order(), QStringLiteral("alpha gamma delta beta"));
    QCOMPARE(table().selectionModel()->selectedRows().size(), 2);
    for (int i = 0; i < 3; ++i) press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(order(), QStringLiteral("alpha beta gamma delta"));
  }

  void buttonsDoTheSame() {
    select({3});
    QTest::mouseClick(tool("Up"), Qt::LeftButton);
    QTRY_COMPARE(order(), QStringLiteral("alpha beta delta gamma"));
    QTest::mouseClick(tool("Down"), Qt::LeftButton);
    QTRY_COMPARE(order(), QStringLiteral("alpha beta gamma delta"));
    for (int i = 0; i < 2; ++i) QTest::mouseClick(tool("Undo"), Qt::LeftButton);
    QTRY_COMPARE(catalogue_.job(third_)->priority, 0);
    QTRY_COMPARE(catalogue_.job(fourth_)->priority, 0);
  }

  void aRunIsHeldAndReleased() {
    select({2});
    press(Qt::Key_H);
    QTRY_VERIFY(catalogue_.job(third_)->held);
    QTRY_COMPARE(cell(2, QueueModel::State), QStringLiteral("held"));
    QTRY_COMPARE(tool("Release") != nullptr, true);
    QTest::mouseClick(tool("Release"), Qt::LeftButton);
    QTRY_VERIFY(!catalogue_.job(third_)->held);
    QTRY_COMPARE(cell(2, QueueModel::State), QStringLiteral("waiting"));
  }

  // One that has ended, which the window does not know yet, keeps nothing from the others.
  void oneThatRefusesKeepsNoOtherFromIt() {
    const std::string ended = submit("omega", 1);
    catalogue_.cancel_waiting(ended, "cancelled before it began");
    QSignalSpy failed(&session(), &QueueSession::failed);
    session().changeEach({ended, third_}, pool::hold);
    QTRY_VERIFY(catalogue_.job(third_)->held);
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("was stopped")));
    session().changeEach({ended, third_}, pool::release);
    QTRY_VERIFY(!catalogue_.job(third_)->held);
    catalogue_.remove_run(ended);
    QTRY_COMPARE(table().model()->rowCount(), 4);
  }

  // The snapshot that was read last while the queue was watched stays, until it is read again.
  void whatIsNotReadWhileNobodyLooksStays() {
    const std::size_t decisions = session().snapshot().decisions.size();
    QVERIFY(decisions > 0 && session().snapshot().isWhole);
    session().watch(false);
    QSignalSpy seen(&session(), &QueueSession::changed);
    session().change([](storage::Catalogue&) {});
    QVERIFY(seen.wait());
    QCOMPARE(session().snapshot().decisions.size(), decisions);
    QCOMPARE(session().snapshot().leases.size(), std::size_t{2});
    QVERIFY(session().snapshot().isWhole);
    session().watch(true);
  }

  void aRunIsCancelledOnlyOnceThatIsConfirmed() {
    select({3});
    press(Qt::Key_Delete);
    auto* question = window_->findChild<QMessageBox*>();
    QVERIFY(question != nullptr);
    QKeyEvent stillDown(QEvent::KeyPress, Qt::Key_Delete, Qt::NoModifier, QString(), true);
    QApplication::sendEvent(&table(), &stillDown);
    QCOMPARE(window_->findChildren<QMessageBox*>().size(), 1);
    QTest::mouseClick(button(*question, "Keep"), Qt::LeftButton);
    QCOMPARE(catalogue_.run(fourth_)->state, RunState::pending);
    QTRY_VERIFY(window_->findChild<QMessageBox*>() == nullptr);
    press(Qt::Key_Delete);
    QTest::mouseClick(button(*window_->findChild<QMessageBox*>(), "Cancel delta"), Qt::LeftButton);
    QTRY_COMPARE(catalogue_.run(fourth_)->state, RunState::stopped);
    // A job that has ended stands last, without a place, and is not moved.
    QTRY_COMPARE(cell(3, QueueModel::State), QStringLiteral("cancelled"));
    QCOMPARE(cell(3, QueueModel::Place), QString());
    QVERIFY(!table().model()->flags(table().model()->index(3, 0)).testFlag(Qt::ItemIsDragEnabled));
    QVERIFY(!tool("Cancel …")->isEnabled());
  }

  void thePoolIsTold() {
    const auto settings = [this] { return catalogue_.pool_settings(); };
    QTest::mouseClick(button(page(), "Fast"), Qt::LeftButton);
    QTRY_COMPARE(settings().policy, std::string("fast"));
    // One that the window does not offer is named, and none of its own looks chosen.
    catalogue_.change_pool_settings([](auto& to) { to.policy = "sia"; });
    QTRY_VERIFY(!button(page(), "Fast")->isChecked());
    QVERIFY(!button(page(), "Fair")->isChecked());
    const auto labels = page().findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [](const QLabel* label) { return label->text() == "Policy: sia"; }));
    QTest::mouseClick(button(page(), "Fast"), Qt::LeftButton);
    QTRY_COMPARE(settings().policy, std::string("fast"));
    auto* devices = test::named<QSpinBox>(page(), "Devices of each kind that the pool may give away");
    QCOMPARE(devices->text(), QStringLiteral("all"));
    devices->setFocus();
    turnWheel(devices);
    QCOMPARE(devices->value(), 0);
    window_->activateWindow();  // a question has been in front of it
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    // The first step up from "all" is one device.
    QTest::keyClick(devices, Qt::Key_Up);
    QTest::keyClick(devices, Qt::Key_Up);
    session().change([](storage::Catalogue&) {});
    QSignalSpy seen(&session(), &QueueSession::changed);
    QVERIFY(seen.wait());
    QCOMPARE(devices->value(), 2);
    QCOMPARE(settings().devices, 0);
    QTest::keyClick(devices, Qt::Key_Return);
    QTRY_COMPARE(settings().devices, 2);
    devices->selectAll();
    QTest::keyClicks(devices, QStringLiteral("3"));
    QTest::keyClick(devices, Qt::Key_Return);
    QTRY_COMPARE(settings().devices, 3);
    QTest::mouseClick(button(page(), "Pause"), Qt::LeftButton);
    QTRY_VERIFY(settings().paused);
    auto* chip = page().findChild<QLabel*>(QStringLiteral("chip"));
    QTRY_COMPARE(chip->text(), QStringLiteral("Paused"));
    QTest::mouseClick(button(page(), "Pause"), Qt::LeftButton);
    QTest::mouseClick(button(page(), "Drain"), Qt::LeftButton);
    QTRY_COMPARE(chip->text(), QStringLiteral("Draining"));
    // A change by another face comes here.
    catalogue_.change_pool_settings([](protocol::PoolSettings& all) { all = {}; });
    QTRY_VERIFY(!chip->isVisible());
    QTRY_VERIFY(button(page(), "Fair")->isChecked());
  }

  void decisionsSayWhy() {
    auto* decisions = test::named<QTableView>(page(), "Decisions of the pool");
    auto* choices = test::named<QTableView>(page(), "The decision, run by run");
    const auto text = [](const QTableView* view, int row, int column) {
      return view->model()->index(row, column).data().toString();
    };
    QCOMPARE(decisions->model()->rowCount(), 2);
    QCOMPARE(text(decisions, 0, 1), QStringLiteral("beta arrived"));
    QCOMPARE(text(decisions, 0, 2), QStringLiteral("alpha +1"));
    QCOMPARE(choices->model()->rowCount(), 2);
    QCOMPARE(text(choices, 0, 1), QStringLiteral("1 → 2: cpu:0-1"));
    QCOMPARE(text(choices, 0, 3), QStringLiteral("with 1: −38 %"));
    QCOMPARE(text(choices, 1, 2), QStringLiteral("waits for its turn"));
    decisions->setFocus();
    QTest::keyClick(decisions, Qt::Key_Down);
    QCOMPARE(text(choices, 0, 3), QStringLiteral("with 2: +90 %"));
    QVERIFY(page().findChild<QLabel*>(QStringLiteral("dim")) != nullptr);
  }

  void theTimeLineSelectsItsRun() {
    DeviceTimeline& line = *page().timeline();
    QCOMPARE(line.lanes().size(), 3u);  // one of them idle
    select({1});
    QTest::qWait(20);
    const QRectF bar = line.placeOf(0, line.lanes()[0].bars.front());
    QVERIFY(line.textAt(bar.center()).startsWith(QStringLiteral("alpha on cpu:0")));
    QTest::mouseClick(line.viewport(), Qt::LeftButton, {}, bar.center().toPoint());
    QCOMPARE(table().currentIndex().data(QueueModel::IdRole).toString(), QString::fromStdString(first_));
  }

  void whatComesIsSeen() {
    select({1});
    const std::string late = submit("epsilon", 3);
    QTRY_COMPARE(names().join(QLatin1Char(' ')), QStringLiteral("alpha beta gamma epsilon delta"));
    QCOMPARE(table().currentIndex().data(QueueModel::IdRole).toString(), QString::fromStdString(second_));
    catalogue_.prioritise(late, 2);
    QTRY_COMPARE(names().join(QLatin1Char(' ')), QStringLiteral("epsilon alpha beta gamma delta"));
    QCOMPARE(cell(0, QueueModel::Priority), QStringLiteral("+2"));
  }

  void theLookIsSound_data() {
    QTest::addColumn<bool>("isDark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }

  void theLookIsSound() {
    QFETCH(bool, isDark);
    applyTheme(isDark ? Theme::Mode::Dark : Theme::Mode::Light);
    QTest::qWait(20);
    QTRY_COMPARE(test::fault(*window_), QString());
    test::keepPicture(*window_, isDark ? QStringLiteral("queue-dark") : QStringLiteral("queue-light"));
    applyTheme(Theme::Mode::Light);
  }

  // A run that waits says so among the runs, and opens a page that tells why, until it starts.
  void aRunThatWaitsHasAPage() {
    select({2});
    press(Qt::Key_Return);
    QVERIFY(!page().isVisible());
    auto* waiting = window_->findChild<WaitingPage*>();
    QTRY_VERIFY(waiting->isVisible());
    QVERIFY(!window_->control()->isVisible());
    const auto value = [&](const char* name) { return test::named<QLabel>(*waiting, name)->text(); };
    QTRY_COMPARE(value("Place in the queue"), QStringLiteral("3 of 4"));
    QCOMPARE(value("Allowed"), QStringLiteral("1 to 4 replicas"));
    QVERIFY(window_->windowTitle().startsWith(QStringLiteral("beta: Pending")));
    QTRY_COMPARE(test::fault(*window_), QString());
    test::keepPicture(*window_, QStringLiteral("queue-waiting"));

    const auto* list = window_->findChild<RunListPanel*>()->findChild<QAbstractItemView*>();
    QStringList details;
    for (int row = 0; row < list->model()->rowCount(); ++row)
      details << list->model()->index(row, 0).data(RunModel::DetailRole).toString();
    QVERIFY2(details.contains(QStringLiteral("place 3 · waits for its turn; alpha gains +31 % by its "
                                             "second device")),
             qPrintable(details.join(QLatin1Char('\n'))));

    QTest::mouseClick(button(*waiting, "Hold"), Qt::LeftButton);
    QTRY_VERIFY(catalogue_.job(second_)->held);
    QTRY_VERIFY(button(*waiting, "Release") != nullptr);
    QTest::mouseClick(button(*waiting, "Release"), Qt::LeftButton);
    QTRY_VERIFY(!catalogue_.job(second_)->held);
    QTest::mouseClick(button(*waiting, "Show the queue"), Qt::LeftButton);
    QVERIFY(page().isVisible());
    QCOMPARE(table().currentIndex().data(QueueModel::IdRole).toString(), QString::fromStdString(second_));
    window_->activateWindow();  // a question has been in front of it
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTest::keyClick(window_.get(), Qt::Key_Q);
    QVERIFY(waiting->isVisible());

    start(second_, {"cpu:2"});
    QTRY_VERIFY(!waiting->isVisible());
    QVERIFY(window_->dashboard()->isVisible());
    QVERIFY(window_->control()->isVisible());
  }
};

BATCHSCOPE_TEST(TestQueue)
#include "test_queue.moc"
