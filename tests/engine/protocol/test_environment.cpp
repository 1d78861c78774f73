// SPDX-License-Identifier: Apache-2.0
//
// A replica's environment: defaults, a round trip, and values that make no sense.
#include "batchscope/protocol/environment.h"

#include "batchscope/protocol/contention.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestEnvironment : public QObject {
  Q_OBJECT

  static void clear() {
    for (const char* name :
         {variable::kMasterAddress,     variable::kMasterPort,        variable::kNumReplicas,
          variable::kReplicaRank,       variable::kNumNodes,          variable::kNumRestarts,
          variable::kCheckpointPath,    variable::kThreads,           variable::kTelemetrySocket,
          variable::kRendezvousDir,     variable::kBackend,           variable::kDevice,
          variable::kNumDevices,        variable::kDevicesPerReplica, variable::kCollectiveTimeout,
          variable::kMaxLocalBatchSize, variable::kNonFinite,         variable::kRendezvousToken,
          variable::kMeetingTimeout,    variable::kContention})
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
    qputenv("ADAPTDL_NUM_REPLICAS", "4");  // on a single node, unless it is told
    QCOMPARE(Environment::from_process().num_nodes, 1);
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
    out.num_devices = 3;
    out.devices_per_replica = 2;
    out.collective_timeout = 2.5;
    out.max_local_batch_size = 57;
    out.non_finite = NonFinite::restore;
    out.rendezvous_token = "0123456789abcdef";
    out.meeting_timeout = 90;
    for (const auto& [name, value] : out.to_variables()) qputenv(name.c_str(), value.c_str());
    const Environment in = Environment::from_process();
    QCOMPARE(in.to_variables(), out.to_variables());
    QCOMPARE(in.threads.value(), 2);
    QCOMPARE(in.num_devices, 3);
    QCOMPARE(in.devices_per_replica, 2);
    QCOMPARE(in.checkpoint_path, out.checkpoint_path);
    QCOMPARE(in.collective_timeout, 2.5);
    QCOMPARE(in.max_local_batch_size, 57);
    QCOMPARE(in.non_finite, NonFinite::restore);
    QCOMPARE(in.rendezvous_token, out.rendezvous_token);
    QCOMPARE(in.meeting_timeout, 90.0);
  }

  void contentionIsAShare() {
    QCOMPARE(told_contention(), 0.0);
    qputenv(variable::kContention, "0.25");
    QCOMPARE(told_contention(), 0.25);
    for (const char* value : {"-0.1", "much", "0.1x", "nan"}) {
      qputenv(variable::kContention, value);
      VERIFY_THROWS("usage", "BATCHSCOPE_CONTENTION=", told_contention());
    }
  }

  void aSecretThatIsGuessedIsRefusedAndNotRepeated() {
    qputenv(variable::kRendezvousToken, "fifteen letters");
    VERIFY_THROWS("usage", "BATCHSCOPE_RENDEZVOUS_TOKEN: 15 characters", Environment::from_process());
    try {
      Environment::from_process();
    } catch (const Error& error) {
      QVERIFY(std::string(error.what()).find("fifteen") == std::string::npos);
    }
  }

  void nonsenseIsRefusedByName_data() {
    const auto row = testing::columns<QByteArray, QByteArray>({"name", "value"});
    row("no number", QByteArray(variable::kNumReplicas), "two");
    row("zero replicas", QByteArray(variable::kNumReplicas), "0");
    row("trailing text", QByteArray(variable::kNumRestarts), "3x");
    row("rank beyond replicas", QByteArray(variable::kReplicaRank), "1");
    row("no patience", QByteArray(variable::kCollectiveTimeout), "0");
    row("negative patience", QByteArray(variable::kMeetingTimeout), "-1");
    row("negative batch", QByteArray(variable::kMaxLocalBatchSize), "-1");
    row("policy", QByteArray(variable::kNonFinite), "pray");
    row("port", QByteArray(variable::kMasterPort), "70000");
  }
  void nonsenseIsRefusedByName() {
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, value);
    qputenv(name, value);
    VERIFY_THROWS("usage", (name + "=" + value).toStdString(), Environment::from_process());
  }
};

BATCHSCOPE_TEST(TestEnvironment)
#include "test_environment.moc"
