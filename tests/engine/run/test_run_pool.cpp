// SPDX-License-Identifier: Apache-2.0
//
// Runs of the queue on nodes that the pool's command reaches: they are fetched when a run is to go there,
// dismissed when it has left, and waited for where they are gone. The other node's agent is on this machine.
#include <signal.h>

#include <memory>

#include "batchscope/run/machine.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/queue.h"
#include "played_run.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::Request;
using protocol::RunState;
using protocol::RunStatus;
using Command = Request::Command;

class TestRunPool : public PlayedRun {
  Q_OBJECT

  std::unique_ptr<StoreLock> pool_;  // one is there, and decides nothing
  const double t_ = later();
  const std::string core_ = Machine::here().cores.front();

  void reach_nodes_by(const std::string& command) {
    catalogue().change_pool_settings([&](auto& settings) {
      settings.agents = "n2=127.0.0.2,n3=127.0.0.3";
      settings.agents_by = command;
    });
  }
  void reach_nodes() {
    testing::write_file(file("reach"), "#!/bin/sh\necho \"$1\" >> " + file("reached") +
                                           "\nhost=$1; shift\nexec \"$@\" --listen $host\n");
    std::filesystem::permissions(file("reach"), std::filesystem::perms::owner_all);
    reach_nodes_by(file("reach"));
  }
  static Request by_pool(Command command, const std::string& device) {
    Request request;
    request.command = command;
    request.devices = {device};
    request.by_pool = true;
    return request;
  }
  static Request by_person(const std::string& device) {
    Request request = by_pool(Command::rescale, device);
    request.by_pool = false;
    return request;
  }
  // Has it train, as a program that leaves scripted events to its supervisor.
  bool makes_step(const std::string& id, const PlayedReplica& replica, std::int64_t step) {
    replica.say_hello(t_, [](protocol::Hello& hello) { hello.checkpoints = false; });
    replica.make_step(step, t_);
    return comes_to(id, RunState::running);
  }
  bool is_on(const std::string& id, const std::string& device) {
    return status(id).devices == std::vector<std::string>{device};
  }
  // Returns what was told, without what is for debugging.
  std::vector<std::string> told_people(const std::string& id) {
    std::vector<std::string> lines = told(id);
    std::erase_if(lines, [](const std::string& line) { return line.starts_with("debug: "); });
    return lines;
  }

 private Q_SLOTS:
  void init() {
    pool_.reset();
    begin();
    pool_ = std::make_unique<StoreLock>(kPool);
  }
  void cleanup() { end(); }

  void nodesAreFetchedAndDismissedAsARunMoves() {
    reach_nodes();
    protocol::RunSpec spec = played(1);
    spec.triggers = {protocol::Trigger::parse("iterations=3:pause")};
    const std::string id = catalogue().submit_run(spec, {});
    spawn_supervisor(id, 0, {"n2/cpu:0"});
    ProcessId agent;
    {
      const PlayedReplica a(file(""), 0, 0);
      agent = protocol::identify(a.parent());
      QVERIFY(a.parent() != supervisor(id));
      QVERIFY(is_on(id, "n2/cpu:0"));
      VERIFY_RUN(makes_step(id, a, 1));
      QCOMPARE(refusal(id, by_pool(Command::rescale, core_)), "");
      QVERIFY(a.gets("TERM\n"));
      a.exit(143);
    }
    {
      const PlayedReplica b(file(""), 1, 0);
      QCOMPARE(b.parent(), supervisor(id));
      QVERIFY(is_alive(agent));  // in case that it does not begin here
      VERIFY_RUN(makes_step(id, b, 2));
      QVERIFY(is_on(id, core_));
      QVERIFY(eventually([&] { return !is_alive(agent); }));
      VERIFY_HOLDS(refusal(id, by_person("n7/cpu:0")),
                   "conflict: n7/cpu:0 cannot be used: node n7 is not there");
      VERIFY_HOLDS(refusal(id, by_person("n2/cpu:123456")), "node n2: this machine has no cpu:123456");
      QCOMPARE(status(id).state, RunState::running);
      QCOMPARE(refusal(id, by_person("n2/cpu:0")), "");
      QVERIFY(b.gets("TERM\n"));
      b.exit(143);
    }
    // All that it has is gone: it waits for what the pool gives it.
    {
      const PlayedReplica c(file(""), 2, 0);
      VERIFY_RUN(makes_step(id, c, 3));
      QVERIFY(!catalogue().job(id)->preempted);
      ::kill(c.parent(), SIGKILL);
      VERIFY_RUN(comes_to(id, RunState::paused));
    }
    QVERIFY(catalogue().job(id)->preempted);
    QVERIFY(catalogue().job(id)->target.empty());
    QVERIFY(status(id).devices.empty());
    QCOMPARE(refusal(id, by_pool(Command::resume, core_)), "");
    const PlayedReplica d(file(""), 3, 0);
    VERIFY_RUN(makes_step(id, d, 4));
    d.tell(protocol::Position{0, 4, "train", 0, 3, t_});
    QVERIFY(d.gets("TERM\n"));
    d.exit(143);
    VERIFY_RUN(comes_to(id, RunState::paused));
    ask(id, Command::stop);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const auto generations = catalogue().generations(id);
    const char* const reasons[] = {"start", "pool", "rescale", "resume"};
    for (std::size_t number = 0; number < 4; ++number) QCOMPARE(generations[number].reason, reasons[number]);
    QCOMPARE(generations[2].outcome, "crashed: rank 0, node lost");
    const auto lines = told_people(id);
    QCOMPARE(lines.at(0), "info: training on 1 replica");
    QVERIFY(lines.at(1).starts_with("info: restarted on 1 replica in "));
    QVERIFY(lines.at(2).starts_with("info: restarted on 1 replica in "));
    QCOMPARE(lines.at(3), "error: node n2 is gone: its agent's line closed");
    QCOMPARE(lines.at(4),
             "warning: node n2 is gone after it was asked to stop; going on from wherever the "
             "program begins by itself, as it has no checkpoint here");
    QCOMPARE(lines.at(5), "info: paused: waits for other devices from the pool");
    QVERIFY(lines.at(6).starts_with("info: resumed on 1 replica in "));
    QCOMPARE(lines.at(7), "info: scripted event iterations=3:pause");
    QCOMPARE(lines.at(8), "info: paused");
    QCOMPARE(lines.at(9), "info: stopped");
    const std::string reached = testing::contents(file("reached"));
    QVERIFY2(reached == "127.0.0.2\n127.0.0.2\n", reached.c_str());  // and never the other
  }

