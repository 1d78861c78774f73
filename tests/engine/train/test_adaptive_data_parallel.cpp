// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveDataParallel between real processes: it must not matter how a batch is shared, nor that a run was
// interrupted. Every case trains with all optimizers at once, each model in an instance of its own.
#include <cmath>

#include "replicas.h"
#include "test_case.h"

using batchscope::protocol::Json;
using namespace batchscope::testing;

namespace {

// What the replicas said of each optimizer's training, by rank.
std::vector<Json> train(const Json& settings) {
  const Replica program = run({.program = "train-parallel-replica",
                               .arguments = {QString::fromStdString(settings.dump())},
                               .variables = {{"OPENBLAS_NUM_THREADS", "1"}}})[0];
  std::vector<Json> said;
  if (program.said.contains("replicas"))
    for (const Json& replica : program.said["replicas"]) {
      if (replica["code"] != 0 || replica["lines"].empty()) qWarning() << program.errors;
      said.push_back(replica["lines"].empty() ? Json() : replica["lines"].back());
    }
  return said;
}

// On one process, without AdaptiveDataParallel.
const Json& plain() {
  static const Json said = train({{"replicas", 1}, {"steps", Json::array({50})}, {"mode", "plain"}}).at(0);
  return said;
}

double difference(const Json& left, const Json& right) {
  double largest = 0;
  for (std::size_t p = 0; p < left.size(); ++p)
    for (std::size_t i = 0; i < left[p].size(); ++i)
      largest = std::max(largest, std::abs(left[p][i].get<double>() - right[p][i].get<double>()));
  return largest;
}

}  // namespace

#define VERIFY_WEIGHTS(all, reference)                                                                \
  for (const auto& [optimizer, expected] : (reference).items())                                       \
    for (const Json& replica : all) {                                                                 \
      QVERIFY2(replica.contains(optimizer), replica.dump().c_str());                                  \
      const Json& weights = replica[optimizer]["weights"];                                            \
      const double apart = difference(weights, expected["weights"]);                                  \
      QVERIFY2(apart < 1e-9, (optimizer + " " + std::to_string(apart)).c_str());                      \
      QVERIFY2(weights == (all)[0][optimizer]["weights"], (optimizer + ": replicas differ").c_str()); \
    }

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
    QCOMPARE(plain().size(), std::size_t(5));
    const auto all =
        train({{"replicas", replicas}, {"accumulation", accumulation}, {"steps", Json::array({50})}});
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
    const auto reference = train({{"replicas", 1}, {"steps", Json::array({20})}, {"mode", "plain-crooked"}});
    const auto all = train({{"replicas", replicas}, {"steps", Json::array({20})}, {"mode", "crooked"}});
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
    const auto whole = train(once), rest = train(twice);
    QCOMPARE(rest.size(), static_cast<std::size_t>(replicas));
    for (std::size_t rank = 0; rank < rest.size(); ++rank)
      for (const auto& [optimizer, said] : whole.at(rank).items())
        for (const char* what : {"weights", "running", "rates", "noise"})
          QVERIFY2(rest[rank].at(optimizer)[what] == said[what], (optimizer + " " + what).c_str());
  }

  void buffersAreRankZeros() {
    const auto all = train({{"replicas", 3}, {"steps", Json::array({5})}}),
               one = train({{"replicas", 1}, {"steps", Json::array({5})}});
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
    const auto reference = train({{"replicas", 1}, {"steps", Json::array({50})}, {"mode", "plain-clip"}});
    for (const auto& [optimizer, said] : reference.at(0).items())
      QVERIFY2(difference(said["weights"], plain()[optimizer]["weights"]) > 1e-4, optimizer.c_str());
    const auto all = train({{"replicas", replicas},
                            {"accumulation", accumulation},
                            {"steps", Json::array({50})},
                            {"mode", "clip"}});
    QCOMPARE(all.size(), static_cast<std::size_t>(replicas));
    VERIFY_WEIGHTS(all, reference.at(0));
  }

  // The previous gradient is measured as it came out of backward, also where the program clips it in place:
  // all that is lost are the pairs until the first change is noticed.
  void clippingLeavesTheStatisticsAlone() {
    const auto clipped = train({{"replicas", 1}, {"steps", Json::array({6})}, {"mode", "clip"}});
    const Json& gains = clipped.at(0)["sgd"]["raw_gains"];
    QCOMPARE(gains.size(), std::size_t(6));
    QVERIFY(gains[1] == Json("nan"));  // the second step finds the first gradient changed
    for (std::size_t step = 3; step < 6; ++step) QVERIFY2(gains[step].is_number(), gains.dump().c_str());
  }
};

BATCHSCOPE_TEST(TestAdaptiveDataParallel)
#include "test_adaptive_data_parallel.moc"
