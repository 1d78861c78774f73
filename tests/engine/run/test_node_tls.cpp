// SPDX-License-Identifier: Apache-2.0
//
// Encrypted lines between nodes: a run over them, what somebody on the way reads, and whose agent is left
// out.
#include <fstream>
#include <iterator>

#include "rows.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
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
