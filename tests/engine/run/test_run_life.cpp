// SPDX-License-Identifier: Apache-2.0
//
// The life of a run under its supervisor: what is told of it, recorded and answered, from the first step to
// the last word.
#include <algorithm>

#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "played_run.h"
#include "words.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using protocol::RunStatus;
using Command = protocol::Request::Command;

class TestRunLife : public PlayedRun {
  Q_OBJECT

  using Parts = std::map<std::string, double>;

 private Q_SLOTS:
  void init() { begin(); }

  void aRunIsRescaledPausedResumedAndStopped() {
    const double t = later();
    const std::string id = start(played(2));
    const RunStatus before = status(id);
    QCOMPARE(before.state, RunState::starting);
    QVERIFY(!before.rescalable);
    QCOMPARE(before.pause, 0.0);
    QCOMPARE(before.max_profiled, 0);

    // The first generation.
    const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
    for (const PlayedReplica* const replica : {&a, &b}) {
      replica->say_hello(t);
      replica->restore("", 0, t);
    }
    a.make_step(1, t);
    VERIFY_RUN(comes_to(id, RunState::running));
    a.make_step(2, t + 1, {{"loss", 0.5}, {protocol::series::kReplicas, 2}});
    a.tell(protocol::Position{1, 4, "train", 0.5, 2.5, t + 1});
    VERIFY_RUN(comes_to(id, [](const RunStatus& now) { return now.total_fraction > 0; }));
    const RunStatus trains = status(id);
    QCOMPARE(trains.run, id);
    QCOMPARE(trains.phase, "");
    QCOMPARE(trains.phase_seconds, 0.0);
    QCOMPARE(trains.generation, 0);
    QCOMPARE(trains.replicas, 2);
    QCOMPARE(trains.target_replicas, 2);
    QCOMPARE(trains.auto_replicas, "");
    QCOMPARE(trains.step, 2);
    QCOMPARE(trains.epoch, 1);
    QCOMPARE(trains.epochs, 4);
    QCOMPARE(trains.total_fraction, 0.375);
    QCOMPARE(trains.latest.at("loss"), 0.5);
    QCOMPARE(trains.message, "");
    QVERIFY(trains.rescalable);
    QCOMPARE(trains.max_profiled, 2);
    QVERIFY2(trains.pause > 40 && trains.pause < 101, std::to_string(trains.pause).c_str());
    QVERIFY(trains.elapsed > 0 && trains.elapsed < 60);
    QVERIFY(!trains.devices.empty());
    QCOMPARE(catalogue().run(id)->devices.size(), trains.devices.size());

    // The pause, part by part.
    const RunStatus leaves = ask(id, Command::rescale, 1).get<RunStatus>();
    QCOMPARE(leaves.state, RunState::restarting);
    QCOMPARE(leaves.phase, "checkpoint");
    QCOMPARE(leaves.replicas, 2);
    QCOMPARE(leaves.target_replicas, 1);
    QVERIFY(a.gets("TERM\n") && b.gets("TERM\n"));
    StoredRuns::write_checkpoint(id, 1, 2);
    a.tell(protocol::CheckpointWritten{"checkpoint-000001", "exit", 2, 1, 2.5, 9, t + 1, t + 1, t + 3});
    VERIFY_RUN(comes_to_phase(id, "stop"));
    a.exit(143);
    b.exit(143);
    const PlayedReplica c(file(""), 1, 0);
    VERIFY_RUN(comes_to_phase(id, "launch"));
    QCOMPARE(status(id).generation, 1);
    QCOMPARE(status(id).replicas, 1);
    c.say_hello(t + 6);
    VERIFY_RUN(comes_to_phase(id, "restore"));
    c.restore("checkpoint-000001", 2, t + 7);
    VERIFY_RUN(comes_to_phase(id, "first step"));
    c.make_step(3, t + 11);
    VERIFY_RUN(comes_to(id, RunState::running));
    QCOMPARE(status(id).pause, 10.0);
    QCOMPARE(status(id).max_profiled, 2);

    // A pause is no part of a restart, and gives the devices back.
    QCOMPARE(ask(id, Command::pause).get<RunStatus>().state, RunState::pausing);
    QVERIFY(c.gets("TERM\n"));
    c.exit(143);
    VERIFY_RUN(comes_to(id, RunState::paused));
    QCOMPARE(status(id).phase, "");
    QVERIFY(status(id).devices.empty());
    QVERIFY(catalogue().run(id)->devices.empty());
    QCOMPARE(ask(id, Command::resume, 2).get<RunStatus>().state, RunState::starting);
    const PlayedReplica d(file(""), 2, 0), e(file(""), 2, 1);
    d.say_hello(t + 20);
    d.restore("checkpoint-000001", 2, t + 20);
    e.say_hello(t + 20);
    d.make_step(3, t + 30);
    VERIFY_RUN(comes_to(id, RunState::running));
    QCOMPARE(ask(id, Command::stop).get<RunStatus>().state, RunState::stopping);
    QVERIFY(d.gets("TERM\n") && e.gets("TERM\n"));
    d.exit(143);
    e.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));

    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 3u);
    COMPARE_TOLD(id, kExecuted, "info: training on 2 replicas", "info: restarted on 1 replica in 10 s",
                 "info: paused", "warning: went back to step 2: 1 step is repeated",
                 "info: resumed on 2 replicas in " + seconds_text(generations[2].pause), "info: stopped");
    const char* const reasons[] = {"start", "rescale", "resume"};
    const int replicas[] = {2, 1, 2}, steps[] = {2, 3, 3};
    for (int i = 0; i < 3; ++i) {
      const storage::Generation& generation = generations[static_cast<std::size_t>(i)];
      QCOMPARE(generation.number, i);
      QCOMPARE(generation.reason, reasons[i]);
      QCOMPARE(generation.replicas, replicas[i]);
      QCOMPARE(generation.first_step, i == 0 ? 1 : 3);
      QCOMPARE(generation.last_step, steps[i]);
      QCOMPARE(generation.checkpoint, i == 0 ? "" : "checkpoint-000001");
      QCOMPARE(generation.outcome, "checkpointed");
      QVERIFY(generation.started > 1e9 && generation.ended >= generation.started);
      QCOMPARE(generation.predicted_goodput, -1.0);
    }
    QVERIFY(generations[0].pause < 0);
    QCOMPARE(generations[1].pause, 10.0);
    QVERIFY(generations[1].pause_parts ==
            (Parts{{"checkpoint", 2}, {"stop", 0}, {"launch", 3}, {"restore", 1}, {"first step", 4}}));
    QVERIFY(generations[2].pause > 40 && generations[2].pause < 131);  // since the order to resume
    QCOMPARE(generations[2].pause_parts.at("checkpoint"), 0.0);

    const storage::Run run = *catalogue().run(id);
    QCOMPARE(run.step, 3);
    QCOMPARE(run.epoch, 1);
    QCOMPARE(run.epochs, 4);
    QCOMPARE(run.fraction, 0.375);
    QCOMPARE(run.latest.at("loss"), 0.5);
    QVERIFY(run.devices.empty());
    QCOMPARE(catalogue().checkpoints(id).size(), 1u);
    QCOMPARE(catalogue().checkpoints(id)[0].generation, 0);
    QVERIFY(!std::filesystem::exists(protocol::run_paths(id).runtime));
    VERIFY_HOLDS(testing::contents(protocol::run_paths(id).root / "supervisor.log"),
                 "info: training on 2 replicas\n", "warning: went back to step 2");
    storage::SampleReader samples(protocol::run_paths(id).samples);
    QCOMPARE(samples.read("loss", 0).size(), 1u);
    QCOMPARE(samples.read(protocol::series::kTime, 2).size(), 1u);
  }

  void whoSubscribesHearsAllOfIt() {
    const double t = later();
    const std::string id = start(played(1));
    ControlClient client(id);
    QStringList notices, states;
    RunStatus last;
    connect(&client, &ControlClient::statusChanged, this, [&](const RunStatus& now) {
      last = now;
      states << run_state_name(now.state);
    });
    connect(&client, &ControlClient::eventAdded, this,
            [&](const QString& level, const QString& text) { notices << level + ": " + text; });
    QTRY_COMPARE(last.run, id);  // it is subscribed
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t);
    a.make_step(1, t);
    QTRY_COMPARE(last.state, RunState::running);
    for (const char* const level : {"warning", "error", "debug", "info"})
      a.tell(protocol::Notice{level, std::string("as ") + level, 1});
    a.make_step(7, t);
    QTRY_COMPARE(last.step, 7);
    ask(id, Command::pause);
    a.exit(143);
    QTRY_COMPARE(last.state, RunState::paused);
    ask(id, Command::resume);
    const PlayedReplica b(file(""), 1, 0);
    QCOMPARE(b.variable("ADAPTDL_NUM_REPLICAS"), "1");  // as before
    QTRY_COMPARE(last.state, RunState::starting);
    ask(id, Command::stop);
    b.exit(143);
    QTRY_COMPARE(last.state, RunState::stopped);
    states.removeDuplicates();
    QCOMPARE(states.join(' '), QStringLiteral("starting running pausing paused stopping stopped"));
    QCOMPARE(notices.join('\n'), QStringLiteral("info: training on 1 replica\nwarning: as warning\n"
                                                "error: as error\ninfo: as debug\ninfo: as info\n"
                                                "info: paused\ninfo: stopped"));
  }

  // Batches of validation are progress, and steps may come later.
  void aGenerationMayBeginWithAValidation() {
    const double t = later();
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t);
    a.tell(protocol::Position{0, 1, "train", 0.5, 0, t});
    a.tell(protocol::Notice{"info", "not yet", 0});
    VERIFY_RUN(tells(id, "not yet"));
    QCOMPARE(status(id).state, RunState::starting);
    a.tell(protocol::Position{0, 1, "validate", 0.5, 0, t});
    VERIFY_RUN(comes_to(id, RunState::running));
    const auto has_first_step = [&](std::int64_t step) {
      const auto generations = catalogue().generations(id);
      return generations.size() == 1 && generations[0].first_step == step;
    };
    QVERIFY(eventually([&] { return has_first_step(0); }));
    a.make_step(4, t);
    QVERIFY(eventually([&] { return has_first_step(4); }));
    a.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(catalogue().run(id)->fraction, 1.0);
    COMPARE_TOLD(id, kExecuted, "info: not yet", "info: training on 1 replica", "info: finished");
  }

  void aProgramThatTellsNothingIsNamed_data() {
    QTest::addColumn<int>("replicas");
    for (const int replicas : {1, 2}) QTest::addRow("%d", replicas) << replicas;
  }
  void aProgramThatTellsNothingIsNamed() {
    QFETCH(int, replicas);
    protocol::RunSpec spec = played(replicas);
    spec.triggers = {protocol::Trigger::parse("step=3:checkpoint"),
                     protocol::Trigger::parse("elapsed=1h:stop")};
    const std::string id = start(spec);
    for (int rank = 0; rank < replicas; ++rank) PlayedReplica(file(""), 0, rank).exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
    COMPARE_TOLD(
        id, kExecuted,
        "warning: scripted event step=3:checkpoint did not happen: the run ended after 0 epochs and 0 steps",
        std::string(replicas > 1 ? "warning: " : "info: ") + silent_program_text(replicas, false),
        "info: finished");
    QCOMPARE(catalogue().generations(id)[0].first_step, 0);
    QCOMPARE(catalogue().generations(id)[0].outcome, "finished");
  }

  // The number of replicas, the pause and the time are those of before.
  void anotherSupervisorGoesOnWhereOneWasKilled() {
    const double t = later();
    const std::string id = start(played(2));
    {
      const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
      a.say_hello(t);
      a.make_step(1, t);
      a.make_step(2, t);
      VERIFY_RUN(comes_to(id, [](const RunStatus& now) { return now.step == 2; }));
      QVERIFY(eventually([&] { return catalogue().run(id)->step == 2; }));  // it is recorded
      StoredRuns::write_checkpoint(id, 1, 2);
      ::kill(supervisor(id), SIGKILL);
      QVERIFY(a.gets("TERM\n") && b.gets("TERM\n"));
      QVERIFY(eventually([&] { return catalogue().run(id)->state == RunState::interrupted; }));
      spawn_supervisor(id, 0, {});
      VERIFY_RUN(tells(id, "of an earlier supervisor"));
      QCOMPARE(status(id).generation, 0);
      a.exit(143);
      b.exit(143);
    }
    const PlayedReplica c(file(""), 1, 0), d(file(""), 1, 1);
    QCOMPARE(status(id).step, 2);
    QCOMPARE(status(id).max_profiled, 2);
    c.say_hello(t);
    c.restore("checkpoint-000001", 2, t);
    c.make_step(3, t + 50);
    VERIFY_RUN(comes_to(id, RunState::running));
    ask(id, Command::stop);
    c.exit(143);
    d.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "interrupted");
    QCOMPARE(generations[0].last_step, 2);
    QCOMPARE(generations[1].reason, "resume");
    QCOMPARE(generations[1].replicas, 2);
    COMPARE_TOLD(id, kExecuted, "info: training on 2 replicas",
                 "warning: 2 replicas of an earlier supervisor still run; waiting for their checkpoint",
                 kExecuted, "info: resumed on 2 replicas in " + seconds_text(generations[1].pause),
                 "info: stopped");
    // The number, the time and the pause that it goes on with are those of the newest generation, and what
    // has trained is what made steps.
    spawn_supervisor(id, 3, {});
    {
      const PlayedReplica e(file(""), 2, 0);
      QCOMPARE(status(id).pause, generations[1].pause);
      ask(id, Command::stop);
      for (const int rank : {0, 1, 2}) PlayedReplica(file(""), 2, rank).exit(143);
    }
    VERIFY_RUN(reaches(id, RunState::stopped));
    double before = 0;
    for (const auto& generation : catalogue().generations(id))
      before += generation.ended - generation.started;
    spawn_supervisor(id, 0, {});
    const PlayedReplica f(file(""), 3, 0);
    QCOMPARE(f.variable("ADAPTDL_NUM_REPLICAS"), "3");
    QCOMPARE(status(id).max_profiled, 2);
    QVERIFY(before > 0);
    QVERIFY(status(id).elapsed > before && status(id).elapsed < before + 60);
    ask(id, Command::stop);
    for (const int rank : {0, 1, 2}) PlayedReplica(file(""), 3, rank).exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
  }

  // It does not wait for those that another supervisor has left.
  void aSupervisorThatIsAskedToEndBeforeItBeginsStopsItsRun() {
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    ::kill(supervisor(id), SIGKILL);
    QVERIFY(eventually([&] { return catalogue().run(id)->state == RunState::interrupted; }));
    spawn_supervisor(id, 0, {});
    VERIFY_RUN(tells(id, "1 replica of an earlier supervisor still run"));
    ::kill(supervisor(id), SIGTERM);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(catalogue().generations(id).size(), 1u);
    COMPARE_TOLD(id, kExecuted,
                 "warning: 1 replica of an earlier supervisor still run; waiting for their checkpoint",
                 "info: the supervisor was asked to end; stopping with a checkpoint", "info: stopped");
  }

  // Before the time is over that a restart may take: else it would be given up.
  void aProgramThatTellsNothingCountsAsRunning() {
    protocol::RunSpec spec = played(1);
    spec.time_outs = {.collective = 0.1, .step = 0, .rescale = 1};
    spec.triggers = {protocol::Trigger::parse("step=3:checkpoint"),
                     protocol::Trigger::parse("elapsed=1h:stop")};
    const std::string id = start(spec);
    const PlayedReplica a(file(""), 0, 0);
    QCOMPARE(status(id).state, RunState::starting);
    VERIFY_RUN(comes_to(id, RunState::running));
    QVERIFY(!status(id).rescalable);
    const double pause = status(id).pause;
    QVERIFY2(pause > 0.4 && pause < 10, std::to_string(pause).c_str());
    ask(id, Command::rescale, 2);
    a.exit(143);
    const PlayedReplica b(file(""), 1, 0), c(file(""), 1, 1);
    VERIFY_RUN(comes_to(id, RunState::running));
    QCOMPARE(status(id).replicas, 2);
    QCOMPARE(status(id).phase, "");
    ask(id, Command::stop);
    b.exit(143);
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const std::string running = "debug: the program has reported nothing so far; the run counts as running",
                      waiting =
                          "warning: scripted event step=3:checkpoint cannot happen yet: the program "
                          "does not report its steps";
    COMPARE_TOLD(id, kExecuted, running, waiting, running, waiting, "info: stopped");
  }

  void aSupervisorThatIsAskedToEndStopsItsRun() {
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(later());
    ::kill(supervisor(id), SIGTERM);
    QVERIFY(a.gets("TERM\n"));
    VERIFY_RUN(comes_to(id, RunState::stopping));
    ::kill(supervisor(id), SIGTERM);  // once is enough
    a.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(a.got(), "TERM\n");
    QCOMPARE(told(id)[1], "info: the supervisor was asked to end; stopping with a checkpoint");
    QCOMPARE(told(id).back(), "info: stopped");
  }

  // The supervisor looks each second: are the sockets there, how much is used, is the record there?
  void whatIsTakenAwayIsMissed() {
    const double t = later();
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    a.say_hello(t);
    a.make_step(1, t);
    VERIFY_RUN(comes_to(id, RunState::running));
    const protocol::RunPaths paths = protocol::run_paths(id);
    std::filesystem::remove(paths.control_socket);
    VERIFY_RUN(
        tells(id, "the run's sockets in " + paths.runtime.string() + " were removed, and are made again"));
    QVERIFY(eventually([&] {
      storage::SampleReader samples(paths.samples);
      return !samples.read("device/memory/0", 0).empty();
    }));
    QCOMPARE(storage::SampleReader(paths.samples).read("device/memory/0", 0)[0].step, 1);
    std::filesystem::remove(paths.samples);
    QVERIFY(a.gets("TERM\n"));
    const std::string gone =
        paths.samples.string() + " was removed while the run trained; the record in it is gone";
    VERIFY_RUN(tells(id, gone + "; the run ends, and writes a last checkpoint if it can"));
    QCOMPARE(status(id).state, RunState::stopping);
    a.exit(143);
    VERIFY_RUN(reaches(id, RunState::failed));
    QCOMPARE(catalogue().run(id)->message, gone);
    QCOMPARE(told(id).back(), "error: failed: " + gone);
  }
};

BATCHSCOPE_TEST(TestRunLife)
#include "test_run_life.moc"
