// SPDX-License-Identifier: Apache-2.0
//
// Collectives between real processes: results, order, and what each replica learns of another's failure.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>

#include "replicas.h"
#include "test_case.h"

using batchscope::protocol::Json;
using namespace batchscope::testing;

// Verifies what this replica found in each of its two calls: the first failure is final.
static void verify_failed(const Replica& replica, const char* kind, const std::vector<std::string>& parts) {
  for (const char* call : {"first", "second"}) {
    const Json& said = replica.said.at(call);
    QCOMPARE(said.value("kind", ""), std::string(kind));
    for (const std::string& part : parts) VERIFY_MESSAGE(said, part);
  }
}

class TestCollective : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyReplicaGetsTheSameResults_data() {
    QTest::addColumn<int>("replicas");
    for (int replicas : {1, 2, 3}) QTest::addRow("%d replicas", replicas) << replicas;
  }

  void everyReplicaGetsTheSameResults() {
    QFETCH(int, replicas);
    const auto all = run({"collective", {"everything"}, replicas});
    QVERIFY(all_ended(all));
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

  void differentCallsAreNamed() {
    const auto all = run({"collective", {"mismatch"}, 3});
    QVERIFY(all_ended(all));
    for (const Replica& replica : all)
      verify_failed(replica, "usage", {"replica 1 called sum 'apples'", "sum 'pears'"});
  }

  void differentLengthsAreNamed() {
    const auto all = run({"collective", {"lengths"}, 2});
    QVERIFY(all_ended(all));
    for (const Replica& replica : all) {
      VERIFY_MESSAGE(replica.said, "1 and 2 numbers");
    }
  }

  void aReplicaThatFailsIsNamed_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<int>("rank");
    QTest::addColumn<bool>("hangs");
    QTest::newRow("dead") << "death" << 1 << false;
    QTest::newRow("dead hub") << "hub-death" << 0 << false;
    QTest::newRow("hanging") << "hang" << 1 << true;
    QTest::newRow("hanging hub") << "hub-hang" << 0 << true;
  }
  void aReplicaThatFailsIsNamed() {
    QFETCH(QString, what);
    QFETCH(int, rank);
    QFETCH(bool, hangs);
    Launch launch{"collective", {what}, 3};
    if (hangs) launch.stopped = rank;
    const auto all = run(launch);
    const Replica& failed = all[static_cast<std::size_t>(rank)];
    QCOMPARE(failed.code, -1);
    QVERIFY2(failed.errors.endsWith("ended by a signal: Killed\n"), failed.errors.constData());
    for (int other = 0; other < 3; ++other)
      if (other != rank)
        verify_failed(all[static_cast<std::size_t>(other)], hangs ? "timeout" : "failure",
                      {"replica " + std::to_string(rank), hangs || rank > 0 ? "sum 'numbers'" : "replica 0"});
  }

  void aBarrierHasATimeoutOfItsOwn() {
    const auto all = run({"collective", {"late"}, 2});
    QVERIFY(all_ended(all));
    QCOMPARE(all[0].said["kind"].get<std::string>(), std::string("timeout"));
    VERIFY_MESSAGE(all[0].said, "replica 1 did not take part in barrier 'soon'");
  }

  // Two of three replicas start.
  void missingReplicaIsNamed() {
    Launch launch{"collective", {"hang"}, 2};
    launch.variables["ADAPTDL_NUM_REPLICAS"] = "3";
    for (const Replica& replica : run(launch)) {
      QCOMPARE(replica.said["error"].get<std::string>(), std::string("timeout"));
      VERIFY_MESSAGE(replica.said, "replica 2 did not appear");
    }
  }

  // OpenBLAS, where LibTorch runs on it, would wait in the first product for ever.
  void aNarrowAddressSpaceIsAnError() {
    const auto all = run({"collective", {"narrow"}, 1});
    QVERIFY(all_ended(all));
    if (!all[0].said.value("openblas", true)) QSKIP("LibTorch runs on another BLAS here");
    QCOMPARE(all[0].said.value("error", ""), std::string("io"));
    VERIFY_MESSAGE(all[0].said, "address space leaves no room");
  }

  // It was waiting for the others. Whoever made the folder to meet in removes it; nobody knows of another.
  void whatAKilledHubLeavesIsInTheRendezvous() {
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
    hub.start(QCoreApplication::applicationDirPath() + "/train-replica", {"collective", "hang"});
    const auto published = [&] {
      QFile store(meeting.filePath("hub-0"));
      return store.open(QIODevice::ReadOnly) && store.readAll().contains("hub");
    };
    QVERIFY(QTest::qWaitFor(published, 60'000));
    hub.kill();
    QVERIFY(hub.waitForFinished(60'000));
    QCOMPARE(QDir(temporary.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList());
  }

  // The exchange of tensors cannot tell who failed.
  void failureAmongGradientsIsNamed_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("kind");
    QTest::newRow("death") << "gradients-death"
                           << "failure";
    QTest::newRow("hang") << "gradients-hang"
                          << "timeout";
  }

  void failureAmongGradientsIsNamed() {
    QFETCH(QString, what);
    QFETCH(QString, kind);
    Launch launch{"collective", {what}, 3};
    launch.stopped = 1;
    const auto all = run(launch);
    for (const std::size_t rank : {0, 2}) {
      QCOMPARE(all[rank].said["kind"].get<std::string>(), kind.toStdString());
      VERIFY_MESSAGE(all[rank].said, "replica 1");
    }
  }
};

BATCHSCOPE_TEST(TestCollective)
#include "test_collective.moc"
