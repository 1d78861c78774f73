// SPDX-License-Identifier: Apache-2.0
//
// A node's agent by itself, whoever calls it, and settings of nodes that make no sense.
#include <chrono>
#include <filesystem>
#include <set>

#include "lone_agent.h"
#include "nodes/frame.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
namespace fs = std::filesystem;

class TestNodeAgent : public Scenario {
  Q_OBJECT

  // Returns why a run that cannot start has failed.
  std::string failure() {
    const std::string id = start(1, {});
    if (!reaches(id, RunState::failed)) return "it did not fail: " + story(id);
    return catalogue().run(id)->message;
  }

 private Q_SLOTS:
  void init() {
    qunsetenv("TMPDIR");  // a test's own, below
    begin();
    qputenv("TMPDIR", file("").c_str());
  }
  void cleanup() {
    end();
    for (const char* name : {"BATCHSCOPE_NODES", "BATCHSCOPE_NODE_COMMAND", "BATCHSCOPE_NODE_TLS", "TMPDIR"})
      qunsetenv(name);
  }

  // Folders that have been there for a while are removed; one that a living agent has stays.
  void whatAKilledAgentHasLeftIsRemoved() {
    const auto folders = [&] {
      std::set<fs::path> found;
      for (const auto& entry : fs::directory_iterator(file("")))
        if (testing::holds(entry.path().filename().string(), "batchscope-node-")) found.insert(entry.path());
      return found;
    };
    const auto age = [&] {
      for (const fs::path& folder : folders())
        fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::seconds(60));
    };
    {
      LoneAgent killed;
      killed.process().kill();
      QVERIFY(killed.process().waitForFinished());
    }
    const std::set<fs::path> left = folders();
    QCOMPARE(left.size(), 1u);
    const fs::path other = file("other");  // which is as old, and not an agent's
    fs::create_directory(other);
    const fs::path foreign = file("batchscope-node-foreign");  // somebody else's, where this can be made
    const bool makes_foreign =
        geteuid() == 0 && fs::create_directory(foreign) && chown(foreign.c_str(), 1, 1) == 0;
    {
      const LoneAgent soon;
      QCOMPARE(folders().size(), makes_foreign ? 3u : 2u);  // it could be one that has just begun
      age();
      fs::last_write_time(other, fs::file_time_type::clock::now() - std::chrono::seconds(60));
      LoneAgent later;
      QCOMPARE(fs::exists(foreign), makes_foreign);
      fs::remove(foreign);
      QVERIFY(fs::exists(other));
      QCOMPARE(folders().size(), 2u);
      std::ptrdiff_t held = 0;  // no folder but its own
      for (const auto& entry :
           fs::directory_iterator("/proc/" + std::to_string(later.process().processId()) + "/fd")) {
        std::error_code gone;
        held += testing::holds(fs::read_symlink(entry, gone).string(), "batchscope-node-");
      }
      QCOMPARE(held, 1);
      QVERIFY(!folders().contains(*left.begin()));
    }
    QVERIFY(folders().empty());
  }

  void nonsenseIsNamed() {
    qputenv("BATCHSCOPE_NODES", "two");
    VERIFY_HOLDS(failure(), "BATCHSCOPE_NODES=two: expected a whole number from 1 to");
    qputenv("BATCHSCOPE_NODES", "2");
    qputenv("BATCHSCOPE_NODE_COMMAND", "");
    VERIFY_HOLDS(failure(), "BATCHSCOPE_NODES=2 needs BATCHSCOPE_NODE_COMMAND");
    qputenv("BATCHSCOPE_NODE_COMMAND", "/no/such/command serve");
    VERIFY_HOLDS(failure(), "cannot start /no/such/command (BATCHSCOPE_NODE_COMMAND): No such file");
    qputenv("BATCHSCOPE_NODE_TLS", "please");
    VERIFY_HOLDS(failure(), "BATCHSCOPE_NODE_TLS=please: expected yes or no");
  }

  void strangersAreHungUpOn() {
    const LoneAgent agent;
    QCOMPARE(agent.offer().node, std::string("n2"));
    QCOMPARE(agent.offer().address, std::string("127.0.0.2"));
    const std::string wrong =
        encode(FrameKind::hello, encode(NodeHello{std::string(64, 'b'), Caller::stand_in}));
    QCOMPARE(agent.answer_to(wrong), std::string());
    QCOMPARE(agent.answer_to(encode(FrameKind::order, "{}")), std::string());
    VERIFY_HOLDS(agent.answer_to("GET / HTTP/1.0\r\n\r\n"), "no frame of kind 71");
    VERIFY_HOLDS(agent.answer_to(encode(FrameKind::hello, std::string(kLongestHello + 1, 'x'))), "are read");
    VERIFY_HOLDS(agent.answer_to(encode(FrameKind::hello, R"({"version":99})")), "version 99");
  }

  void whoHasTheTokenIsToldWhatIsWrong() {
    const LoneAgent agent;
    const std::string hello =
        encode(FrameKind::hello, encode(NodeHello{LoneAgent::token(), Caller::stand_in}));
    VERIFY_HOLDS(agent.answer_to(hello + encode(FrameKind::order, encode(ReplicaOrder{}))),
                 "has not been told the program");
    VERIFY_HOLDS(agent.answer_to(hello + encode(FrameKind::signal, "{}")), "does not belong here");
    VERIFY_HOLDS(agent.answer_to(hello + encode(FrameKind::program, "{}")), "does not belong here");
  }

  void anAgentEndsWithItsInput() {
    LoneAgent agent;
    agent.process().closeWriteChannel();
    QVERIFY(agent.process().waitForFinished(10000));
    QCOMPARE(agent.process().exitCode(), 0);
  }
};

BATCHSCOPE_TEST(TestNodeAgent)
#include "test_node_agent.moc"
