// SPDX-License-Identifier: Apache-2.0
//
// Collectives between real processes: results, order, and what each replica learns of another's failure.
#include <QDir>
#include <QFile>

#include "replicas.h"
#include "test_case.h"

using batchscope::protocol::Json;
using namespace batchscope::testing;

class TestCollective : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyReplicaGetsTheSameResults_data();
  void everyReplicaGetsTheSameResults();
  void differentCallsAreNamed();
  void differentLengthsAreNamed();
  void deadReplicaIsNamed();
  void deadHubIsNamed();
  void hangingReplicaIsNamed();
  void hangingHubIsNamed();
  void aBarrierHasATimeoutOfItsOwn();
  void missingReplicaIsNamed();
  void aNarrowAddressSpaceIsAnError();
  void whatAKilledHubLeavesIsInTheRendezvous();
  void failureAmongGradientsIsNamed_data();
  void failureAmongGradientsIsNamed();
};

void TestCollective::everyReplicaGetsTheSameResults_data() {
  QTest::addColumn<int>("replicas");
  for (int replicas : {1, 2, 3}) QTest::addRow("%d replicas", replicas) << replicas;
}

void TestCollective::everyReplicaGetsTheSameResults() {
  QFETCH(int, replicas);
  const auto all = run({"train-collective-replica", {"everything"}, replicas});
  VERIFY_ENDED(all);
  std::string ordered = "0", first = "a0";
  Json lengths = {""};
  double sum = 0.1;
  for (int rank = 1; rank < replicas; ++rank) {
    ordered += "+" + std::to_string(rank);
    first += "+a" + std::to_string(rank);
    lengths.push_back(std::string(static_cast<std::size_t>(rank), 'x'));
    sum += 0.1 * (rank + 1);
  }
  for (const Replica& replica : all) {
    QCOMPARE(replica.said["ordered"].get<std::string>(), ordered);
    QCOMPARE(replica.said["broadcast"].get<std::string>(), std::string("of rank 0"));
    QVERIFY(replica.said["gather"] == lengths);
    QVERIFY(replica.said["sum"] == Json({sum, double(replicas)}));
    QCOMPARE(replica.said["max"].get<int>(), 0);
    QCOMPARE(replica.said["first"].get<std::string>(), first);
    QCOMPARE(replica.said["between"].get<double>(), double(replicas));
    Json gathered = Json::array(), ranks = Json::array();
    for (int rank = 0; rank < replicas; ++rank) {
      gathered.push_back({rank, "x" + std::to_string(rank)});
      ranks.push_back(rank);
    }
    const std::int64_t exact = replicas * (std::int64_t{1} << 53) + replicas * (replicas - 1) / 2;
    const Json best{{"loss", 1.0 / replicas}, {"rank", replicas - 1}};
    QVERIFY(replica.said["values"] == Json({{"exact", exact},
                                            {"any", true},
                                            {"best", best},
                                            {"sent", {{"rank", 0}}},
                                            {"gathered", gathered},
                                            {"later", ranks}}));
    QCOMPARE(replica.said["large"].get<int>(), 3'000'000);
    QCOMPARE(replica.said["twice"].get<std::string>(), std::string("usage"));
  }
}

#define VERIFY_FAILED(replica, kind_name, ...)                                         \
  for (const char* call : {"first", "second"}) {                                       \
    QCOMPARE((replica).said[call]["kind"].get<std::string>(), std::string(kind_name)); \
    const auto message = (replica).said[call]["message"].get<std::string>();           \
    for (const char* part : {__VA_ARGS__})                                             \
      QVERIFY2(message.find(part) != std::string::npos, message.c_str());              \
  }

void TestCollective::differentCallsAreNamed() {
  const auto all = run({"train-collective-replica", {"mismatch"}, 3});
  VERIFY_ENDED(all);
  for (const Replica& replica : all)
    VERIFY_FAILED(replica, "usage", "replica 1 called sum 'apples'", "sum 'pears'");
}

void TestCollective::differentLengthsAreNamed() {
  const auto all = run({"train-collective-replica", {"lengths"}, 2});
  VERIFY_ENDED(all);
  for (const Replica& replica : all) {
    const auto message = replica.said["message"].get<std::string>();
    QVERIFY2(message.find("1 and 2 numbers") != std::string::npos, message.c_str());
  }
}

void TestCollective::deadReplicaIsNamed() {
  const auto all = run({"train-collective-replica", {"death"}, 3});
  QCOMPARE(all[1].code, -1);
  for (const int rank : {0, 2})
    VERIFY_FAILED(all[static_cast<std::size_t>(rank)], "failure", "replica 1", "sum 'numbers'");
}

