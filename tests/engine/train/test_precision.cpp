// SPDX-License-Identifier: Apache-2.0
//
// Mixed precision between real processes: bf16 autocast learns, and a gradient scaler changes nothing but the
// steps that it skips.
#include "replicas.h"
#include "test_case.h"

using batchscope::protocol::Json;
using namespace batchscope::testing;

namespace {

std::vector<Json> train(int replicas, const QStringList& arguments, const Launch& where = {}) {
  Launch launch = where;
  launch.program = "precision";
  launch.arguments = arguments;
  launch.replicas = replicas;
  std::vector<Json> said;
  for (const Replica& replica : run(launch)) {
    if (replica.code != 0) qWarning() << replica.errors;
    said.push_back(replica.said);
  }
  return said;
}

void replica_counts() {
  QTest::addColumn<int>("replicas");
  for (int replicas : {1, 2}) QTest::addRow("%d replicas", replicas) << replicas;
}

}  // namespace

#define VERIFY_TRAINED(all)                                                              \
  for (const Json& replica : all) {                                                      \
    QVERIFY2(replica.contains("weights"), replica.dump().c_str());                       \
    for (const char* what : {"weights", "buffers", "noises", "scales"})                  \
      QVERIFY2(replica[what] == (all)[0][what], "replicas differ");                      \
    QVERIFY2(!replica.contains("type"), "a parameter is no longer in single precision"); \
  }

