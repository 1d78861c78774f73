// SPDX-License-Identifier: Apache-2.0
//
// Requests of people, scripts and the pool to a supervisor, and its answers.
#include <QScopeGuard>

#include "batchscope/run/machine.h"
#include "batchscope/run/pool.h"
#include "played_run.h"
#include "supervision/checkpoint_waiters.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::Request;
using protocol::RunState;
using protocol::RunStatus;
using protocol::Trigger;
using Command = protocol::Request::Command;

class TestRunRequests : public PlayedRun {
  Q_OBJECT

  static Request request_of(Command command) {
    Request request;
    request.command = command;
    return request;
  }
  static protocol::CheckpointWritten written(const std::string& reason, double mono) {
    return {"checkpoint-000001", reason, 2, 0, 0, 9, mono, mono, mono + 3};
  }
  // A run of one replica under way, which writes checkpoints when it is asked to, or not.
  std::string under_way(const protocol::RunSpec& spec, bool checkpoints = true) {
    const std::string id = start(spec);
    replica_ = std::make_unique<PlayedReplica>(file(""), 0, 0);
    replica_->say_hello(t_, [&](protocol::Hello& hello) { hello.checkpoints = checkpoints; });
    replica_->make_step(1, t_);
    if (!comes_to(id, RunState::running)) throw Error(ErrorKind::failure, story(id));
    return id;
  }
  void leave(const std::string& id, const char* expected) {
    ask(id, Command::stop);
    QVERIFY(replica_->gets(expected));
    replica_->exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  const double t_ = later();
  std::unique_ptr<PlayedReplica> replica_;

 private Q_SLOTS:
  void init() { begin(); }

  // --- checkpoints ---

  void aCheckpointIsAskedOfRankZeroAndAnswersWhoWaits() {
    const std::string id = start(played(2));
    const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
    QCOMPARE(refusal(id, Command::checkpoint), "conflict: the run is starting: nothing to checkpoint now");
    a.say_hello(t_);
    b.say_hello(t_);
    a.make_step(2, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    ControlClient client(id);
    QTRY_VERIFY(client.connected());
    std::string answer;
    const auto request_checkpoint = [&] {
      answer.clear();
      client.send(request_of(Command::checkpoint), [&](const protocol::Json* result, const Error* error) {
        answer = result ? result->dump() : std::string(error_kind_name(error->kind())) + ": " + error->what();
      });
    };
    const auto is_answered = [&] { return !answer.empty(); };

    request_checkpoint();
    QVERIFY(eventually([&] { return a.got() == "USR1\n"; }));
    a.tell(written("periodic", t_));  // nobody asked for that one
    b.tell(protocol::Notice{"error", "rank 1 has no room", 2});
    a.tell(protocol::Notice{"warning", "little room", 2});
    VERIFY_RUN(tells(id, "rank 1 has no room") && tells(id, "little room"));
    bool hears = false;  // what was to be answered before that
    client.send(request_of(Command::status), [&](const auto*, const auto*) { hears = true; });
    QVERIFY(eventually([&] { return hears; }));
    QCOMPARE(answer, "");
    a.tell(written("manual", t_));
    QVERIFY(eventually(is_answered));
    QCOMPARE(answer, R"({"bytes":9,"name":"checkpoint-000001","seconds":3.0,"step":2})");

    request_checkpoint();
    QVERIFY(eventually([&] { return a.got() == "USR1\nUSR1\n"; }));
    a.tell(protocol::Notice{"error", "no space left", 2});
    QVERIFY(eventually(is_answered));
    QCOMPARE(answer, "io: no space left");

    request_checkpoint();
    QVERIFY(eventually([&] { return a.got() == "USR1\nUSR1\nUSR1\n"; }));
    a.tell(protocol::Refused{"the disk is gone", 2});
    QVERIFY(eventually(is_answered));
    QCOMPARE(answer, "io: the disk is gone");
    VERIFY_RUN(tells(id, "training goes on, because no checkpoint can be written: the disk is gone"));

    request_checkpoint();
    QVERIFY(eventually([&] { return a.got() == "USR1\nUSR1\nUSR1\nUSR1\n"; }));
    a.exit(143);
    b.exit(143);
    QVERIFY(eventually(is_answered));
    QCOMPARE(answer, "conflict: the generation ended before it wrote a checkpoint");
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(b.got(), "");
    QCOMPARE(catalogue().run(id)->message, "a signal from outside asked a replica to stop");
    QCOMPARE(told(id).back(), "info: stopped: a signal from outside asked a replica to stop");
  }

  // All that wait get the one checkpoint, or the one refusal; each waits as long as it may.
  void whoWaitsIsAnsweredOnce() {
    CheckpointWaiters waiters(30);
    std::string answers;
    const auto wait_as = [&](const std::string& name, double now) {
      waiters.add({[&answers, name](const protocol::Json& result) { answers += name + result.dump(); },
                   [&answers, name](const Error& error) { answers += name + ": " + error.what() + "; "; }},
                  now);
    };
    wait_as("a", 1000);
    wait_as("b", 1010);
    waiters.time_out(1029.5);
    QCOMPARE(std::exchange(answers, {}), "");
    waiters.time_out(1030);
    QCOMPARE(std::exchange(answers, {}), "a: no checkpoint within 30 s; ");
    wait_as("c", 1030);
    waiters.written(written("manual", 5));
    const std::string result = R"({"bytes":9,"name":"checkpoint-000001","seconds":3.0,"step":2})";
    QCOMPARE(std::exchange(answers, {}), "b" + result + "c" + result);
    wait_as("d", 1030);
    waiters.refuse(Error(ErrorKind::io, "the disk is full"));
    waiters.refuse(Error(ErrorKind::io, "again"));
    waiters.written(written("manual", 5));
    waiters.time_out(2000);
    QCOMPARE(answers, "d: the disk is full; ");
  }

  void aCheckpointThatDoesNotComeIsNotAwaited() {
    protocol::RunSpec spec = played(1);
    spec.time_outs = {.collective = 0.1, .step = 0, .checkpoint = 0.2};
    const std::string id = under_way(spec);
    QCOMPARE(refusal(id, Command::checkpoint), "timeout: no checkpoint within 0.2 s");
    QCOMPARE(status(id).state, RunState::running);
    replica_->exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
  }

  // The system may take its time to end a process that has said so.
  void aForkedReplicaThatHasCheckpointedIsNotAwaited() {
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_, [](protocol::Hello& hello) { hello.forked = true; });
    a.make_step(1, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    const auto says_goodbye = [&](int code, const std::string& mark) {
      a.tell(protocol::Goodbye{0, code, 1, t_});
      a.tell(protocol::Notice{"info", mark, 1});
      return tells(id, mark) && status(id).generation == 0;
    };
    VERIFY_RUN(says_goodbye(143, "which nobody has asked for"));
    ask(id, Command::rescale, 2);
    a.make_step(2, t_ + 4);  // the pause begins with it
    VERIFY_RUN(says_goodbye(0, "without a checkpoint"));
    a.tell(protocol::Goodbye{0, 143, 1, t_});
    const PlayedReplica b(file(""), 1, 0), c(file(""), 1, 1);
    QCOMPARE(::kill(a.process(), 0), 0);
    a.exit(9);  // nobody minds any more
    b.say_hello(t_);
    b.make_step(3, t_ + 10);
    VERIFY_RUN(comes_to(id, RunState::running));
    ask(id, Command::stop);
    b.exit(143);
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(catalogue().generations(id)[0].outcome, "checkpointed");
    COMPARE_TOLD(id, kExecuted, "info: training on 1 replica, forked", "info: which nobody has asked for",
                 "info: without a checkpoint", "info: restarted on 2 replicas in 6 s", "info: stopped");
  }

  void aProgramThatDoesNotKnowCheckpointsIsAskedForNone() {
    const std::string id = under_way(played(1), false);
    QVERIFY(!status(id).rescalable);
    QCOMPARE(refusal(id, Command::checkpoint),
             "conflict: the program cannot write a checkpoint now: if it writes any, it does so only when it "
             "stops, for example for a rescale or a pause");
    replica_->restore("", 1, t_);  // whatever restores goes on after a restart
    VERIFY_RUN(comes_to(id, [](const RunStatus& now) { return now.rescalable; }));
    leave(id, "TERM\n");
  }

  void theCheckpointWithWhichReplicasLeaveMayBeRefused() {
    const std::string id = start(played(2));
    const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
    a.say_hello(t_);
    a.make_step(2, t_);
    b.say_hello(t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    ask(id, Command::rescale, 1);
    b.tell(protocol::Refused{"rank 1 says so", 2});
    b.tell(protocol::Notice{"info", "it is not heard", 2});
    VERIFY_RUN(tells(id, "it is not heard"));
    QCOMPARE(status(id).state, RunState::restarting);
    a.tell(protocol::Refused{"the disk is full", 2});
    VERIFY_RUN(reaches(id, RunState::running));
    QCOMPARE(status(id).phase, "");
    QCOMPARE(status(id).target_replicas, 2);
    VERIFY_RUN(
        tells(id, "the run stays on 2 replicas, because no checkpoint can be written: the disk is full"));
    ask(id, Command::stop);
    a.exit(0);
    b.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));  // it came to its end just then
  }

  // --- devices, and the pool ---

  void eachDeviceThatIsNamedHasAReplica() {
    if (Machine::here().cores.size() < 2) QSKIP("it takes two cores");
    const std::string id = under_way(played(1));
    Request there = request_of(Command::rescale);
    there.devices = {Machine::here().cores.front(), Machine::here().cores.back()};
    run::request(id, there, 20000);
    QVERIFY(replica_->gets("TERM\n"));
    replica_->exit(143);
    const PlayedReplica b(file(""), 1, 0), c(file(""), 1, 1);
    QCOMPARE(status(id).replicas, 2);
    ask(id, Command::stop);
    b.exit(143);
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  void devicesThatAreNamedAreARestartThere() {
    if (Machine::here().cores.size() < 2) QSKIP("a run has all of this machine's cores");
    const std::string core = Machine::here().cores.front();
    const std::string id = under_way(played(1));
    Request there = request_of(Command::rescale);
    there.devices = {core};
    there.by_pool = true;
    const auto answer = run::request(id, there, 20000);
    QVERIFY(answer.at("predicted").is_null());
    QVERIFY(replica_->gets("TERM\n"));
    replica_->exit(143);
    const PlayedReplica b(file(""), 1, 0);
    b.say_hello(t_);
    b.make_step(2, t_ + 1);
    VERIFY_RUN(comes_to(id, RunState::running));
    QVERIFY(status(id).devices == std::vector<std::string>{core});
    QVERIFY(catalogue().run(id)->devices == std::vector<std::string>{core});
    run::request(id, there, 20000);  // it is there
    QCOMPARE(status(id).state, RunState::running);
    Request pause = request_of(Command::pause);
    pause.by_pool = true;
    run::request(id, pause, 20000);
    b.exit(143);
    VERIFY_RUN(tells(id, "paused by the pool: its devices are needed"));
    there.command = Command::resume;
    there.devices = {"cpu:12345"};
    VERIFY_HOLDS(refusal(id, there), "cpu:12345");
    QCOMPARE(status(id).state, RunState::paused);
    there.devices = {core};
    QCOMPARE(refusal(id, there), "");
    const PlayedReplica c(file(""), 2, 0);
    QVERIFY(status(id).devices == std::vector<std::string>{core});
    ask(id, Command::stop);
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations[1].reason, "pool");
    QCOMPARE(generations[2].reason, "resume");
  }

  void aRunOfTheQueueIsThePoolsToMove() {
    if (Machine::here().cores.size() < 2) QSKIP("the pool has a single core to give away");
    const StoreLock pool(kPool);  // one is there, and decides nothing
    const std::string id = catalogue().submit_run(played(1), {});
    spawn_supervisor(id, 0, {});
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t_, [](protocol::Hello& hello) { hello.checkpoints = false; });
    a.make_step(1, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    Request rescale = request_of(Command::rescale);
    rescale.replicas = 2;
    QCOMPARE(refusal(id, rescale),
             "conflict: the pool cannot move the run: its program writes no "
             "checkpoints, so it would begin again");
    a.restore("", 1, t_);
    VERIFY_RUN(comes_to(id, [](const RunStatus& now) { return now.rescalable; }));
    QCOMPARE(refusal(id, rescale), "");
    QCOMPARE(status(id).state, RunState::running);
    QVERIFY(eventually([&] { return catalogue().run(id)->spec.replicas == 2; }));
    Request there = request_of(Command::rescale);  // devices are a person's to name all the same
    there.devices = {Machine::here().cores.front()};
    QCOMPARE(refusal(id, there), "");
    QCOMPARE(status(id).state, RunState::restarting);
    QVERIFY(eventually([&] { return catalogue().run(id)->spec.replicas == 1; }));  // as many
    a.exit(143);
    const PlayedReplica b(file(""), 1, 0);
    b.say_hello(t_);
    b.make_step(2, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    QCOMPARE(refusal(id, Command::resume), "conflict: the run is running, not paused");
    ask(id, Command::pause);
    b.exit(143);
    VERIFY_RUN(comes_to(id, RunState::paused));
    Request resume = request_of(Command::resume);
    resume.devices = there.devices;
    QCOMPARE(refusal(id, resume), std::string("conflict: ") + devices_are_the_pools(id).what());
    resume.devices.clear();
    resume.replicas = 2;
    QCOMPARE(refusal(id, resume), "");
    QCOMPARE(status(id).state, RunState::paused);  // until the pool resumes it
    QVERIFY(eventually([&] { return catalogue().run(id)->spec.replicas == 2; }));
    resume.replicas = 1;
    resume.by_pool = true;
    QCOMPARE(refusal(id, resume), "");
    const PlayedReplica c(file(""), 2, 0);
    ask(id, Command::stop);
    QCOMPARE(refusal(id, rescale), "conflict: the run is stopping");
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  void whatARunThatLeavesIsAskedForIsRefused() {
    const std::string id = under_way(played(1));
    ask(id, Command::stop);
    QCOMPARE(refusal(id, Command::pause), "conflict: the run is stopping");
    Request rescale = request_of(Command::rescale);
    rescale.replicas = 2;
    QCOMPARE(refusal(id, rescale), "conflict: the run is stopping");
    QCOMPARE(refusal(id, Command::resume), "conflict: the run is stopping, not paused");
    QCOMPARE(refusal(id, Command::checkpoint), "conflict: the run is stopping: nothing to checkpoint now");
    QCOMPARE(status(id).state, RunState::stopping);
    replica_->exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  // Choosing is handed to the model, which has nothing to say yet; a number takes it back.
  void theModelChoosesUntilANumberIsSaid() {
    const std::string id = under_way(played(1));
    Request request = request_of(Command::rescale);
    request.auto_replicas = protocol::AutoReplicas{1, 4};
    QCOMPARE(refusal(id, request), "");
    QCOMPARE(status(id).auto_replicas, "auto:1-4");
    QCOMPARE(status(id).state, RunState::running);
    request.auto_replicas.reset();
    request.replicas = 1;  // which it has
    QCOMPARE(refusal(id, request), "");
    QCOMPARE(status(id).state, RunState::running);
    QCOMPARE(status(id).auto_replicas, "");
    QCOMPARE(refusal(id, request), "");  // said once more, it is a restart
    QCOMPARE(status(id).state, RunState::restarting);
    leave(id, "TERM\n");
    COMPARE_TOLD(id, kExecuted, "info: training on 1 replica",
                 "info: auto is on: the number of replicas follows goodput, from 1 to 4",
                 "info: auto is off: the number of replicas stays as it is", "info: stopped");
  }

  // --- scripted events ---

  void eventsOfAProgramThatDoesNotKnowThemAreTheSupervisors() {
    protocol::RunSpec spec = played(1);
    for (const char* const text :
         {"step=1:checkpoint", "epoch=1:replicas=2", "iterations=3:pause", "elapsed=1h:stop", "step=3:stop"})
      spec.triggers.push_back(Trigger::parse(text));
    const std::string id = under_way(spec, false);
    VERIFY_RUN(tells(id,
                     "scripted event step=1:checkpoint was skipped: the program cannot write a "
                     "checkpoint now"));
    QCOMPARE(status(id).state, RunState::running);
    replica_->tell(protocol::Position{1, 4, "train", 0, 2.5, t_});
    QVERIFY(replica_->gets("TERM\n"));
    QCOMPARE(status(id).target_replicas, 2);
    replica_->exit(143);
    const PlayedReplica a(file(""), 1, 0), b(file(""), 1, 1);
    a.say_hello(t_, [](protocol::Hello& hello) { hello.checkpoints = false; });
    a.make_step(2, t_);
    VERIFY_RUN(comes_to(id, RunState::running));
    a.tell(protocol::Position{1, 4, "train", 0, 3, t_});
    QVERIFY(a.gets("TERM\n") && b.gets("TERM\n"));
    VERIFY_RUN(reaches(id, RunState::pausing));
    QCOMPARE(status(id).state, RunState::pausing);
    a.exit(143);
    b.exit(143);
    VERIFY_RUN(comes_to(id, RunState::paused));
    ask(id, Command::stop);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(catalogue().generations(id)[1].reason, "trigger");
    // Events that have happened do not happen under the next supervisor.
    spawn_supervisor(id, 1, {});
    const PlayedReplica c(file(""), 2, 0);
    c.say_hello(t_, [](protocol::Hello& hello) { hello.checkpoints = false; });
    c.make_step(3, t_);
    QVERIFY(c.gets("TERM\n"));
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const auto lines = told(id);
    for (const char* const event :
         {"step=1:checkpoint", "epoch=1:replicas=2", "iterations=3:pause", "step=3:stop"})
      QCOMPARE(std::count(lines.begin(), lines.end(), std::string("info: scripted event ") + event), 1);
  }

  // The replicas leave all the same; it is too late to refuse.
  void anEventThatWantsMoreThanThereIsKeepsTheNumber() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1");
    const auto back = qScopeGuard([] { qunsetenv("CUDA_VISIBLE_DEVICES"); });
    protocol::RunSpec spec = played(1);
    spec.device = "cuda";
    spec.auto_replicas = protocol::AutoReplicas{1, 2};
    spec.triggers = {Trigger::parse("step=3:replicas=5")};
    const std::string id = start(spec);
    {
      const PlayedReplica a(file(""), 0, 0);
      a.say_hello(t_, [](protocol::Hello& hello) { hello.device = "cuda:0"; });
      a.make_step(3, t_);
      a.tell(protocol::Triggered{0, 3, t_});
      VERIFY_RUN(comes_to(id, RunState::restarting));
      QCOMPARE(status(id).target_replicas, 1);
      QCOMPARE(status(id).auto_replicas, "");  // a script has chosen
      a.exit(143);
    }
    const PlayedReplica b(file(""), 1, 0);
    QCOMPARE(status(id).replicas, 1);
    ask(id, Command::stop);
    b.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const auto lines = told(id);
    QCOMPARE(lines.at(2), "info: scripted event step=3:replicas=5");
    QVERIFY(
        lines.at(3).starts_with("warning: scripted event step=3:replicas=5 keeps the number of replicas: "));
    QCOMPARE(lines.at(4), "info: auto is off: the number of replicas stays as it is");
  }

  // They tell of an event when its checkpoint is written, and leave by themselves.
  void replicasCarryOutTheirOwnEvents() {
    protocol::RunSpec spec = played(1);
    for (const char* const text :
         {"step=1:checkpoint", "step=3:replicas=2", "step=4:stop", "elapsed=0.1:checkpoint"})
      spec.triggers.push_back(Trigger::parse(text));
    const std::string id = under_way(spec);
    QVERIFY(replica_->gets("USR1\n"));  // by the clock, which is the supervisor's
    for (const int index : {-1, 4, 0}) replica_->tell(protocol::Triggered{index, 3, t_});
    VERIFY_RUN(tells(id, "scripted event step=1:checkpoint"));
    QCOMPARE(status(id).state, RunState::running);
    StoredRuns::write_checkpoint(id, 1, 3);
    replica_->make_step(3, t_ + 1);
    replica_->tell(
        protocol::CheckpointWritten{"checkpoint-000001", "trigger", 3, 0, 0, 9, t_ + 1, t_ + 1, t_ + 3});
    replica_->tell(protocol::Triggered{1, 3, t_ + 3});
    VERIFY_RUN(comes_to_phase(id, "stop"));  // its checkpoint was told before
    replica_->exit(143);
    const PlayedReplica a(file(""), 1, 0), b(file(""), 1, 1);
    a.say_hello(t_ + 4);
    a.restore("checkpoint-000001", 3, t_ + 5);
    a.make_step(4, t_ + 7);
    VERIFY_RUN(comes_to(id, RunState::running));
    a.tell(protocol::Triggered{2, 4, t_ + 7});
    VERIFY_RUN(reaches(id, RunState::stopping));
    a.exit(143);
    b.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(replica_->got() + a.got() + b.got(), "USR1\n");
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations[1].reason, "trigger");
    QCOMPARE(generations[1].pause, 6.0);
    QCOMPARE(generations[1].pause_parts.at("checkpoint"), 2.0);
    COMPARE_TOLD(id, kExecuted, "info: training on 1 replica", "info: scripted event elapsed=0.1s:checkpoint",
                 "warning: rank 0 sent telemetry that is not valid and was skipped: no scripted event has "
                 "the index -1",
                 "info: scripted event step=1:checkpoint", "info: scripted event step=3:replicas=2",
                 "info: restarted on 2 replicas in 6 s", "info: scripted event step=4:stop", "info: stopped");
  }
};

BATCHSCOPE_TEST(TestRunRequests)
#include "test_run_requests.moc"
