// SPDX-License-Identifier: Apache-2.0
//
// A replica's environment: defaults, a round trip, and values that make no sense.
#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestEnvironment : public QObject {
  Q_OBJECT

  static void clear() {
    for (const char* name :
         {variable::kMasterAddress, variable::kMasterPort, variable::kNumReplicas, variable::kReplicaRank,
          variable::kNumNodes, variable::kNumRestarts, variable::kCheckpointPath, variable::kThreads,
          variable::kTelemetrySocket, variable::kRendezvousDir, variable::kBackend, variable::kDevice,
          variable::kCollectiveTimeout, variable::kMaxLocalBatchSize, variable::kNonFinite})
      qunsetenv(name);
  }

 private Q_SLOTS:
  void init() { clear(); }
  void cleanupTestCase() { clear(); }

  void anEmptyEnvironmentIsASingleProcess() {
    const Environment e = Environment::from_process();
    QCOMPARE(e.num_replicas, 1);
    QCOMPARE(e.replica_rank, 0);
    QCOMPARE(e.num_restarts, 0);
    QVERIFY(e.telemetry_socket.empty());
    QVERIFY(!e.threads);
  }

  void whatIsWrittenIsRead() {
    Environment out;
    out.num_replicas = 4;
    out.replica_rank = 3;
    out.num_restarts = 7;
    out.master_port = 4711;
    out.checkpoint_path = "/tmp/a b";
    out.rendezvous_dir = "/tmp/r";
    out.threads = 2;
    out.device = "cuda:1";
    out.collective_timeout = 2.5;
    out.max_local_batch_size = 57;
    out.non_finite = NonFinite::restore;
    for (const auto& [name, value] : out.to_variables()) qputenv(name.c_str(), value.c_str());
    const Environment in = Environment::from_process();
    QCOMPARE(in.to_variables(), out.to_variables());
    QCOMPARE(in.threads.value(), 2);
    QCOMPARE(in.checkpoint_path, out.checkpoint_path);
    QCOMPARE(in.collective_timeout, 2.5);
    QCOMPARE(in.max_local_batch_size, 57);
    QCOMPARE(in.non_finite, NonFinite::restore);
  }

  void nonsenseIsRefusedByName_data() {
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("value");
    QTest::newRow("no number") << QByteArray(variable::kNumReplicas) << QByteArray("two");
    QTest::newRow("zero replicas") << QByteArray(variable::kNumReplicas) << QByteArray("0");
    QTest::newRow("trailing text") << QByteArray(variable::kNumRestarts) << QByteArray("3x");
    QTest::newRow("rank beyond replicas") << QByteArray(variable::kReplicaRank) << QByteArray("1");
    QTest::newRow("no patience") << QByteArray(variable::kCollectiveTimeout) << QByteArray("0");
    QTest::newRow("negative batch") << QByteArray(variable::kMaxLocalBatchSize) << QByteArray("-1");
    QTest::newRow("policy") << QByteArray(variable::kNonFinite) << QByteArray("pray");
    QTest::newRow("port") << QByteArray(variable::kMasterPort) << QByteArray("70000");
  }
  void nonsenseIsRefusedByName() {
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, value);
    qputenv(name, value);
    try {
      Environment::from_process();
      QFAIL("accepted");
    } catch (const Error& e) {
      QCOMPARE(e.kind(), ErrorKind::usage);
      QVERIFY2(QByteArray(e.what()).contains(name + "=" + value), e.what());
    }
  }
};

BATCHSCOPE_TEST(TestEnvironment)
#include "test_environment.moc"
