// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveDataParallel between real processes: it must not matter how a batch is shared, nor that a run was
// interrupted. Every case trains with all optimizers at once, each model in an instance of its own.
#include "parallel_training.h"
#include "test_case.h"

using batchscope::protocol::Json;
using namespace batchscope::testing;

class TestAdaptiveDataParallel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsOneProcess_data() {
    QTest::addColumn<int>("replicas");
    QTest::addColumn<int>("accumulation");
    for (int replicas : {1, 2, 3, 4})
      for (int accumulation : {0, 1, 3})
        if (replicas < 4 || accumulation < 3)
          QTest::addRow("%d replicas, accumulation %d", replicas, accumulation) << replicas << accumulation;
  }

  void equalsOneProcess() {
    QFETCH(int, replicas);
    QFETCH(int, accumulation);
    QCOMPARE(plain().size(), std::size_t(6));
    const auto all = train_replicas(
        {{"replicas", replicas}, {"accumulation", accumulation}, {"steps", Json::array({50})}});
    QCOMPARE(all.size(), static_cast<std::size_t>(replicas));
    VERIFY_WEIGHTS(all, plain());
    for (const auto& [optimizer, said] : all[0].items()) QCOMPARE(said["unused"].get<bool>(), false);
  }

  void weighsUnevenBatches_data() {
    QTest::addColumn<int>("replicas");
    for (int replicas : {2, 3}) QTest::addRow("%d replicas", replicas) << replicas;
  }

  // The last steps' batches are a single sample: all replicas but one compute on padding alone.
  void weighsUnevenBatches() {
    QFETCH(int, replicas);
    const auto reference =
        train_replicas({{"replicas", 1}, {"steps", Json::array({20})}, {"mode", "plain-crooked"}});
    const auto all =
        train_replicas({{"replicas", replicas}, {"steps", Json::array({20})}, {"mode", "crooked"}});
    QCOMPARE(all.size(), static_cast<std::size_t>(replicas));
    VERIFY_WEIGHTS(all, reference.at(0));
  }

  void goesOnWhereItStopped_data() {
    QTest::addColumn<int>("replicas");
    QTest::addColumn<int>("accumulation");
    QTest::newRow("1 replica") << 1 << 0;
    QTest::newRow("1 replica, accumulation") << 1 << 1;
    QTest::newRow("2 replicas") << 2 << 0;
    QTest::newRow("3 replicas") << 3 << 0;
  }

  // Bit for bit: weights, learning rates of the schedule, statistics (with the previous gradient).
  void goesOnWhereItStopped() {
    QFETCH(int, replicas);
    QFETCH(int, accumulation);
    const Json settings{{"replicas", replicas}, {"accumulation", accumulation}};
    Json once = settings, twice = settings;
    once["steps"] = Json::array({18});
    twice["steps"] = Json::array({11, 7});
    const auto whole = train_replicas(once), rest = train_replicas(twice);
    QCOMPARE(rest.size(), static_cast<std::size_t>(replicas));
    for (std::size_t rank = 0; rank < rest.size(); ++rank)
      for (const auto& [optimizer, said] : whole.at(rank).items())
        for (const char* what : {"weights", "running", "rates", "noise"})
          QVERIFY2(rest[rank].at(optimizer)[what] == said[what], (optimizer + " " + what).c_str());
  }

  void buffersAreRankZeros() {
    const auto all = train_replicas({{"replicas", 3}, {"steps", Json::array({5})}}),
               one = train_replicas({{"replicas", 1}, {"steps", Json::array({5})}});
    QCOMPARE(all.size(), std::size_t(3));
    for (const Json& replica : all) QVERIFY(replica["sgd"]["running"] == all[0]["sgd"]["running"]);
    QVERIFY(all[0]["sgd"]["running"] != one.at(0)["sgd"]["running"]);
  }

  void clipsTheAveragedGradient_data() {
    QTest::addColumn<int>("replicas");
    QTest::addColumn<int>("accumulation");
    for (int replicas : {1, 2, 3})
      for (int accumulation : {0, 1})
        QTest::addRow("%d replicas, accumulation %d", replicas, accumulation) << replicas << accumulation;
  }

  void clipsTheAveragedGradient() {
    QFETCH(int, replicas);
    QFETCH(int, accumulation);
    const auto reference =
        train_replicas({{"replicas", 1}, {"steps", Json::array({50})}, {"mode", "plain-clip"}});
    for (const auto& [optimizer, said] : reference.at(0).items())
      QVERIFY2(difference(said["weights"], plain()[optimizer]["weights"]) > 1e-4, optimizer.c_str());
    const auto all = train_replicas({{"replicas", replicas},
                                     {"accumulation", accumulation},
                                     {"steps", Json::array({50})},
                                     {"mode", "clip"}});
    QCOMPARE(all.size(), static_cast<std::size_t>(replicas));
    VERIFY_WEIGHTS(all, reference.at(0));
  }

  // The previous gradient is measured as it came out of backward, also where the program clips it in place:
  // all that is lost are the pairs until the first change is noticed.
  void clippingLeavesTheStatisticsAlone() {
    const auto clipped = train_replicas({{"replicas", 1}, {"steps", Json::array({6})}, {"mode", "clip"}});
    const Json& gains = clipped.at(0)["sgd"]["raw_gains"];
    QCOMPARE(gains.size(), std::size_t(6));
    QVERIFY(gains[1] == Json("nan"));  // the second step finds the first gradient changed
    for (std::size_t step = 3; step < 6; ++step) QVERIFY2(gains[step].is_number(), gains.dump().c_str());
  }
};

BATCHSCOPE_TEST(TestAdaptiveDataParallel)
#include "test_adaptive_data_parallel.moc"