class TestPrecision : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void learnsInBfloat16_data() { replica_counts(); }
  void learnsInBfloat16() {
    QFETCH(int, replicas);
    const auto all = train(replicas, {"120", "autocast"});
    VERIFY_TRAINED(all);
    const auto full = train(replicas, {"120"});
    VERIFY_TRAINED(full);
    QVERIFY(all[0]["product"] == "BFloat16");
    QVERIFY(full[0]["product"] == "Float");
    const double first = all[0]["losses"].front(), last = all[0]["losses"].back();
    const double in_full = full[0]["losses"].back();
    QVERIFY2(last < 0.2 * first, QByteArray::number(last / first));
    QVERIFY2(last < 1.1 * in_full, QByteArray::number(last / in_full));
    QVERIFY(last != in_full);
  }

  void scalerChangesNothing_data() {
    QTest::addColumn<int>("replicas");
    QTest::addColumn<QStringList>("how");
    for (int replicas : {1, 2})
      for (const QStringList& how : {QStringList(), {"accumulate"}, {"adam"}, {"autocast"}})
        QTest::addRow("%d replicas %s", replicas, qPrintable(how.join(' '))) << replicas << how;
  }

  // Bit for bit, because scales are powers of two; they change every third step here.
  void scalerChangesNothing() {
    QFETCH(int, replicas);
    QFETCH(QStringList, how);
    const auto without = train(replicas, QStringList{"10"} + how);
    const auto with = train(replicas, QStringList{"10", "scaler"} + how);
    VERIFY_TRAINED(with);
    for (const char* what : {"weights", "buffers", "noises", "progress"})
      QVERIFY2(with[0][what] == without[0][what], what);
    QVERIFY(without[0]["scales"].back() == 1);
    QVERIFY(with[0]["scales"].back() == 65536 * 8);
  }

  void skipsWhereOneReplicaOverflows_data() {
    QTest::addColumn<int>("replicas");
    QTest::addColumn<QStringList>("how");
    for (int replicas : {1, 2})
      for (const QStringList& how : {QStringList(), {"accumulate"}, {"adam"}})
        QTest::addRow("%d replicas %s", replicas, qPrintable(how.join(' '))) << replicas << how;
  }

  // Nothing but the scale moves, on any replica.
  void skipsWhereOneReplicaOverflows() {
    QFETCH(int, replicas);
    QFETCH(QStringList, how);
    const auto all = train(replicas, QStringList{"8", "scaler", "overflow"} + how);
    VERIFY_TRAINED(all);
    for (const Json& replica : all) {
      for (const char* what : {"trail", "progress", "noises"})
        QVERIFY2(replica[what][5] == replica[what][4], what);
      QVERIFY(replica["scales"][4] == 65536 * 2);
      QVERIFY(replica["scales"][5] == 65536);
      QVERIFY(replica["trail"][6] != replica["trail"][5]);
      QVERIFY(replica["progress"][7] > replica["progress"][6]);
    }
  }

  void skipsWithoutAScalerToo_data() { skipsWhereOneReplicaOverflows_data(); }
  void skipsWithoutAScalerToo() {
    QFETCH(int, replicas);
    QFETCH(QStringList, how);
    const auto all = train(replicas, QStringList{"8", "overflow"} + how);
    VERIFY_TRAINED(all);
    for (const Json& replica : all) {
      for (const char* what : {"trail", "progress", "noises"})
        QVERIFY2(replica[what][5] == replica[what][4], what);
      QVERIFY(replica["trail"][6] != replica["trail"][5]);
      QVERIFY(replica["progress"][7] > replica["progress"][6]);
    }
  }

  void leavesWhereAStepMayNotBeSkipped_data() {
    QTest::addColumn<int>("replicas");
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QByteArray>("reason");
    for (int replicas : {1, 2}) {
      for (const char* policy : {"stop", "restore"})
        QTest::addRow("%d replicas %s", replicas, policy)
            << replicas << policy << "overflow" << QByteArray("step 6: the gradient holds NaN or infinity");
      QTest::addRow("%d replicas spoilt buffers", replicas)
          << replicas << "skip"
          << "bad-sample" << QByteArray("NaN is now in buffers of the model");
      QTest::addRow("%d replicas hopeless", replicas)
          << replicas << "skip"
          << "overflows" << QByteArray("the same happened in all of the last 100 steps");
      QTest::addRow("%d replicas hopeless beside another", replicas)
          << replicas << "skip"
          << "overflows beside" << QByteArray("the same happened in all of the last 100 steps");
    }
  }

  // All replicas together, with an orderly exit and a reason; nobody waits for another.
  void leavesWhereAStepMayNotBeSkipped() {
    QFETCH(int, replicas);
    QFETCH(QString, policy);
    QFETCH(QString, fault);
    QFETCH(QByteArray, reason);
    Launch launch;
    launch.program = "precision";
    launch.arguments = QStringList{"200"} + fault.split(' ');
    launch.replicas = replicas;
    launch.variables["BATCHSCOPE_NON_FINITE"] = policy.toStdString();
    const auto all = run(launch);
    for (const Replica& replica : all) QCOMPARE(replica.code, 1);
    QVERIFY2(all[0].errors.contains(reason), all[0].errors.constData());
    if (!fault.startsWith("overflows")) return;
    QVERIFY(all[0].errors.contains("it is the 10th such step"));
    QCOMPARE(all[0].errors.count("was not applied on any replica"), 3);  // the first, the tenth and the last
  }

  // The step's gradients were averaged by the first; a single replica would unscale them again.
  void refusesASecondBackward() {
    for (const auto& said : {train(1, {"1", "scaler", "twice"}), train(2, {"1", "twice"})})
      for (const Json& replica : said) {
        QVERIFY2(replica["error"] == "usage", replica.dump().c_str());
        VERIFY_MESSAGE(replica, "backward ran");
      }
  }

  void scalerSurvivesRestart_data() { replica_counts(); }
  void scalerSurvivesRestart() {
    QFETCH(int, replicas);
    const QTemporaryDir checkpoints;
    Launch launch;
    launch.variables["ADAPTDL_CHECKPOINT_PATH"] = checkpoints.path().toStdString();
    const auto whole = train(replicas, {"10", "scaler"});
    train(replicas, {"4", "scaler", "save"}, launch);
    launch.generation = 1;
    const auto rest = train(replicas, {"6", "scaler"}, launch);
    VERIFY_TRAINED(rest);
    QVERIFY(rest[0]["weights"] == whole[0]["weights"]);
    for (std::size_t step = 0; step < 6; ++step)
      for (const char* what : {"scales", "noises"})
        QVERIFY2(rest[0][what][step] == whole[0][what][step + 4], what);
  }
};

BATCHSCOPE_TEST(TestPrecision)
#include "test_precision.moc"
