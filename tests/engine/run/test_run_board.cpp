// SPDX-License-Identifier: Apache-2.0
//
// Where a run stands, as its telemetry tells.
#include "state/run_board.h"

#include <limits>

#include "batchscope/protocol/series.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

class TestRunBoard : public QObject {
  Q_OBJECT

  static RunBoard fresh() { return {0, 0, 0, 0, {}}; }
  static protocol::Position at(const std::string& loop, int epoch, int epochs, double fraction,
                               double mono = 1) {
    return {epoch, epochs, loop, fraction, 2.5, mono};
  }
  static double fraction_at(const protocol::Position& position) {
    RunBoard board = fresh();
    board.take(position);
    return board.fraction();
  }
  static protocol::RunStatus status_of(const RunBoard& board) {
    protocol::RunStatus status;
    board.fill(status);
    return status;
  }

 private Q_SLOTS:
  void itBeginsWhereAnEarlierSupervisorLeftTheRun() {
    const protocol::RunStatus status = status_of({7, 2, 5, 0.4, {{"loss", 0.5}}});
    QCOMPARE(status.step, 7);
    QCOMPARE(status.epoch, 2);
    QCOMPARE(status.epochs, 5);
    QCOMPARE(status.total_fraction, 0.4);
    QCOMPARE(status.latest.at("loss"), 0.5);
    QVERIFY(status.remaining < 0);
    QCOMPARE(RunBoard(7, 2, 5, 0.4, {}).last_progress(), 0.0);
  }

  void theLastStepOfAMessageIsTheRuns() {
    RunBoard board = fresh();
    board.take(protocol::Steps{5, {{"mono", {10, 11, 12}}, {"loss", {3, 2, 1}}, {"accuracy", {}}}, 0});
    QCOMPARE(board.step(), 7);
    QCOMPARE(board.last_progress(), 12.0);
    QCOMPARE(board.latest(), (std::map<std::string, double>{{"loss", 1}}));
    board.take(protocol::Steps{8, {{"mono", {}}}, 0});  // of no step
    QCOMPARE(board.step(), 7);
    board.take(protocol::Scalar{"accuracy", 3, 0.9});
    QCOMPARE(board.latest().at("accuracy"), 0.9);
    QCOMPARE(board.step(), 7);
  }

  void theStepOfACheckpointIsRankZeros() {
    RunBoard board(9, 0, 0, 0, {});
    board.take(protocol::Restored{1, "checkpoint-000001", 4});
    QCOMPARE(board.step(), 9);
    board.take(protocol::Restored{0, "checkpoint-000001", 4});
    QCOMPARE(board.step(), 4);
  }

  // Validation comes at the end of its epoch.
  void theFractionIsOfAllEpochs() {
    QCOMPARE(fraction_at(at("train", 1, 4, 0.5)), 0.375);
    QCOMPARE(fraction_at(at("validate", 1, 4, 0.5)), 0.5);
    QCOMPARE(fraction_at(at("", 1, 4, 0.5)), 0.25);
    QCOMPARE(fraction_at(at("train", 1, 4, 7)), 0.5);
    QCOMPARE(fraction_at(at("train", 1, 4, -7)), 0.25);
    QCOMPARE(fraction_at(at("train", 9, 4, 0.5)), 1.0);
    QCOMPARE(fraction_at(at("train", 0, 1, 0.5)), 0.5);
    QCOMPARE(fraction_at(at("train", 1, 0, 0.5)), 0.0);  // nobody knows of how many
  }

  void aPositionIsShownAsItIs() {
    RunBoard board = fresh();
    board.take(at("validate", 1, 4, 0.25, 50));
    QCOMPARE(board.last_progress(), 50.0);  // a batch of validation is progress
    const protocol::RunStatus status = status_of(board);
    QCOMPARE(status.loop, "validate");
    QCOMPARE(status.loop_fraction, 0.25);
    QCOMPARE(status.epoch, 1);
    QCOMPARE(status.epochs, 4);
    QCOMPARE(status.progress, 2.5);
    board.take(at("train", 2, 4, 0.25, 60));
    QCOMPARE(board.last_progress(), 50.0);  // steps are told of by themselves
  }

  void theEndOfAnEpochFinishesIt() {
    RunBoard board = fresh();
    board.take(protocol::EpochMark{3, true, 10, 1});
    QCOMPARE(board.epoch(), 0);
    board.take(protocol::EpochMark{3, false, 20, 2});
    QCOMPARE(board.epoch(), 4);
  }

  // A tenth in ten seconds; what stands still in between does not count.
  void theTimeThatRemainsIsEstimated() {
    RunBoard board = fresh();
    board.take(at("train", 0, 1, 0, 0));
    board.take(at("train", 0, 1, 0.1, 10));
    board.interrupted();
    board.take(at("train", 0, 1, 0.1, 500));
    QCOMPARE(status_of(board).remaining, 90.0);
    board.take(at("train", 0, 0, 0.1, 510));
    QVERIFY(status_of(board).remaining < 0);
  }

  void theConfigurationIsThatOfTheNewestStep() {
    RunBoard board = fresh();
    QCOMPARE(board.local_batch_size(), 0);
    QCOMPARE(board.configuration().num_replicas, 0);
    board.take(protocol::Steps{1,
                               {{"mono", {1}},
                                {protocol::series::kReplicas, {3}},
                                {protocol::series::kLocalBatchSize, {16}},
                                {protocol::series::kAccumulation, {2}}},
                               0});
    QCOMPARE(board.local_batch_size(), 16);
    const auto configuration = board.configuration();
    QCOMPARE(configuration.num_nodes, 1);
    QCOMPARE(configuration.num_replicas, 3);
    QCOMPARE(configuration.local_batch_size, 16);
    QCOMPARE(configuration.accumulation_steps, 2);
  }

  void aValueThatIsNoWholeNumberIsNone() {
    QCOMPARE(whole(2.9), 2);
    QCOMPARE(whole(-2.9), -2);
    QCOMPARE(whole(999'999'999'999'999), 999'999'999'999'999);
    for (const double none : {1e15, -1e15, 1e300, std::numeric_limits<double>::quiet_NaN()})
      QCOMPARE(whole(none), 0);
  }
};

BATCHSCOPE_TEST(TestRunBoard)
#include "test_run_board.moc"
