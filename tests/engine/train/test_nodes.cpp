// SPDX-License-Identifier: Apache-2.0
//
// Replicas that meet over the network: rendezvous, small collectives and gradients over TCP, the failures
// that they tell of, and how many nodes the performance model learns of.
#include <QFile>
#include <future>

#include "batchscope/protocol/manifest.h"
#include "replicas.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

class TestNodes : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void collectives_are_the_same_as_on_one() {
    const auto near = run({"collective", {"everything"}, 3});
    const auto far = run(on_two_nodes({"collective", {"everything"}, 3}));
    QVERIFY(all_ended(far));
    for (int rank = 0; rank < 3; ++rank)
      QCOMPARE(far[static_cast<std::size_t>(rank)].said.dump(),
               near[static_cast<std::size_t>(rank)].said.dump());
  }

  void a_place_given_by_the_program_wins() {
    Launch launch{"collective", {"everything"}, 2};
    launch.arguments << "tcp://127.0.0.1:" + QString::number(free_port());
    const auto all = run(launch);
    QVERIFY(all_ended(all));
    QCOMPARE(all[1].said["ordered"].get<std::string>(), std::string("0+1"));
    for (const char* bad : {"tcp://127.0.0.1", "tcp://127.0.0.1:0", "tcp://:1x", "udp://127.0.0.1:1"}) {
      const auto refused = run({"collective", {"everything", bad}, 1});
      QCOMPARE(refused[0].said["error"].get<std::string>(), std::string("usage"));
    }
  }

  void failures_name_the_rank() {
    const auto dead = run(on_two_nodes({"collective", {"death"}, 3}));
    for (const std::size_t rank : {0, 2}) {
      QCOMPARE(dead[rank].said["first"]["kind"].get<std::string>(), std::string("failure"));
      VERIFY_MESSAGE(dead[rank].said["first"], "replica 1");
    }
    Launch hang = on_two_nodes({"collective", {"hang"}, 2});
    hang.stopped = 1;
    QCOMPARE(run(hang)[0].said["first"]["kind"].get<std::string>(), std::string("timeout"));
    Launch missing = on_two_nodes({"collective", {"hang"}, 2});
    missing.variables["ADAPTDL_NUM_REPLICAS"] = "3";
    missing.variables[protocol::variable::kMeetingTimeout] = "3";
    for (const Replica& replica : run(missing)) {
      VERIFY_MESSAGE(replica.said, "replica 2 did not appear within 3 s");
      VERIFY_MESSAGE(replica.said, "ADAPTDL_MASTER_ADDR=127.0.0.1 is an address of this machine alone");
    }
  }

  void who_knows_the_secret_is_let_in() {
    Launch launch = on_two_nodes({"collective", {"everything"}, 3});
    launch.variables[protocol::variable::kRendezvousToken] = "a secret, of any length from 16 characters on";
    QVERIFY(all_ended(run(launch)));
    const Launch pair = on_two_nodes({"collective", {"everything"}, 1});
    const auto said = [&](int rank, const char* token) {
      Launch one = pair;
      one.variables[protocol::variable::kNumReplicas] = "2";
      one.variables[protocol::variable::kReplicaRank] = std::to_string(rank);
      one.variables[protocol::variable::kRendezvousToken] = token;
      one.variables[protocol::variable::kMeetingTimeout] = "5";
      return run(one)[0].said;
    };
    auto hub = std::async(std::launch::async, [&] { return said(0, "the secret of this run"); });
    const auto other = said(1, "the secret of that run");
    QCOMPARE(other["error"].get<std::string>(), std::string("failure"));
    VERIFY_MESSAGE(other, "replica 0 closed the connection");
    const auto waited = hub.get();
    VERIFY_MESSAGE(waited, "replica 1 did not appear");
  }

  void a_place_that_is_taken_or_missing_is_named() {
    Launch launch = on_two_nodes({"collective", {"everything"}, 1});
    launch.variables["ADAPTDL_NUM_REPLICAS"] = "2";
    launch.variables[protocol::variable::kMasterPort] = "";
    const auto nowhere = run(launch)[0].said;
    QCOMPARE(nowhere["error"].get<std::string>(), std::string("usage"));
    VERIFY_MESSAGE(nowhere, "ADAPTDL_MASTER_PORT");
  }

  void gradients_are_averaged_over_the_network() {
    const Launch near{"collective", {"gradients"}, 2};
    const auto here = run(near), there = run(on_two_nodes(near));
    QVERIFY(all_ended(there));
    for (const std::size_t rank : {0, 1}) {
      QCOMPARE(there[rank].said.at("weights").size(), 15u);
      QCOMPARE(there[rank].said.dump(), here[rank].said.dump());
      QVERIFY(there[rank].said == there[0].said);
    }
  }

  void the_profile_knows_the_number_of_nodes() {
    const QTemporaryDir directory;
    Launch launch = on_two_nodes({"loop", {"--dataset", "100", "--epochs", "1"}, 2});
    launch.variables[protocol::variable::kCheckpointPath] = directory.filePath("c").toStdString();
    QVERIFY(all_ended(run(launch)));
    const auto checkpoint = protocol::list_checkpoints(directory.filePath("c").toStdString()).front();
    QFile file(QString::fromStdString((checkpoint / "metrics").string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const Json rows = Json::parse(file.readAll().toStdString()).at("profile").at("rows");
    QCOMPARE(rows.size(), 1u);
    QCOMPARE(rows[0].at("nodes").get<int>(), 2);
    QCOMPARE(rows[0].at("replicas").get<int>(), 2);
  }
};

BATCHSCOPE_TEST(TestNodes)
#include "test_nodes.moc"
