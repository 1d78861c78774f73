// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveDataParallel between real processes: it must not matter how a batch is shared, nor that a run was
// interrupted.
#include <QTest>
#include <cmath>

#include "replicas.h"

using batchscope::protocol::Json;
using namespace batchscope::testing;

namespace {

Json train(int replicas, const QStringList& arguments, const Launch& where = {}) {
  Launch launch = where;
  launch.program = "train-parallel-replica";
  launch.arguments = arguments;
  launch.replicas = replicas;
  Json said = Json::array();
  for (const Replica& replica : run(launch)) {
    if (replica.code != 0) qWarning() << replica.errors;
    said.push_back(replica.said);
  }
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

#define VERIFY_WEIGHTS(all, reference)                                           \
  for (const Json& replica : all) {                                              \
    QVERIFY2(replica.contains("weights"), replica.dump().c_str());               \
    const double apart = difference(replica["weights"], (reference)["weights"]); \
    QVERIFY2(apart < 1e-9, QByteArray::number(apart));                           \
    QVERIFY2(replica["weights"] == (all)[0]["weights"], "replicas differ");      \
  }

class TestAdaptiveDataParallel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsOneProcess_data();
  void equalsOneProcess();
  void weighsUnevenBatches_data();
  void weighsUnevenBatches();
  void goesOnWhereItStopped_data();
  void goesOnWhereItStopped();
  void buffersAreRankZeros();
  void clippingLeavesTheStatisticsAlone();
};

void TestAdaptiveDataParallel::equalsOneProcess_data() {
  QTest::addColumn<QString>("optimizer");
  QTest::addColumn<int>("replicas");
  QTest::addColumn<int>("accumulation");
  for (const QString optimizer : {"sgd", "adam"})
    for (int replicas : {1, 2, 3})
      for (int accumulation : {0, 1, 3})
        QTest::addRow("%s, %d replicas, accumulation %d", qPrintable(optimizer), replicas, accumulation)
            << optimizer << replicas << accumulation;
  QTest::addRow("adamw, 4 replicas, accumulation 1") << QString("adamw") << 4 << 1;
}

void TestAdaptiveDataParallel::equalsOneProcess() {
  QFETCH(QString, optimizer);
  QFETCH(int, replicas);
  QFETCH(int, accumulation);
  const Json plain = train(1, {optimizer, "0", "50", "plain"});
  const Json all = train(replicas, {optimizer, QString::number(accumulation), "50"});
  VERIFY_WEIGHTS(all, plain[0]);
  for (const Json& replica : all) QCOMPARE(replica["unused"].get<bool>(), false);
}

void TestAdaptiveDataParallel::weighsUnevenBatches_data() {
  QTest::addColumn<int>("replicas");
  for (int replicas : {2, 3}) QTest::addRow("%d replicas", replicas) << replicas;
}

// The last steps' batches are a single sample: all replicas but one compute on padding alone.
void TestAdaptiveDataParallel::weighsUnevenBatches() {
  QFETCH(int, replicas);
  const Json plain = train(1, {"sgd", "0", "20", "plain-crooked"});
  const Json all = train(replicas, {"sgd", "0", "20", "crooked"});
  VERIFY_WEIGHTS(all, plain[0]);
}

void TestAdaptiveDataParallel::goesOnWhereItStopped_data() {
  QTest::addColumn<QString>("optimizer");
  QTest::addColumn<int>("replicas");
  QTest::addColumn<int>("accumulation");
  for (const char* optimizer : {"sgd", "adam", "adamw", "rmsprop", "adagrad"})
    QTest::addRow("%s", optimizer) << optimizer << 1 << 0;
  QTest::addRow("sgd, accumulation") << "sgd" << 1 << 1;
  QTest::addRow("sgd, 2 replicas") << "sgd" << 2 << 0;
}

// Bit for bit: weights, learning rates of the schedule, statistics (with the previous gradient).
void TestAdaptiveDataParallel::goesOnWhereItStopped() {
  QFETCH(QString, optimizer);
  QFETCH(int, replicas);
  QFETCH(int, accumulation);
  const QString micro = QString::number(accumulation);
  const QTemporaryDir checkpoints;
  Launch launch;
  launch.variables["ADAPTDL_CHECKPOINT_PATH"] = checkpoints.path().toStdString();
  const Json whole = train(replicas, {optimizer, micro, "18"});
  train(replicas, {optimizer, micro, "11", "save"}, launch);
  launch.generation = 1;
  const Json rest = train(replicas, {optimizer, micro, "7"}, launch);
  for (std::size_t rank = 0; rank < rest.size(); ++rank)
    for (const char* what : {"weights", "running", "rates", "noise"})
      QVERIFY2(rest[rank][what] == whole[rank][what], what);
}

void TestAdaptiveDataParallel::buffersAreRankZeros() {
  const Json all = train(3, {"sgd", "0", "5"});
  for (const Json& replica : all) QVERIFY(replica["running"] == all[0]["running"]);
  QVERIFY(all[0]["running"] != train(1, {"sgd", "0", "5"})[0]["running"]);
}

// The previous gradient is measured as it came out of backward, also where the program clips it in place: all
// that is lost are the pairs until the first change is noticed.
void TestAdaptiveDataParallel::clippingLeavesTheStatisticsAlone() {
  const Json clipped = train(1, {"sgd", "0", "6", "clip"});
  QVERIFY(clipped[0]["weights"].is_array());
  const Json& gains = clipped[0]["raw_gains"];
  QCOMPARE(gains.size(), std::size_t(6));
  QVERIFY(gains[1] == Json("nan"));  // the second step finds the first gradient changed
  for (std::size_t step = 3; step < 6; ++step) QVERIFY2(gains[step].is_number(), gains.dump().c_str());
}

QTEST_GUILESS_MAIN(TestAdaptiveDataParallel)
#include "test_adaptive_data_parallel.moc"
