// SPDX-License-Identifier: Apache-2.0
//
// Encrypted lines between nodes: a run over them, what somebody on the way reads, and who is kept out.
#include <QSslCipher>
#include <QSslSocket>
#include <fstream>
#include <iterator>

#include "lone_agent.h"
#include "nodes/agent_line.h"
#include "nodes/blocking_line.h"
#include "nodes/frame.h"
#include "nodes/tls_line.h"
#include "rows.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;
namespace fs = std::filesystem;

namespace {

const std::string kOtherToken(64, 'b');

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns whether the agent and this socket agree on TLS.
bool agrees(const LoneAgent& agent, QSslSocket& socket) {
  if (!agent.connect(socket)) return false;
  socket.startClientEncryption();
  return socket.waitForEncrypted(10000);
}

}  // namespace

class TestNodeTls : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    begin();
    qputenv("BATCHSCOPE_NODES", "2");
  }
  void cleanup() { end(); }
  void cleanupTestCase() {
    qunsetenv("BATCHSCOPE_NODES");
    qunsetenv("BATCHSCOPE_NODE_COMMAND");
  }

  // The row without TLS shows that the wire is heard.
  void whatIsOnTheWire_data() {
    const auto row = testing::columns<bool>({"tls"});
    row("plain", false);
    row("encrypted", true);
  }
  void whatIsOnTheWire() {
    QFETCH(bool, tls);
    const fs::path wire = file("wire");
    const std::string command = BATCHSCOPE_WIRE " " + wire.string() +
                                " " BATCHSCOPE_TEST_BIN
                                "/batchscope-node serve --name n2 --listen 127.0.0.2 --apart";
    qputenv("BATCHSCOPE_NODE_COMMAND", command.c_str());
    protocol::RunSpec spec = spec_of(1, {"--steps", "100000", "--checkpoint-every", "10"});
    spec.tls = tls;
    const std::string id = start(spec);
    VERIFY_RUN(trains(id, 1));
    for (const std::string device : {"n2/cpu:0", "cpu:0", "n2/cpu:0"}) {
      const auto generations = catalogue().generations(id).size();
      VERIFY_RUN(eventually([&] { return has_checkpoint_of(id, generations - 1); }));
      protocol::Request move;
      move.command = Command::rescale;
      move.devices = {device};
      request(id, move, 20000);
      VERIFY_RUN(eventually([&] {
        const auto now = catalogue().generations(id);
        return now.size() > generations && !now.back().checkpoint.empty();
      }));
    }
    VERIFY_RUN(stops(id));
    QVERIFY(story(id).find("went back to step") == std::string::npos);
    const std::string heard = bytes_of(wire);
    QVERIFY(heard.size() > 1000);
    for (const std::string part :
         {"fake-replica", "BATCHSCOPE_DB", "\"token\"", "checkpoint-", "asked to leave"})
      QVERIFY2((heard.find(part) == std::string::npos) == tls, part.c_str());
  }

  void anAgentWithoutTlsIsLeftOut() {
    const fs::path older = file("older.sh");
    std::ofstream(older)
        << "#!/bin/sh\nread -r welcome\n(echo \"$welcome\" | sed s/true/false/; cat) | " BATCHSCOPE_TEST_BIN
           "/batchscope-node serve --name n2 --listen 127.0.0.2\n";
    fs::permissions(older, fs::perms::owner_all);
    qputenv("BATCHSCOPE_NODE_COMMAND", older.c_str());
    protocol::RunSpec spec = spec_of(2, {"--steps", "30"});
    spec.tls = true;
    const std::string id = start(spec);
    VERIFY_RUN(reaches(id, RunState::finished));
    VERIFY_HOLDS(
        story(id),
        "node n2 is left out: its agent does not encrypt its lines, which --tls asks for; use the same "
        "batchscope on all nodes",
        "the present nodes have room for 1 replica, not for 2");
  }

  void strangersAgreeOnNothing() {
    const LoneAgent agent(true);
    QVERIFY(agent.offer().tls);
    // A line of TLS says as much to somebody who does not speak it: at most an alert, of seven bytes.
    const std::string hello =
        encode(FrameKind::hello, encode(NodeHello{LoneAgent::token(), Caller::supervisor}));
    QVERIFY(agent.answer_to(hello).size() <= 7);
    QVERIFY(!agrees(agent, *make_tls_socket(kOtherToken)));
    QSslSocket browser;
    browser.setPeerVerifyMode(QSslSocket::VerifyNone);
    QVERIFY(!agrees(agent, browser));
  }

  void whoHasTheTokenSpeaks() {
    const LoneAgent agent(true);
    const auto socket = make_tls_socket(LoneAgent::token());
    QVERIFY2(agrees(agent, *socket), qPrintable(socket->errorString()));
    QCOMPARE(socket->sessionCipher().name(), QString("ECDHE-PSK-CHACHA20-POLY1305"));
    const std::string frames =
        encode(FrameKind::hello, encode(NodeHello{LoneAgent::token(), Caller::stand_in})) +
        encode(FrameKind::signal, "{}");
    socket->write(frames.data(), static_cast<qint64>(frames.size()));
    while (socket->state() == QAbstractSocket::ConnectedState && socket->waitForReadyRead(10000)) {
    }
    VERIFY_HOLDS(socket->readAll().toStdString(), "does not belong here");
  }

  void anAgentThatHasAnotherSecretIsNotBelieved() {
    const LoneAgent agent(true);
    AgentLine line(agent.offer(), kOtherToken);
    std::string lost;
    bool connected = false;
    line.on_lost = [&](const std::string& why) { lost = why; };
    line.on_connected = [&] { connected = true; };
    QVERIFY(eventually([&] { return !lost.empty(); }));
    VERIFY_HOLDS(lost, "the two ends did not agree on TLS, as where one of them has another secret");
    QVERIFY(!connected);
  }

  void aSupervisorsLineStands() {
    const LoneAgent agent(true);
    AgentLine line(agent.offer(), LoneAgent::token());
    QVERIFY(eventually([&] { return line.clock_offset() != 0; }));
    QVERIFY(line.stands());
  }

 private:
  bool has_checkpoint_of(const std::string& id, std::size_t generation) {
    const auto checkpoints = catalogue().checkpoints(id);
    return std::any_of(checkpoints.begin(), checkpoints.end(), [&](const auto& checkpoint) {
      return checkpoint.generation == static_cast<int>(generation);
    });
  }
};

BATCHSCOPE_TEST(TestNodeTls)
#include "test_node_tls.moc"
