// SPDX-License-Identifier: Apache-2.0
//
// Replicas on other nodes, with real processes: agents on this machine, at addresses of loopback of their
// own.
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "batchscope/protocol/manifest.h"
#include "batchscope/storage/samples.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

class TestNodes : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    qunsetenv("TMPDIR");  // a test's own, below
    begin();
    const std::string command = BATCHSCOPE_TEST_BIN "/batchscope-node serve --name n2 --listen 127.0.0.2";
    qputenv("TMPDIR", file("").c_str());
    qputenv("BATCHSCOPE_NODES", "2");
    qputenv("BATCHSCOPE_NODE_COMMAND", command.c_str());
    qunsetenv("BATCHSCOPE_REPLICAS_PER_NODE");
    qunsetenv("BATCHSCOPE_NODE_TLS");
    qunsetenv("BATCHSCOPE_FORK_SERVER");
  }
  void cleanup() {
    end();
    QVERIFY(eventually([&] { return processes().empty(); }));
  }
  void cleanupTestCase() {
    for (const char* name : {"BATCHSCOPE_NODES", "BATCHSCOPE_NODE_COMMAND", "BATCHSCOPE_REPLICAS_PER_NODE",
                             "BATCHSCOPE_NODE_TLS", "BATCHSCOPE_FORK_SERVER", "TMPDIR"})
      qunsetenv(name);
  }

  void aReplicaOfAnotherNodeTrainsAndIsAskedToLeave() {
    const std::string id = train(2);
    VERIFY_RUN(tells(id, "training on 2 replicas, forked"));
    const auto devices = ask(id, Command::status)["devices"].get<std::vector<std::string>>();
    QVERIFY(std::find(devices.begin(), devices.end(), "n2/cpu:0") != devices.end());
    ask(id, Command::rescale, 1);
    VERIFY_RUN(trains(id, 1));
    QVERIFY2(eventually([&] { return has(log(id, 0, 1), "asked to leave with 1\n"); }),
             ("0: " + log(id, 0, 0) + " 1: " + log(id, 0, 1)).c_str());
    ask(id, Command::rescale, 2);
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(stops(id));
    QVERIFY(has(log(id, 2, 1), "asked to leave with 0\n"));
    QVERIFY(eventually([&] { return processes().empty(); }));
    for (const auto& left : fs::directory_iterator(file("")))
      QVERIFY2(!has(left.path().filename(), "batchscope-node"), left.path().c_str());
  }

  void whatReplicasOfAnotherNodeUseIsRecorded() {
    const std::string id = train(2);
    VERIFY_RUN(eventually([&] {
      storage::SampleReader samples(protocol::run_paths(id).samples);
      return !samples.read("device/cpu/1", 0).empty() && samples.read("device/memory/1", 0).size() > 1;
    }));
    storage::SampleReader samples(protocol::run_paths(id).samples);
    for (const storage::Sample& sample : samples.read("device/memory/1", 0)) QVERIFY(sample.value > 1e5);
    QVERIFY(!samples.read("device/memory/0", 0).empty());
    VERIFY_RUN(stops(id));
  }

  void moreThanTheNodesTakeIsRefusedWithTheNumbers() {
    const std::string id = train(2);
    VERIFY_HOLDS(testing::thrown_by([&] { ask(id, Command::rescale, 3); }),
                 "conflict: 3 replicas on 2 nodes with 1 each: at most 2");
    QVERIFY(trains(id, 2));
    VERIFY_RUN(stops(id));
  }

  void severalReplicasANode() {
    qputenv("BATCHSCOPE_REPLICAS_PER_NODE", "2");
    const std::string id = train(3);
    const auto devices = ask(id, Command::status)["devices"].get<std::vector<std::string>>();
    QCOMPARE(std::count(devices.begin(), devices.end(), "n2/cpu:0"), 1);
    VERIFY_HOLDS(testing::thrown_by([&] { ask(id, Command::rescale, 5); }), "at most 4");
    VERIFY_RUN(stops(id));
  }

  void aRunIsMovedToDevicesOfAnotherNode() {
    const std::string id = train(1);
    move(id, {"n2/cpu:0"});
    VERIFY_RUN(tells(id, "restarted on 1 replica in"));
    QCOMPARE(devices_of(id), (std::vector<std::string>{"n2/cpu:0"}));
    move(id, {"cpu:0", "n2/cpu:0"});
    VERIFY_RUN(trains(id, 2));
    VERIFY_HOLDS(testing::thrown_by([&] { move(id, {"n7/cpu:0"}); }),
                 "conflict: n7/cpu:0 cannot be used: node n7 is not there");
    VERIFY_HOLDS(testing::thrown_by([&] { move(id, {"n2/cpu:123456"}); }),
                 "node n2: this machine has no cpu:123456");
    QVERIFY(trains(id, 2));
    ::kill(agent().pid, SIGKILL);
    VERIFY_RUN(tells(id, "node n2 is gone"));
    VERIFY_RUN(trains(id, 1));
    QCOMPARE(devices_of(id), (std::vector<std::string>{"cpu:0"}));
    VERIFY_RUN(stops(id));
  }

  void checkpointsOfANodeApartAreHandedOver() {
    const std::string command =
        BATCHSCOPE_TEST_BIN "/batchscope-node serve --name n2 --listen 127.0.0.2 --apart";
    qputenv("BATCHSCOPE_NODE_COMMAND", command.c_str());
    const std::string id = train(1, {"--checkpoint-every", "10"});
    VERIFY_RUN(tells(id, "node n2 does not see the run's checkpoints"));
    const auto has_checkpoint_of = [&](int generation) {
      const auto checkpoints = catalogue().checkpoints(id);
      return std::any_of(checkpoints.begin(), checkpoints.end(),
                         [&](const auto& checkpoint) { return checkpoint.generation == generation; });
    };
    int generation = 0;
    for (const std::string device : {"n2/cpu:0", "cpu:0", "n2/cpu:0"}) {
      VERIFY_RUN(eventually([&] { return has_checkpoint_of(generation); }));
      move(id, {device});
      ++generation;
      VERIFY_RUN(eventually([&] {
        const auto generations = catalogue().generations(id);
        return std::ssize(generations) > generation &&
               !generations[static_cast<std::size_t>(generation)].checkpoint.empty();
      }));
    }
    VERIFY_RUN(eventually([&] { return has_checkpoint_of(generation); }));
    QVERIFY(!has(story(id), "went back to step"));
    VERIFY_RUN(stops(id));
    const auto checkpoints = protocol::list_checkpoints(protocol::run_paths(id).checkpoints);
    QCOMPARE(checkpoints.size(), 2u);
    for (const fs::path& checkpoint : checkpoints)
      QVERIFY(testing::thrown_by([&] { protocol::verify_checkpoint(checkpoint); }) == "nothing was thrown");
  }

  // A program in ssh's place that runs the command here, as though ssh had come by the node's own address.
  void severalNodesAreStartedByOneCommand() {
    const fs::path ssh = file("ssh");
    std::ofstream(ssh) << "#!/bin/sh\nhost=$1; shift\n"
                          "SSH_CONNECTION=\"127.0.0.1 1 127.0.0.${host#host} 22\" exec \"$@\"\n";
    fs::permissions(ssh, fs::perms::owner_all);
    const std::string command =
        BATCHSCOPE_TEST_BIN "/batchscope-node each --by " + ssh.string() + " n2=host2 n3=host3";
    qputenv("BATCHSCOPE_NODES", "3");
    qputenv("BATCHSCOPE_NODE_COMMAND", command.c_str());
    const std::string id = train(3);
    const auto devices = devices_of(id);
    for (const char* device : {"n2/cpu:0", "n3/cpu:0"})
      QVERIFY(std::find(devices.begin(), devices.end(), device) != devices.end());
    VERIFY_RUN(stops(id));
    QVERIFY(eventually([&] { return processes().empty(); }));
  }

  void aNodeThatCannotBeReachedIsNamed() {
    const std::string command = BATCHSCOPE_TEST_BIN "/batchscope-node each --by /bin/false n2 n3";
    qputenv("BATCHSCOPE_NODES", "3");
    qputenv("BATCHSCOPE_NODE_COMMAND", command.c_str());
    const std::string id = start(3, {"--steps", "30"});
    VERIFY_RUN(reaches(id, RunState::finished));
    VERIFY_HOLDS(story(id), "the command that starts agents ended early, with exit code 1");
    for (const char* node : {"n2", "n3"})
      VERIFY_HOLDS(text_of(protocol::run_paths(id).root / "supervisor.log"),
                   std::string("the command for node ") + node + " ended with exit code 1");
  }

  void anExitCodeComesBack() {
    const std::string id = start(crashing({"--crash-code", "9"}));
    VERIFY_RUN(tells(id, "rank 1 ended with exit code 9"));
    QVERIFY(has(log(id, 0, 1), "crashing as told"));
    VERIFY_RUN(reaches(id, RunState::failed));
  }

  void aSignalComesBack() {
    const std::string id = start(crashing({}));
    VERIFY_RUN(tells(id, "rank 1 was killed by signal 9 (SIGKILL)"));
    VERIFY_RUN(reaches(id, RunState::failed));
    QVERIFY(!has(story(id), "node n2 is gone"));
  }

  void nodesThatDoNotComeAreDoneWithout() {
    qputenv("BATCHSCOPE_NODE_COMMAND", "/bin/false");
    const std::string id = start(2, {"--steps", "30"});
    VERIFY_RUN(reaches(id, RunState::finished));
    VERIFY_HOLDS(story(id), "the command that starts agents ended early, with exit code 1",
                 "the present nodes have room for 1 replica, not for 2");
  }

  void aKilledStandInTakesItsReplicaAlong() {
    qputenv("BATCHSCOPE_FORK_SERVER", "off");
    const std::string id = train(2);
    const auto trainers = both_trainers();
    ::kill(replicas(id)[1].pid, SIGKILL);
    VERIFY_RUN(tells(id, "rank 1 was killed by signal 9 (SIGKILL)"));
    QVERIFY(eventually([&] {
      return std::none_of(trainers.begin(), trainers.end(),
                          [](const ProcessId& one) { return is_alive(one); });
    }));
    VERIFY_RUN(tells(id, "restarted on 2 replicas in"));
    VERIFY_RUN(stops(id));
  }

  void aNodeWhoseAgentIsKilledIsGone() {
    const std::string id = start(2, {"--steps", "100000", "--checkpoint-every", "10"});
    QVERIFY(eventually([&] { return !catalogue().checkpoints(id).empty(); }));
    ::kill(agent().pid, SIGKILL);
    VERIFY_RUN(tells(id, "node n2 is gone: its agent's line closed"));
    VERIFY_RUN(tells(id, "restarted on 1 replica in"));
    QCOMPARE(catalogue().generations(id)[0].outcome, std::string("crashed: rank 1, node lost"));
    VERIFY_HOLDS(testing::thrown_by([&] { ask(id, Command::rescale, 2); }),
                 "2 replicas on 1 node with 1 each: at most 1");
    VERIFY_RUN(stops(id));
  }

  void aNodeThatIsSilentIsGone() {
    const std::string id = start(2, {"--steps", "100000", "--checkpoint-every", "10"});
    QVERIFY(eventually([&] { return !catalogue().checkpoints(id).empty(); }));
    const ProcessId silent = agent();
    ::kill(silent.pid, SIGSTOP);
    VERIFY_RUN(tells(id, "node n2 is gone: it has not been heard for 10 s"));
    VERIFY_RUN(tells(id, "restarted on 1 replica in"));
    ::kill(silent.pid, SIGCONT);
    QVERIFY(eventually([&] { return !is_alive(silent); }));
    VERIFY_RUN(stops(id));
  }

  void nothingIsLeftOfAKilledSupervisor() {
    qputenv("BATCHSCOPE_FORK_SERVER", "off");
    const std::string id = train(2);
    both_trainers();
    ::kill(supervisor(id), SIGKILL);
    QVERIFY(eventually([&] { return processes().empty(); }));
    QVERIFY(has(log(id, 0, 1), "asked to leave with 0\n"));
    resume(id);
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(stops(id));
  }

 private:
  void move(const std::string& id, const std::vector<std::string>& devices) {
    protocol::Request r;
    r.command = Command::rescale;
    r.devices = devices;
    request(id, r, 20000);
  }

  std::vector<std::string> devices_of(const std::string& id) {
    return ask(id, Command::status)["devices"].get<std::vector<std::string>>();
  }

  // Rank 1 does, once.
  protocol::RunSpec crashing(std::vector<std::string> how) const {
    how.insert(how.end(), {"--steps", "100000", "--crash-at", "5", "--crash-rank", "1"});
    auto spec = spec_of(2, how);
    spec.restart_budget = 0;
    return spec;
  }

  std::string log(const std::string& id, int generation, int rank) const {
    return text_of(protocol::run_paths(id).log_file(generation, rank));
  }

  // Returns the processes of this test, but for itself: its store is in their environment.
  std::vector<ProcessId> processes() { return processes_of(""); }
  std::vector<ProcessId> processes_of(const std::string& program) {
    const std::string mark = "BATCHSCOPE_DB=" + protocol::catalogue_path().string() + '\0';
    std::vector<ProcessId> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const auto pid = static_cast<pid_t>(std::stol(name));
      std::error_code error;
      const std::string executable = fs::read_symlink(entry.path() / "exe", error).filename();
      if (error || pid == getpid() || (!program.empty() && executable != program)) continue;
      if (has(text_of(entry.path() / "environ"), mark)) found.push_back(protocol::identify(pid));
    }
    return found;
  }

  // Executed ones, as soon as each can be asked to leave; rank 0 alone says that a run trains.
  std::vector<ProcessId> both_trainers() {
    const auto catches_term = [](const ProcessId& process) {
      const std::string status = text_of("/proc/" + std::to_string(process.pid) + "/status"),
                        name = "SigCgt:";
      const auto at = status.find(name);
      return at != std::string::npos &&
             (std::stoull(status.substr(at + name.size()), nullptr, 16) >> (SIGTERM - 1) & 1) != 0;
    };
    std::vector<ProcessId> trainers;
    if (!eventually([&] {
          trainers = processes_of("fake-replica");
          return trainers.size() == 2 && std::all_of(trainers.begin(), trainers.end(), catches_term);
        }))
      throw Error(ErrorKind::failure,
                  std::to_string(trainers.size()) + " replicas train, and not both of two");
    return trainers;
  }

  // The one that serves.
  ProcessId agent() {
    for (const ProcessId& process : processes_of("batchscope-node"))
      if (has(text_of("/proc/" + std::to_string(process.pid) + "/cmdline"), "serve")) return process;
    return {};
  }
};

BATCHSCOPE_TEST(TestNodes)
#include "test_nodes.moc"