void TestCollective::deadHubIsNamed() {
  const auto all = run({"train-collective-replica", {"hub-death"}, 3});
  QCOMPARE(all[0].code, -1);
  QVERIFY2(all[0].errors.endsWith("ended by a signal: Killed\n"), all[0].errors.constData());
  for (const int rank : {1, 2}) VERIFY_FAILED(all[static_cast<std::size_t>(rank)], "failure", "replica 0");
}

void TestCollective::hangingReplicaIsNamed() {
  Launch launch{"train-collective-replica", {"hang"}, 3};
  launch.stopped = 1;
  const auto all = run(launch);
  for (const int rank : {0, 2})
    VERIFY_FAILED(all[static_cast<std::size_t>(rank)], "timeout", "replica 1", "sum 'numbers'");
}

void TestCollective::hangingHubIsNamed() {
  Launch launch{"train-collective-replica", {"hub-hang"}, 3};
  launch.stopped = 0;
  const auto all = run(launch);
  for (const int rank : {1, 2})
    VERIFY_FAILED(all[static_cast<std::size_t>(rank)], "timeout", "replica 0", "sum 'numbers'");
}

void TestCollective::aBarrierHasATimeoutOfItsOwn() {
  const auto all = run({"train-collective-replica", {"late"}, 2});
  VERIFY_ENDED(all);
  QCOMPARE(all[0].said["kind"].get<std::string>(), std::string("timeout"));
  const auto message = all[0].said["message"].get<std::string>();
  QVERIFY2(message.find("replica 1 did not take part in barrier 'soon'") != std::string::npos,
           message.c_str());
}

// Two of three replicas start.
void TestCollective::missingReplicaIsNamed() {
  Launch launch{"train-collective-replica", {"hang"}, 2};
  launch.variables["ADAPTDL_NUM_REPLICAS"] = "3";
  for (const Replica& replica : run(launch)) {
    QCOMPARE(replica.said["error"].get<std::string>(), std::string("timeout"));
    const auto message = replica.said["message"].get<std::string>();
    QVERIFY2(message.find("replica 2 did not appear") != std::string::npos, message.c_str());
  }
}

// OpenBLAS, where LibTorch runs on it, would wait in the first product for ever.
void TestCollective::aNarrowAddressSpaceIsAnError() {
  const auto all = run({"train-collective-replica", {"narrow"}, 1});
  VERIFY_ENDED(all);
  if (!all[0].said.value("openblas", true)) QSKIP("LibTorch runs on another BLAS here");
  QCOMPARE(all[0].said.value("error", ""), std::string("io"));
  const auto message = all[0].said["message"].get<std::string>();
  QVERIFY2(message.find("address space leaves no room") != std::string::npos, message.c_str());
}

// It was waiting for the others. Whoever made the folder to meet in removes it; nobody knows of another.
void TestCollective::whatAKilledHubLeavesIsInTheRendezvous() {
  const QTemporaryDir meeting, temporary;
  batchscope::protocol::Environment environment;
  environment.num_replicas = 2;
  environment.rendezvous_dir = meeting.path().toStdString();
  QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
  for (const auto& [name, value] : environment.to_variables())
    variables.insert(QString::fromStdString(name), QString::fromStdString(value));
  variables.insert("TMPDIR", temporary.path());
  QProcess hub;
  hub.setProcessEnvironment(variables);
  hub.start(QCoreApplication::applicationDirPath() + "/train-collective-replica", {"hang"});
  const auto published = [&] {
    QFile store(meeting.filePath("hub-0"));
    return store.open(QIODevice::ReadOnly) && store.readAll().contains("star");
  };
  QVERIFY(QTest::qWaitFor(published, 60'000));
  hub.kill();
  QVERIFY(hub.waitForFinished(60'000));
  QCOMPARE(QDir(temporary.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList());
}

// The exchange of tensors cannot tell who failed.
void TestCollective::failureAmongGradientsIsNamed_data() {
  QTest::addColumn<QString>("what");
  QTest::addColumn<QString>("kind");
  QTest::newRow("death") << "gradients-death"
                         << "failure";
  QTest::newRow("hang") << "gradients-hang"
                        << "timeout";
}
void TestCollective::failureAmongGradientsIsNamed() {
  QFETCH(QString, what);
  QFETCH(QString, kind);
  Launch launch{"train-collective-replica", {what}, 3};
  launch.stopped = 1;
  const auto all = run(launch);
  for (const std::size_t rank : {0, 2}) {
    QCOMPARE(all[rank].said["kind"].get<std::string>(), kind.toStdString());
    const auto message = all[rank].said["message"].get<std::string>();
    QVERIFY2(message.find("replica 1") != std::string::npos, message.c_str());
  }
}

BATCHSCOPE_TEST(TestCollective)
#include "test_collective.moc"
