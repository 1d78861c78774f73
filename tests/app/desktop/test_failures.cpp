// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window on a run that failed, and on a program that reports nothing: why, its log where it says so, and
// what helps now.
#include <QFile>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBlock>
#include <QTextBrowser>

#include "batchscope/common/number_text.h"
#include "batchscope/common/run_text.h"
#include "records/failure_bar.h"
#include "records/log_panel.h"
#include "records/silent_page.h"
#include "runs/new_run_dialog.h"
#include "session/run_session.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window/guide.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;
using protocol::RunState;

class TestFailures : public test::WindowTest {
  Q_OBJECT

  std::string crashed_, early_, silent_, fine_;

  void writeLog(const std::string& run, int generation, int rank, const QString& text) {
    QFile log(QString::fromStdString(protocol::run_paths(run).log_file(generation, rank).string()));
    QVERIFY(log.open(QIODevice::WriteOnly));
    log.write(text.toUtf8());
  }
  // Writes a run with one generation that came to this end.
  std::string writeRun(const std::string& name, RunState state, const std::string& outcome,
                       const std::string& message) {
    const std::string id = test::writeListedRun(catalogue_, name, state, 0);
    protocol::make_run_directories(protocol::run_paths(id));
    catalogue_.set_progress(id, 0, 0, 0, 0, {});
    storage::Generation first;
    first.replicas = 2;
    first.reason = "start";
    first.started = storage::now() - 30;
    first.outcome = outcome;
    catalogue_.put_generation(id, first);
    catalogue_.set_state(id, state, message);
    return id;
  }
  QString chosenLine() const {
    auto* text = window_->findChild<LogPanel*>()->findChild<QPlainTextEdit*>();
    return text->extraSelections().isEmpty() ? QString()
                                             : text->extraSelections().first().cursor.block().text();
  }
  FailureBar& bar() const { return *window_->findChild<FailureBar*>(); }
  QPushButton* button(const QWidget& parent, const QString& words) const {
    for (QPushButton* each : parent.findChildren<QPushButton*>())
      if (each->isVisible() && each->text() == words) return each;
    return nullptr;
  }
  bool says(const QWidget& parent, const QString& words) const {
    const auto labels = parent.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisible() && label->text().contains(words);
    });
  }

 private Q_SLOTS:
  void initTestCase() {
    crashed_ = test::writeSyntheticRun(
        catalogue_, {.name = "crashed", .stepsPerGeneration = 300, .state = RunState::failed});
    std::vector<storage::Generation> generations = catalogue_.generations(crashed_);
    generations[1].outcome = "crashed: rank 0, signal 9";
    generations[2].outcome = "crashed: rank 1, exit code 1";
    generations[2].reason = "crash";
    for (const storage::Generation& each : generations) catalogue_.put_generation(crashed_, each);
    catalogue_.set_state(crashed_, RunState::failed, "rank 1 ended with exit code 1: ValueError: no x");
    QString log;
    for (int step = 0; step < 200; ++step) log += QStringLiteral("step %1\n").arg(step);
    writeLog(crashed_, 2, 0, log);
    writeLog(
        crashed_, 2, 1,
        log + QStringLiteral("Traceback (most recent call last):\n  File \"a.py\"\nValueError: no x\nbye\n"));
    early_ =
        writeRun("early", RunState::failed, "crashed: rank 0, exit code 2", "rank 0 ended with exit code 2");
    writeLog(early_, 0, 0, QStringLiteral("usage: train\n"));
    silent_ = writeRun("silent", RunState::finished, "finished", "");
    writeLog(silent_, 0, 0, QStringLiteral("hello\n"));
    fine_ = test::writeSyntheticRun(catalogue_, {.name = "fine", .stepsPerGeneration = 300});
    showWindow({1280, 800});
  }

  void theLogOpensWhereItSaysWhy() {
    window_->openRun(crashed_);
    auto* log = window_->findChild<LogPanel*>();
    QTRY_VERIFY(!log->visibleRegion().isEmpty());
    QTRY_COMPARE(chosenLine(), QStringLiteral("Traceback (most recent call last):"));
    QVERIFY(says(bar(), QStringLiteral("after 2 restarts, 1 of them after a crash")));
    QVERIFY(says(bar(), QStringLiteral("ValueError: no x")));
    const std::int64_t step = catalogue_.checkpoints(crashed_).front().step;
    QPushButton* resume = button(bar(), QStringLiteral("Resume from step %1").arg(step));
    QVERIFY(resume != nullptr && resume->objectName() == QLatin1String("primary"));
    test::keepPicture(*window_, QStringLiteral("failed"));
    for (const QSize size : {QSize(720, 900), QSize(900, 600), QSize(1280, 800)}) {
      window_->resize(size);
      QTRY_COMPARE(window_->size(), size);
      QCOMPARE(test::fault(*window_), QString());
    }
  }

  void whatHasNoCheckpointOffersToBeginAgain() {
    window_->openRun(early_);
    QTRY_VERIFY(says(bar(), QStringLiteral("Failed before its first step")));
    QTRY_COMPARE(chosenLine(), QStringLiteral("usage: train"));
    raisePanel("events");
    QTest::mouseClick(button(bar(), QStringLiteral("Open the log")), Qt::LeftButton);
    QTRY_VERIFY(!window_->findChild<LogPanel*>()->visibleRegion().isEmpty());
    QCOMPARE(plotAt(0)->emptyText(), QStringLiteral("Ended before its first step"));
    test::keepPicture(*window_, QStringLiteral("early"));
    for (const QSize size : {QSize(720, 900), QSize(900, 600), QSize(1280, 800)}) {
      window_->resize(size);
      QTRY_COMPARE(window_->size(), size);
      QCOMPARE(test::fault(*window_), QString());
    }
    QPushButton* clone = button(bar(), QStringLiteral("Clone with other values …"));
    QVERIFY(clone != nullptr && clone->objectName() == QLatin1String("primary"));
    QTest::mouseClick(clone, Qt::LeftButton);
    auto* dialog = window_->findChild<NewRunDialog*>();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    QCOMPARE(dialog->windowTitle(), QStringLiteral("Clone early"));
    dialog->close();
  }

  void aRunTookAsLongAsInTheList() {
    window_->openRun(early_);
    const storage::Run run = *catalogue_.run(early_);
    QTRY_COMPARE(common::describeTime(window_->session()->status()),
                 common::formatDuration(run.ended - run.created));
  }

  void whatIsFineSaysNothing() {
    window_->openRun(fine_);
    QTRY_VERIFY(!bar().isVisible());
    QVERIFY(!window_->findChild<SilentPage*>()->isVisible());
  }

  void aProgramThatReportsNothingHasAPage() {
    window_->openRun(silent_);
    auto* page = window_->findChild<SilentPage*>();
    QTRY_VERIFY(page->isVisible());
    QVERIFY(!plotAt(0)->isVisible());
    QVERIFY(says(*page, QStringLiteral("This program reported nothing")));
    auto* text = page->findChild<QPlainTextEdit*>();
    QTRY_COMPARE(text->toPlainText(), QStringLiteral("hello"));
    test::keepPicture(*window_, QStringLiteral("silent"));
    QTest::mouseClick(button(*page, QStringLiteral("How to make it report")), Qt::LeftButton);
    auto* guide = window_->findChild<Guide*>();
    QVERIFY(guide != nullptr);
    QVERIFY(guide->findChild<QTextBrowser*>()->toPlainText().contains(QStringLiteral("train")));
    test::keepPicture(*guide, QStringLiteral("guide"));
    guide->close();
    window_->openRun(fine_);
    QTRY_VERIFY(plotAt(0)->isVisible() && !page->isVisible());
  }

  void oneThatKeepsSilentIsToldOfAfterAWhile() {
    const std::string id = writeRun("mute", RunState::running, "", "");
    QVERIFY(catalogue_.claim_supervisor(id));
    watcher_.reload();
    window_->openRun(id);
    auto* page = window_->findChild<SilentPage*>();
    QTest::qWait(50);
    QVERIFY(!page->isVisible());  // it has had half a minute
    storage::Generation first = catalogue_.generations(id).front();
    first.started -= SilentPage::kPatience;
    catalogue_.put_generation(id, first);
    watcher_.reload();
    QTRY_VERIFY(page->isVisible());
    QVERIFY(says(*page, QStringLiteral("No step after")));
  }
};

BATCHSCOPE_TEST(TestFailures)
#include "test_failures.moc"
