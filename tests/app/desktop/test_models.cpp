// SPDX-License-Identifier: GPL-3.0-or-later
//
// The list and table models under Qt's own tester, and what they say.
#include <QAbstractItemModelTester>

#include "records/checkpoints_panel.h"
#include "records/events_panel.h"
#include "records/hyperparameters_panel.h"
#include "runs/run_field_text.h"
#include "runs/run_filter_model.h"
#include "runs/run_model.h"
#include "session/shell_words.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::desktop;
using protocol::RunState;

namespace {

storage::Run run_of(const char* id, const char* name, RunState state) {
  storage::Run run;
  run.id = id;
  run.name = name;
  run.state = state;
  run.replicas = 2;
  run.epoch = 18;
  run.epochs = 30;
  run.latest = {{"accuracy", 0.981}};
  return run;
}

}  // namespace

class TestModels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void wordsAreQuotedAsInAShell() {
    using Words = std::vector<std::string>;
    QCOMPARE(*parseShellWords(QStringLiteral("a 'b c' d\\ e \"f\\\"g\"")),
             (Words{"a", "b c", "d e", "f\"g"}));
    QCOMPARE(*parseShellWords(QStringLiteral("\"\\d+\"")), (Words{"\\d+"}));
    QVERIFY(!parseShellWords(QStringLiteral("'open")));
    const Words words{"plain", "two words", "it's", "$x", ""};
    QCOMPARE(*parseShellWords(shellWords(words)), words);
  }

  void aFieldHasATitle() {
    QCOMPARE(fieldTitle("accuracy"), QStringLiteral("Accuracy"));
    QCOMPARE(fieldTitle("param:lr"), QStringLiteral("Lr"));
    QCOMPARE(fieldTitle("optim:lr"), QStringLiteral("Optim:lr"));
    QVERIFY(!fieldTitle("lr:").isEmpty());
    QCOMPARE(fieldTitle("param:"), QString());
  }

  void runsAreGroupedAndDescribed() {
    RunModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRuns(
        {run_of("aaaaaaaa", "old", RunState::finished), run_of("bbbbbbbb", "live", RunState::running)});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("live"));
    QCOMPARE(model.index(0, 0).data(RunModel::SectionRole).toString(), QStringLiteral("Active"));
    QCOMPARE(model.index(0, 0).data(RunModel::BadgeRole).toString(), QStringLiteral("×2"));
    QCOMPARE(model.index(0, 0).data(RunModel::DetailRole).toString(),
             QStringLiteral("epoch 19 of 30 · 98.10 %"));
    QCOMPARE(model.index(1, 0).data(RunModel::SectionRole).toString(), QStringLiteral("Earlier"));
  }

  void aDamagedRunSaysWhy() {
    RunModel model;
    auto damaged = run_of("aaaaaaaa", "bad", RunState::damaged);
    damaged.message = "its specification cannot be read";
    model.setRuns({damaged, run_of("bbbbbbbb", "live", RunState::running)});
    QCOMPARE(model.index(1, 0).data(RunModel::SectionRole).toString(), QStringLiteral("Earlier"));
    QCOMPARE(model.index(1, 0).data(RunModel::BadgeRole).toString(), QStringLiteral("damaged"));
    QCOMPARE(model.index(1, 0).data(RunModel::DetailRole).toString(),
             QStringLiteral("its specification cannot be read"));
  }

  void aRunKeepsItsSelectionWhileTheListChanges() {
    RunModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto a = run_of("aaaaaaaa", "a", RunState::running), b = run_of("bbbbbbbb", "b", RunState::running);
    model.setRuns({a, b});
    const QPersistentModelIndex kept = model.index(1, 0);
    auto finished = a;
    finished.state = RunState::finished;
    model.setRuns({run_of("cccccccc", "c", RunState::running), finished, b});
    QCOMPARE(kept.data().toString(), QStringLiteral("b"));
    QCOMPARE(model.index(2, 0).data().toString(), QStringLiteral("a"));
    model.setRuns({b});
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(kept.row(), 0);
    model.setRuns({});
    QVERIFY(!kept.isValid());
  }

  void theFilterWantsEveryWord() {
    RunModel model;
    RunFilterModel filter(&model);
    QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRuns({run_of("aaaaaaaa", "digits-cnn", RunState::running),
                   run_of("bbbbbbbb", "digits-linear", RunState::failed)});
    filter.setQuery(RunQuery::parse(QStringLiteral("DIGITS failed"), {}));
    QCOMPARE(filter.rowCount(), 1);
    QCOMPARE(filter.index(0, 0).data().toString(), QStringLiteral("digits-linear"));
    filter.setQuery({});
    QCOMPARE(filter.rowCount(), 2);
  }

  void trialsFoldUnderTheirSweep() {
    const auto trial = [](const char* id, std::size_t number) {
      auto run = run_of(id, id, RunState::finished);
      run.latest["accuracy"] = 0.9 + 0.05 * static_cast<double>(number);
      run.trial = storage::TrialOf{.sweep = "rates", .trial = number};
      return run;
    };
    RunModel model;
    RunFilterModel filter(&model);
    QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    auto best = run_of("eeeeeeee", "best", RunState::finished),
         worst = run_of("ffffffff", "worst", RunState::finished);
    best.latest["accuracy"] = 0.99;
    worst.latest["accuracy"] = 0.1;
    auto diverged = trial("cccccccc", 2);
    diverged.state = RunState::failed;
    diverged.message = "the budget of 5 restarts is gone";
    diverged.trial->diverged = true;
    diverged.latest.clear();
    model.setRuns({trial("aaaaaaaa", 0), best, trial("bbbbbbbb", 1), diverged, worst},
                  {{"rates",
                    {storage::SweepState::running,
                     "accuracy",
                     sweep::Goal::max,
                     {{0, {.reached = 0, .value = 0.9}}, {1, {.reached = 0, .value = 0.95}}}}}});
    const auto names = [&] {
      QStringList names;
      for (int row = 0; row < filter.rowCount(); ++row)
        names << filter.index(row, 0).data().toString().trimmed();
      return names;
    };
    QCOMPARE(names(), QStringList({"▸ rates", "best", "worst"}));
    const QModelIndex head = filter.index(0, 0);
    QCOMPARE(filter.sweepAt(head), QStringLiteral("rates"));
    QCOMPARE(head.data(RunModel::IdRole).toString(), QString());
    QCOMPARE(head.data(RunModel::SectionRole).toString(), QStringLiteral("Active"));
    QCOMPARE(head.data(RunModel::DetailRole).toString(),
             QStringLiteral("best accuracy 95.00 % · 3 trials: 1 diverged, 2 finished"));
    QCOMPARE(filter.findShown("aaaaaaaa"), head);
    QCOMPARE(filter.passing(), 5);

    filter.toggleFold(head);
    QCOMPARE(names(), QStringList({"▾ rates", "aaaaaaaa", "bbbbbbbb", "cccccccc", "best", "worst"}));
    const QModelIndex third = filter.index(3, 0);
    QCOMPARE(third.data(RunModel::BadgeRole).toString(), QStringLiteral("diverged"));
    QCOMPARE(third.data(RunModel::DetailRole).toString(), QStringLiteral("diverged after 0 steps"));
    model.setFields({"name", "accuracy"});
    filter.sort(1,
                Qt::DescendingOrder);  // trials stay below their sweep, which stands where its best one would
    QCOMPARE(names(), QStringList({"best", "▾ rates", "bbbbbbbb", "aaaaaaaa", "cccccccc", "worst"}));
    filter.sort(1, Qt::AscendingOrder);
    QCOMPARE(names().first(), QStringLiteral("worst"));
    QCOMPARE(names()[1], QStringLiteral("▾ rates"));
    QCOMPARE(filter.setFolded(filter.index(2, 0), true), filter.index(1, 0));
    QCOMPARE(names(), QStringList({"worst", "▸ rates", "best"}));

    filter.setQuery(RunQuery::parse(QStringLiteral("sweep=rates and trial<2"), {"sweep", "trial"}));
    QCOMPARE(names(), QStringList({"aaaaaaaa", "bbbbbbbb"}));
    filter.setQuery(RunQuery::parse(QStringLiteral("best"), {}));
    QCOMPARE(names(), QStringList({"best"}));
  }

  void eventsComeNewestFirst() {
    EventModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.reset(1000);
    model.append(
        {{1, 1007, 0, 3, "info", "Training began."}, {2, 1065, 0, 9, "warning", "Replica 1 is slow."}});
    model.append({{3, 4600, 0, 90, "error", "Replica 1 was killed."}});
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.lastId(), 3);
    QCOMPARE(model.index(0, EventModel::TimeColumn).data().toString(), QStringLiteral("1:00:00"));
    QCOMPARE(model.index(2, EventModel::TextColumn).data().toString(), QStringLiteral("Training began."));
    QCOMPARE(model.index(2, EventModel::TimeColumn).data().toString(), QStringLiteral("0:07"));
  }

  void checkpointsAndHyperparametersAreShown() {
    CheckpointModel checkpoints;
    QAbstractItemModelTester first(&checkpoints, QAbstractItemModelTester::FailureReportingMode::QtTest);
    storage::Checkpoint row;
    row.name = "checkpoint-000012";
    row.bytes = 2'140'000;
    row.seconds = 0.009;
    checkpoints.setCheckpoints({row});
    QCOMPARE(checkpoints.index(0, CheckpointModel::SizeColumn).data().toString(), QStringLiteral("2.1 MB"));
    QCOMPARE(checkpoints.index(0, CheckpointModel::TookColumn).data().toString(), QStringLiteral("9 ms"));

    NamedValueModel values;
    QAbstractItemModelTester second(&values, QAbstractItemModelTester::FailureReportingMode::QtTest);
    values.setRows({{QStringLiteral("lr"), QStringLiteral("0.05")}});
    QCOMPARE(values.index(0, 1).data().toString(), QStringLiteral("0.05"));
  }
};

BATCHSCOPE_TEST(TestModels)
#include "test_models.moc"