  void aNodeMayBeNewToARun() {
    reach_nodes();
    const std::string id = catalogue().submit_run(played(1), {});
    spawn_supervisor(id, 0, {core_});
    {
      const PlayedReplica a(file(""), 0, 0);
      VERIFY_RUN(makes_step(id, a, 1));
      QCOMPARE(refusal(id, by_pool(Command::rescale, "n2/cpu:0")), "");
      a.exit(143);
    }
    const PlayedReplica b(file(""), 1, 0);
    QVERIFY(b.parent() != supervisor(id));
    QVERIFY(is_on(id, "n2/cpu:0"));
    ask(id, Command::stop);
    b.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  // The pool reaches them again when it goes on.
  void aRunThatRestsKeepsNoAgents() {
    reach_nodes();
    const std::string id = catalogue().submit_run(played(1), {});
    spawn_supervisor(id, 0, {"n2/cpu:0"});
    const PlayedReplica a(file(""), 0, 0);
    const ProcessId agent = protocol::identify(a.parent());
    VERIFY_RUN(makes_step(id, a, 1));
    ask(id, Command::pause);
    a.exit(143);
    VERIFY_RUN(comes_to(id, RunState::paused));
    QVERIFY(eventually([&] { return !is_alive(agent); }));
    QVERIFY(!catalogue().job(id)->preempted);
    ask(id, Command::stop);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  // Where others are left, it goes on with them.
  void aRunThatLosesOneNodeOfSeveralGoesOn() {
    reach_nodes();
    const std::string id = catalogue().submit_run(played(2), {});
    spawn_supervisor(id, 0, {core_, "n2/cpu:0"});
    {
      const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
      VERIFY_RUN(makes_step(id, a, 1));
      ::kill(b.parent(), SIGKILL);
      VERIFY_RUN(tells(id, "node n2 is gone"));
      a.exit(1);
    }
    const PlayedReplica c(file(""), 1, 0);
    QVERIFY(is_on(id, core_));
    QCOMPARE(status(id).replicas, 1);
    ask(id, Command::stop);
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QVERIFY(!catalogue().job(id)->preempted);
  }

  void whatCannotBeReachedIsWaitedFor() {
    reach_nodes_by("/bin/false");
    const std::string id = catalogue().submit_run(played(1), {});
    spawn_supervisor(id, 0, {"n2/cpu:0"});
    VERIFY_RUN(reaches(id, RunState::paused));
    QVERIFY(eventually([&] { return catalogue().job(id)->preempted; }));
    QVERIFY(catalogue().generations(id).empty());
    QCOMPARE(refusal(id, by_pool(Command::resume, core_)), "");
    PlayedReplica(file(""), 0, 0).exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
    const auto lines = told_people(id);
    VERIFY_HOLDS(lines.at(0), "warning: the command that starts agents ended early, with exit code 1");
    QCOMPARE(lines.at(1), "warning: the run waits: n2/cpu:0 cannot be reached");
    QCOMPARE(lines.at(2), "info: paused: waits for other devices from the pool");

    // A run that is not the pool's cannot begin.
    const std::string other = catalogue().create_run(played(1));
    spawn_supervisor(other, 0, {"n2/cpu:0"});
    VERIFY_STORY(other, reaches(other, RunState::failed));
    VERIFY_HOLDS(catalogue().run(other)->message, "n2/cpu:0 cannot be used: node n2 is not there");
  }
};

BATCHSCOPE_TEST(TestRunPool)
#include "test_run_pool.moc"
