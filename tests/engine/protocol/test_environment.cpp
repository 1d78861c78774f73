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
    for (const auto& [name, value] : told_all().to_variables()) qunsetenv(name.c_str());
    qunsetenv(variable::kContention);
    qunsetenv(variable::kSyncTime);
  }

  // No field at its default.
  static Environment told_all() {
    Environment e;
    e.master_address = "10.0.0.1";
    e.master_port = 4711;
    e.num_replicas = 4;
    e.replica_rank = 3;
    e.num_nodes = 2;
    e.num_restarts = 7;
    e.checkpoint_path = "/tmp/a b";
    e.share_path = "/tmp/share";
    e.job_id = "abcd1234";
    e.supervisor_url = "http://there:80";
    e.sched_version = "0.0.0";
    e.tensorboard_dir = "/tmp/events";
    e.telemetry_socket = "/tmp/t.sock";
    e.rendezvous_dir = "/tmp/r";
    e.threads = 2;
    e.backend = "gloo";
    e.device = "cuda:1";
    e.num_devices = 3;
    e.devices_per_replica = 2;
    e.measure_cores = false;
    e.triggers = "[]";
    e.sample_log = "/tmp/samples";
    e.checkpoint_interval = 0;
    e.memory_path = "/dev/shm/x";
    e.unloadable = "{}";
    e.collective_timeout = 2.5;
    e.max_local_batch_size = 57;
    e.non_finite = NonFinite::restore;
    e.rendezvous_token = "0123456789abcdef";
    e.meeting_timeout = 90;
    return e;
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

  // A shell's `NAME= program`.
  void anEmptyVariableIsAsNone() {
    for (const char* name : {variable::kBackend, variable::kNumReplicas, variable::kMeetingTimeout})
      qputenv(name, "");
    QVERIFY(Environment::from_process().to_variables() == Environment().to_variables());
  }

  void whatIsWrittenIsRead() {
    const std::map<std::string, std::string> expected{{"ADAPTDL_MASTER_ADDR", "10.0.0.1"},
                                                      {"ADAPTDL_MASTER_PORT", "4711"},
                                                      {"ADAPTDL_NUM_REPLICAS", "4"},
                                                      {"ADAPTDL_REPLICA_RANK", "3"},
                                                      {"ADAPTDL_NUM_NODES", "2"},
                                                      {"ADAPTDL_NUM_RESTARTS", "7"},
                                                      {"ADAPTDL_CHECKPOINT_PATH", "/tmp/a b"},
                                                      {"ADAPTDL_SHARE_PATH", "/tmp/share"},
                                                      {"ADAPTDL_JOB_ID", "abcd1234"},
                                                      {"ADAPTDL_SUPERVISOR_URL", "http://there:80"},
                                                      {"ADAPTDL_SCHED_VERSION", "0.0.0"},
                                                      {"ADAPTDL_TENSORBOARD_LOGDIR", "/tmp/events"},
                                                      {"BATCHSCOPE_TELEMETRY_SOCKET", "/tmp/t.sock"},
                                                      {"BATCHSCOPE_RENDEZVOUS_DIR", "/tmp/r"},
                                                      {"BATCHSCOPE_THREADS", "2"},
                                                      {"BATCHSCOPE_BACKEND", "gloo"},
                                                      {"BATCHSCOPE_DEVICE", "cuda:1"},
                                                      {"BATCHSCOPE_NUM_DEVICES", "3"},
                                                      {"BATCHSCOPE_DEVICES_PER_REPLICA", "2"},
                                                      {"BATCHSCOPE_MEASURE_CORES", "0"},
                                                      {"BATCHSCOPE_TRIGGERS", "[]"},
                                                      {"BATCHSCOPE_SAMPLE_LOG", "/tmp/samples"},
                                                      {"BATCHSCOPE_CHECKPOINT_INTERVAL", "0.0"},
                                                      {"BATCHSCOPE_MEMORY_PATH", "/dev/shm/x"},
                                                      {"BATCHSCOPE_UNLOADABLE_CHECKPOINTS", "{}"},
                                                      {"BATCHSCOPE_COLLECTIVE_TIMEOUT", "2.5"},
                                                      {"BATCHSCOPE_MAX_LOCAL_BATCH_SIZE", "57"},
                                                      {"BATCHSCOPE_NON_FINITE", "restore"},
                                                      {"BATCHSCOPE_RENDEZVOUS_TOKEN", "0123456789abcdef"},
                                                      {"BATCHSCOPE_MEETING_TIMEOUT", "90.0"}};
    QCOMPARE(told_all().to_variables(), expected);
    for (const auto& [name, value] : expected) qputenv(name.c_str(), value.c_str());
    QCOMPARE(Environment::from_process().to_variables(), expected);
  }

  // A replica's place is always said.
  void whatIsAtItsDefaultIsNotSaid() {
    const std::map<std::string, std::string> place{{"ADAPTDL_MASTER_ADDR", "127.0.0.1"},
                                                   {"ADAPTDL_NUM_REPLICAS", "1"},
                                                   {"ADAPTDL_REPLICA_RANK", "0"},
                                                   {"ADAPTDL_NUM_NODES", "1"},
                                                   {"ADAPTDL_NUM_RESTARTS", "0"}};
    QCOMPARE(Environment{}.to_variables(), place);
    QCOMPARE(Environment::from_process().to_variables(), place);
  }

  void theLargestNumbersAreTaken_data() {
    const auto row = testing::columns<QByteArray, QByteArray>({"most", "more"});
    row(variable::kMasterPort, "65535", "65536");
    row(variable::kNumReplicas, "1048576", "1048577");
    row(variable::kNumNodes, "1048576", "1048577");
    row(variable::kNumRestarts, "1048576", "1048577");
    row(variable::kThreads, "4096", "4097");
    row(variable::kNumDevices, "1048576", "1048577");
    row(variable::kDevicesPerReplica, "1048576", "1048577");
    row(variable::kMeasureCores, "1", "2");
    row(variable::kMaxLocalBatchSize, "2147483647", "2147483648");
    row(variable::kCheckpointInterval, "1e300", "inf");
    row(variable::kMeetingTimeout, "0", "-0.1");
    row(variable::kRendezvousToken, "sixteen letters!", "fifteen letters");
  }
  void theLargestNumbersAreTaken() {
    QFETCH(const QByteArray, most);
    QFETCH(const QByteArray, more);
    const QByteArray name = QTest::currentDataTag();
    qputenv(name, most);
    Environment::from_process();
    qputenv(name, more);
    VERIFY_THROWS("usage", name.toStdString(), Environment::from_process());
  }

  void theSmallestNumbersAreTaken_data() {
    const auto row = testing::columns<QByteArray, QByteArray>({"least", "less"});
    row(variable::kMasterPort, "0", "-1");
    row(variable::kNumReplicas, "1", "0");
    row(variable::kReplicaRank, "0", "-1");
    row(variable::kNumNodes, "1", "0");
    row(variable::kNumRestarts, "0", "-1");
    row(variable::kThreads, "1", "0");
    row(variable::kNumDevices, "0", "-1");
    row(variable::kDevicesPerReplica, "0", "-1");
    row(variable::kMeasureCores, "0", "-1");
    row(variable::kMaxLocalBatchSize, "0", "-1");
    row(variable::kCheckpointInterval, "0", "-0.1");
  }
  void theSmallestNumbersAreTaken() {
    QFETCH(const QByteArray, least);
    QFETCH(const QByteArray, less);
    const QByteArray name = QTest::currentDataTag();
    qputenv(name, least);
    Environment::from_process();
    qputenv(name, less);
    VERIFY_THROWS("usage", name.toStdString(), Environment::from_process());
  }

  void firstGuessesAreNumbers() {
    QCOMPARE(told_contention(), 0.0);
    QCOMPARE(told_sync_time(), 0.0);
    qputenv(variable::kContention, "0.25");
    qputenv(variable::kSyncTime, "1e-3");
    QCOMPARE(told_contention(), 0.25);
    QCOMPARE(told_sync_time(), 1e-3);
    for (const char* value : {"-0.1", "much", "0.1x", "nan"}) {
      qputenv(variable::kContention, value);
      VERIFY_THROWS("usage", "BATCHSCOPE_CONTENTION=", told_contention());
      qputenv(variable::kSyncTime, value);
      VERIFY_THROWS("usage", "BATCHSCOPE_SYNC_TIME=", told_sync_time());
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
    row("a text of patience", QByteArray(variable::kMeetingTimeout), "soon");
    row("seconds and a text", QByteArray(variable::kMeetingTimeout), "90s");
    row("endless patience", QByteArray(variable::kMeetingTimeout), "inf");
    row("negative batch", QByteArray(variable::kMaxLocalBatchSize), "-1");
    row("policy", QByteArray(variable::kNonFinite), "pray");
    row("no threads", QByteArray(variable::kThreads), "0");
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
