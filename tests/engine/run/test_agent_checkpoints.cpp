// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints on the lines to an agent whose node does not see the run's folder: those that its replicas
// begin with, and those that they write.
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "agent_caller.h"
#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/unix_address.h"
#include "nodes/checkpoint_exchange.h"
#include "nodes/checkpoint_transfer.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestAgentCheckpoints : public AgentTest {
  Q_OBJECT

  static std::string variable_in(const std::string& output, const std::string& name) {
    const auto at = ("\n" + output).find("\n" + name + "=");
    if (at == std::string::npos) return "none";
    const auto begin = at + name.size() + 1;
    return output.substr(begin, output.find('\n', begin) - begin);
  }
  // Makes a checkpoint that a run might have.
  static std::string make_checkpoint(const fs::path& parent) {
    protocol::Manifest manifest;
    manifest.step = 40;
    const fs::path folder = parent / "checkpoint-000003";
    fs::create_directory(parent);
    protocol::write_checkpoint(folder, manifest, [&](const fs::path& partial) {
      testing::write_file(partial / "model", "the state");
      manifest.files = {{"model", 9, protocol::file_crc32(partial / "model")}};
    });
    return folder;
  }
  static void send_checkpoint(AgentCaller& replica, const std::string& folder) {
    CheckpointSender sender(folder);
    replica.send(FrameKind::checkpoint, sender.announcement());
    for (std::string bytes = sender.next(); !bytes.empty(); bytes = sender.next())
      replica.send(FrameKind::state, bytes);
  }

 private Q_SLOTS:
  void init() { begin(); }

  void aNodeWhoseCheckpointsCannotBeReadSaysSo() {
    const LoneAgent agent(false, {"--apart"});
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    AgentCaller replica(agent, Caller::stand_in), next(agent, Caller::stand_in);
    replica.send(FrameKind::offer, encode(OfferedCheckpoint{}));
    replica.next(FrameKind::wanted);
    replica.send(FrameKind::order, encode(script("rmdir \"$ADAPTDL_CHECKPOINT_PATH\" && echo > "
                                                 "\"$ADAPTDL_CHECKPOINT_PATH\"")));
    QCOMPARE(replica.output_and_end().second, 0);
    VERIFY_HOLDS(refusal(next, FrameKind::offer, encode(OfferedCheckpoint{})), "checkpoints",
                 "Not a directory");
  }

  // A node that does not see the run's checkpoints has a folder of its own.
  void aReplicaApartHasAFolderOfItsOwn() {
    const LoneAgent agent(false, {"--apart"});
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    ReplicaOrder order = script("env; [ -d \"$ADAPTDL_SHARE_PATH\" ] && echo shared");
    order.environment.insert({{"ADAPTDL_CHECKPOINT_PATH", "/checkpoints"},
                              {"ADAPTDL_SHARE_PATH", "/share"},
                              {"ADAPTDL_TENSORBOARD_LOGDIR", "/tensorboard"}});
    AgentCaller early(agent, Caller::stand_in);
    QCOMPARE(refusal(early, FrameKind::order, encode(order)), "an order before the checkpoints were settled");
    for (int i = 0; i < 2; ++i) {
      AgentCaller replica(agent, Caller::stand_in);
      replica.send(FrameKind::offer, encode(OfferedCheckpoint{}));
      QVERIFY(!decode_wanted(replica.next(FrameKind::wanted)));
      replica.send(FrameKind::order, encode(order));
      const auto [output, status] = replica.output_and_end();
      QCOMPARE(status, 0);
      const std::string checkpoints = variable_in(output, "ADAPTDL_CHECKPOINT_PATH");
      VERIFY_HOLDS(checkpoints, "/batchscope-node-", "/checkpoints");
      QCOMPARE(variable_in(output, "ADAPTDL_SHARE_PATH"),
               fs::path(checkpoints).replace_filename("share").string());
      QCOMPARE(variable_in(output, "ADAPTDL_TENSORBOARD_LOGDIR"), "none");
      VERIFY_HOLDS(output, "shared\n");
    }
  }

  // One sends it, the others wait for that, and where it does not come, the next one sends it.
  void aCheckpointComesOnceForAllReplicasOfANode() {
    const std::string checkpoint = make_checkpoint(file("checkpoints"));
    const std::string offer = encode(CheckpointExchange(file("checkpoints"), {}).offer());
    const LoneAgent agent(false, {"--apart"});
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    AgentCaller gone(agent, Caller::stand_in), bad(agent, Caller::stand_in), good(agent, Caller::stand_in),
        last(agent, Caller::stand_in);
    for (AgentCaller* const replica : {&gone, &gone, &bad, &good, &last}) {  // who asks again is told again
      replica->send(FrameKind::offer, offer);
      if (replica == &gone) QVERIFY(decode_wanted(replica->next(FrameKind::wanted)));
    }
    AgentCaller behind(agent, Caller::stand_in);  // when it is heard, all of these have been
    refusal(behind, FrameKind::signal, "{}");
    gone.hang_up();
    QVERIFY(decode_wanted(bad.next(FrameKind::wanted)));
    bad.send(FrameKind::state, "of no checkpoint");  // which is passed over
    QCOMPARE(refusal(bad, FrameKind::checkpoint, R"({"name":"checkpoint-000003","manifest_bytes":0})"),
             "checkpoint-000003 is announced without a manifest");
    const News news = decode_news(supervisor.next(FrameKind::news));
    QCOMPARE(news.level, "error");
    QCOMPARE(news.text,
             "it cannot take the checkpoint that it is to begin with: checkpoint-000003 is announced without "
             "a manifest");
    QVERIFY(decode_wanted(good.next(FrameKind::wanted)));
    good.send(FrameKind::checkpoint, CheckpointSender(checkpoint).announcement());  // and once more
    send_checkpoint(good, checkpoint);
    QVERIFY(!decode_wanted(last.next(FrameKind::wanted)));
    for (AgentCaller* const replica : {&good, &last}) {
      replica->send(FrameKind::order, encode(script("cd \"$ADAPTDL_CHECKPOINT_PATH\"; echo *; cat */model")));
      QCOMPARE(replica->output_and_end().first, "checkpoint-000003\nthe state");
    }
  }

  // An agent does not wait for a checkpoint that nobody takes any more.
  void anAgentEndsThoughItsStandInHasGone() {
    LoneAgent agent(false, {"--apart"});
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    ReplicaOrder order = script("echo \"$BATCHSCOPE_TELEMETRY_SOCKET\"; sleep 1000 & wait");
    order.environment["BATCHSCOPE_TELEMETRY_SOCKET"] = "/of/the/supervisor";
    AgentCaller replica(agent, Caller::stand_in);
    replica.send(FrameKind::offer, encode(OfferedCheckpoint{}));
    replica.next(FrameKind::wanted);
    replica.send(FrameKind::order, encode(order));
    std::string path = replica.next(FrameKind::output);
    path.pop_back();
    const fs::path checkpoint =
        fs::path(path).parent_path().parent_path() / "checkpoints" / "checkpoint-000001";
    constexpr std::int64_t kBytes = 64'000'000;  // more than the system keeps of a line
    testing::write_file(checkpoint / "model", "");
    fs::resize_file(checkpoint / "model", kBytes);
    protocol::Manifest manifest;
    manifest.files = {{"model", kBytes, 0}};
    protocol::write_manifest(checkpoint, manifest);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = protocol::unix_address(path);
    QCOMPARE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const std::string words =
        protocol::encode(protocol::CheckpointWritten{.name = "checkpoint-000001", .reason = "manual"});
    QCOMPARE(::send(fd, words.data(), words.size(), 0), std::ssize(words));
    replica.next(FrameKind::checkpoint);
    replica.hang_up();
    agent.process().closeWriteChannel();
    QVERIFY(agent.process().waitForFinished(20000));
    QCOMPARE(agent.process().exitCode(), 0);
    close(fd);
  }

  // Before the words that tell of it; a checkpoint that cannot be sent is told apart.
  void whatAReplicaWritesIsSentBeforeItIsToldOf() {
    const LoneAgent agent(false, {"--apart"});
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    ReplicaOrder order =
        script("echo \"$BATCHSCOPE_TELEMETRY_SOCKET\"; trap 'exit 7' TERM; sleep 1000 & wait");
    order.environment["BATCHSCOPE_TELEMETRY_SOCKET"] = "/of/the/supervisor";
    AgentCaller replica(agent, Caller::stand_in);
    replica.send(FrameKind::offer, encode(OfferedCheckpoint{}));
    replica.next(FrameKind::wanted);
    replica.send(FrameKind::order, encode(order));
    std::string path = replica.next(FrameKind::output);
    path.pop_back();
    const fs::path checkpoints = fs::path(path).parent_path().parent_path() / "checkpoints";
    const fs::path written = make_checkpoint(checkpoints);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = protocol::unix_address(path);
    QCOMPARE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const auto say = [fd](const std::string& words) {
      return ::send(fd, words.data(), words.size(), 0) == std::ssize(words);
    };
    const auto told = [&](FrameKind kind) {
      const std::string bytes = replica.next(kind);
      return std::string(decode_telemetry(bytes).bytes);
    };
    const auto line_of = [](const std::string& name) {
      return protocol::encode(protocol::CheckpointWritten{.name = name, .reason = "manual"});
    };
    const std::string before = protocol::encode(protocol::Restored{0, "checkpoint-000001", 3, 1}),
                      good = line_of("checkpoint-000003");
    QVERIFY(say(before + good.substr(0, 5)));
    QCOMPARE(told(FrameKind::telemetry), before);
    QVERIFY(say(good.substr(5) + before));
    CheckpointReceiver receiver(file("."), replica.next(FrameKind::checkpoint), true);
    while (!receiver.take(replica.next(FrameKind::state))) {
    }
    QCOMPARE(testing::contents(file("checkpoint-000003") + "/model"), "the state");
    QCOMPARE(told(FrameKind::written), good);
    QCOMPARE(told(FrameKind::telemetry), before);

    for (const auto& [name, why] :
         {std::pair("checkpoint-000004", "checkpoint-000004"),
          {"../checkpoint-000003", "'../checkpoint-000003' is not a name of a checkpoint"}}) {
      QVERIFY(say(line_of(name)));
      VERIFY_HOLDS(replica.next(FrameKind::spoilt), why);
      QCOMPARE(told(FrameKind::written), line_of(name));
    }
    fs::resize_file(written / "model", 3);
    QVERIFY(say(good));
    QCOMPARE(replica.await(FrameKind::spoilt), "model is shorter than its manifest says");
    QCOMPARE(told(FrameKind::written), good);
    close(fd);
    QCOMPARE(told(FrameKind::telemetry), "");
    replica.send(FrameKind::signal, encode(HandedSignal{SIGTERM, 0}));
    QCOMPARE(replica.output_and_end().second, W_EXITCODE(7, 0));
  }
};

BATCHSCOPE_TEST(TestAgentCheckpoints)
#include "test_agent_checkpoints.moc"
