// SPDX-License-Identifier: Apache-2.0
//
// The life of a job, as the state of its run and what the pool and people say of it make it.
#include "batchscope/pool/queue.h"

#include <QThread>
#include <memory>

#include "batchscope/run/client.h"
#include "batchscope/run/pool.h"
#include "patience.h"
#include "store_test.h"
#include "supervised.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;
using protocol::RunState;

namespace {

// submit() starts one; this one ends at once.
void pretendThereIsAPool(const Folder& folder) {
  write_file(folder / "batchscope-pool", "#!/bin/sh\necho begun >> \"${0%/*}/pools\"\n");
  std::filesystem::permissions(folder / "batchscope-pool", std::filesystem::perms::owner_all);
  qputenv("BATCHSCOPE_BIN", (folder / "").c_str());
  qputenv("BATCHSCOPE_DB", (folder / "runs.db").c_str());
}

protocol::RunSpec trueSpec(const Folder& folder) {
  protocol::RunSpec spec = named("a");
  spec.program = "/bin/true";
  spec.working_directory = (folder / "").string();
  spec.device = "cpu";
  return spec;
}

// How many pools have begun.
int begun(const Folder& folder) {
  const std::string text =
      std::filesystem::exists(folder / "pools") ? contents(folder / "pools") : std::string();
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

class TestQueue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // The devices that one machine lacks, its pool's nodes may have; while one of them is away, nobody knows
  // how many.
  void nodesCountAtSubmission() {
    const Folder folder;
    pretendThereIsAPool(folder);
    storage::Catalogue catalogue(folder / "runs.db");
    protocol::RunSpec spec = trueSpec(folder);
    spec.replicas = static_cast<int>(run::Machine::here().cores.size()) + 2;
    VERIFY_THROWS("conflict", "this machine has", check_submit(spec));
    configure(catalogue, [](auto& settings) { settings.agents = "n2,n3"; });
    protocol::PoolNode n2{"n2", true, 1, "", {"cpu:0"}, {}}, n3{"n3", false, 1, "lost", {"cpu:0"}, {}};
    catalogue.put_pool_nodes({n2, n3});
    check_submit(spec);
    n3.there = true;
    catalogue.put_pool_nodes({n2, n3});
    check_submit(spec);
    ++spec.replicas;
    VERIFY_THROWS("conflict", "the pool's nodes have", check_submit(spec));
    QCOMPARE(run::pool_machine(catalogue).cores.back(), "n3/cpu:0");
    configure(catalogue, [](auto& settings) { settings.agents = "n2"; });
    QCOMPARE(run::pool_machine(catalogue).cores.back(), "n2/cpu:0");
  }

  void theStateOfAJob_data() {
    QTest::addColumn<RunState>("run");
    QTest::addColumn<bool>("held");
    QTest::addColumn<bool>("preempted");
    QTest::addColumn<QString>("job");
    const auto row = [](RunState run, bool held, bool preempted, const char* job) {
      QTest::addRow("%s%s%s", protocol::run_state_name(run), held ? ", held" : "",
                    preempted ? ", preempted" : "")
          << run << held << preempted << job;
    };
    row(RunState::pending, false, false, "pending");
    row(RunState::pending, true, false, "held");
    row(RunState::starting, false, false, "starting");
    row(RunState::running, false, false, "running");
    row(RunState::restarting, false, false, "running");
    row(RunState::paused, false, true, "paused");
    row(RunState::paused, true, true, "held");
    row(RunState::paused, false, false, "held");  // by a person
    row(RunState::failed, true, false, "failed");
    row(RunState::stopping, false, false, "stopping");
    row(RunState::interrupted, false, false, "pending");  // the pool starts it again
    row(RunState::finished, true, false, "succeeded");
    row(RunState::failed, false, false, "failed");
    row(RunState::stopped, false, false, "cancelled");
    row(RunState::damaged, false, false, "failed");
    row(RunState::pausing, false, true, "paused");
    row(RunState::pausing, false, false, "held");
    row(RunState::interrupted, true, false, "held");
  }
  void theStateOfAJob() {
    QFETCH(RunState, run);
    QFETCH(bool, held);
    QFETCH(bool, preempted);
    QFETCH(QString, job);
    storage::Run of;
    of.state = run;
    storage::Job asked;
    asked.held = held;
    asked.preempted = preempted;
    asked.rests = run == RunState::paused || run == RunState::pausing;
    QCOMPARE(job_state_name(job_state(of, asked)), job);
  }

  void waitingIsTimeWithoutDevices() {
    const Folder folder;
    storage::Catalogue catalogue(folder / "runs.db");
    const std::string a = catalogue.submit_run(named("a"), {}), b = catalogue.submit_run(named("b"), {});
    QVERIFY(meddle(folder / "runs.db", "UPDATE job SET submitted = submitted - 100"));
    // Two devices from 40 s to 10 s ago, one of them until now.
    catalogue.lease_devices(a, [](const auto&, const auto&) {
      return std::vector<std::string>{"cpu:0", "cpu:1"};
    });
    QVERIFY(meddle(folder / "runs.db", "UPDATE lease_event SET since = since - 40"));
    QVERIFY(meddle(folder / "runs.db", "UPDATE lease_event SET until = since + 30 WHERE device = 'cpu:0'"));
    const auto entries = queue(catalogue);
    QCOMPARE(entries.size(), 2u);
    QCOMPARE(entries[0].run.id, a);
    QCOMPARE_LE(entries[0].waited, 61.0);
    QCOMPARE_GE(entries[0].waited, 60.0);
    QCOMPARE_GE(entries[1].waited, 100.0);
  }

  void theEndedComeBehindTheOthers() {
    const Folder folder;
    storage::Catalogue catalogue(folder / "runs.db");
    const std::string a = catalogue.submit_run(named("a"), {}), b = catalogue.submit_run(named("b"), {});
    catalogue.create_run(named("not in the queue"));
    cancel(catalogue, a);
    QCOMPARE(queue(catalogue).size(), 1u);
    const auto all = queue(catalogue, true);
    QCOMPARE(all.size(), 2u);
    QCOMPARE(all[0].run.id, b);
    QCOMPARE(job_state_name(all[1].state), "cancelled");
    cancel(catalogue, b);
    QVERIFY(meddle(folder / "runs.db", "UPDATE run SET ended = 100 WHERE id = '" + a + "'"));
    QVERIFY(meddle(folder / "runs.db", "UPDATE run SET ended = 200 WHERE id = '" + b + "'"));
    QVERIFY(meddle(folder / "runs.db", "UPDATE job SET submitted = 70"));
    const auto ended = queue(catalogue, true);
    QCOMPARE(ended[0].run.id, b);  // the newest first
    QCOMPARE(ended[1].run.id, a);
    QCOMPARE(ended[0].waited, 130.0);  // until its end
    QCOMPARE(ended[1].waited, 30.0);
    catalogue.set_state(b, RunState::finished);
    QCOMPARE(queue(catalogue, true)[0].state, JobState::succeeded);
  }

  // A pool that has ended says nothing any more: why a job is held is told without it.
  void whoIsHeldInVainSaysWhy() {
    const Folder folder;
    storage::Catalogue catalogue(folder / "runs.db");
    const std::string first = catalogue.submit_run(named("first"), {});
    const std::string after = catalogue.submit_run(named("a"), {.after = first, .held = true}),
                      alone = catalogue.submit_run(named("b"), {.held = true});
    storage::Job job = catalogue.job(alone).value();
    job.reason = "of long ago";
    catalogue.put_job(job);
    storage::Job waiting = catalogue.job(catalogue.submit_run(named("c"), {})).value();
    waiting.reason = "waits for its turn";
    catalogue.put_job(waiting);
    catalogue.set_state(first, RunState::failed);
    const auto entries = queue(catalogue);
    QCOMPARE(entries.size(), 3u);
    QCOMPARE(entries[2].job.reason, waiting.reason);
    QCOMPARE(entries[0].run.id, after);
    VERIFY_HOLDS(entries[0].job.reason, "held: first (" + first + ") has failed",
                 "batchscope release " + after);
    QCOMPARE(entries[1].job.reason, "");
    catalogue.set_state(alone, RunState::finished);  // which is nothing of today's
    const auto all = queue(catalogue, true);
    const auto ended = std::ranges::find(all, alone, [](const QueueEntry& entry) { return entry.run.id; });
    QCOMPARE(ended->job.reason, "of long ago");
  }

  // Whatever gives the pool something to do begins one.
  void aPoolBeginsWhereItIsNeeded() {
    const Folder folder;
    pretendThereIsAPool(folder);
    storage::Catalogue catalogue(folder / "runs.db");
    int pools = 0;
    const auto begins = [&] {
      ++pools;
      return QTest::qWaitFor([&] { return begun(folder) == pools; }, 20'000);
    };
    configure(catalogue, [](auto& settings) { settings.turn = 60; });  // nobody is in the queue
    const std::string first = submit(catalogue, trueSpec(folder), {.after = "", .held = true});
    QVERIFY(begins());
    JobOptions after;
    after.after = first;
    after.after_end = storage::AfterEnd::fail;
    const std::string id = submit(catalogue, trueSpec(folder), after);
    QVERIFY(begins());
    QVERIFY(catalogue.job(first)->held && !catalogue.job(id)->held && catalogue.job(id)->preemptible);
    QCOMPARE(catalogue.job(id)->after, first);
    QCOMPARE(catalogue.job(id)->after_end, storage::AfterEnd::fail);
    release(catalogue, first);
    QVERIFY(begins());
    QCOMPARE(catalogue.job(id)->after, first);  // which it may still fail
    hold(catalogue, id);                        // the first one waits
    QVERIFY(catalogue.job(id)->held);
    QVERIFY(begins());
    protocol::Request rescale;
    rescale.auto_replicas = protocol::AutoReplicas{1, 0};
    ask_replicas(catalogue, id, rescale);
    QVERIFY(begins());
    configure(catalogue, [](auto& settings) { settings.turn = 90; });
    QVERIFY(begins());
    cancel(catalogue, first);
    cancel(catalogue, id);
    configure(catalogue, [](auto& settings) { settings.turn = 120; });
    configure(catalogue, [](auto& settings) { settings.agents = "n2"; });  // which are looked for
    QVERIFY(begins());
    configure(catalogue, [](auto& settings) {
      settings.nodes_from = "true";
      settings.nodes_ending = true;  // which are given back
    });
    QVERIFY(begins());
    const std::string last = catalogue.submit_run(trueSpec(folder), {});
    prioritise(catalogue, last, -3);  // a pool that there is sees it, and none is needed for it
    QCOMPARE(catalogue.job(last)->priority, -3);
    QCOMPARE(begun(folder), pools);
  }

  // A run that was to follow one that failed follows none where a person releases it.
  void whoIsReleasedFollowsNobody() {
    const Folder folder;
    pretendThereIsAPool(folder);
    storage::Catalogue catalogue(folder / "runs.db");
    const std::string first = catalogue.submit_run(named("first"), {});
    const std::string id = catalogue.submit_run(trueSpec(folder), {.after = first, .held = true});
    catalogue.set_state(first, RunState::failed);
    release(catalogue, id);
    QCOMPARE(catalogue.job(id)->after, "");
    QVERIFY(!catalogue.job(id)->held);
  }

  void anotherNumberIsAskedFor() {
    const Folder folder;
    pretendThereIsAPool(folder);
    storage::Catalogue catalogue(folder / "runs.db");
    configure(catalogue, [](auto& settings) {
      settings.here = false;
      settings.agents = "n2";
    });
    catalogue.put_pool_nodes({{"n2", true, 1, "", {"cpu:0", "cpu:1", "cpu:2"}, {}}});
    const std::string id = catalogue.submit_run(trueSpec(folder), {});
    protocol::Request rescale;
    rescale.replicas = 3;
    ask_replicas(catalogue, id, rescale);
    QCOMPARE(catalogue.run(id)->spec.replicas, 3);
    rescale.replicas.reset();
    rescale.auto_replicas = protocol::AutoReplicas{2, 0};
    ask_replicas(catalogue, id, rescale);
    QCOMPARE(catalogue.run(id)->spec.replicas, 3);  // to begin with
    QVERIFY(catalogue.run(id)->spec.auto_replicas == rescale.auto_replicas);
    rescale.auto_replicas = protocol::AutoReplicas{4, 0};
    VERIFY_THROWS(
        "conflict",
        "the run needs at least 4 replicas, and the pool's nodes have 3 cores for them: ask for fewer",
        ask_replicas(catalogue, id, rescale));
    QCOMPARE(catalogue.run(id)->spec.auto_replicas->min, 2);
    rescale.auto_replicas.reset();
    rescale.devices = {"cpu:0"};
    VERIFY_THROWS("conflict", "the pool chooses its devices", ask_replicas(catalogue, id, rescale));
    protocol::RunSpec wide = trueSpec(folder);
    wide.devices_per_replica = 4;
    VERIFY_THROWS("conflict",
                  "the run needs at least 1 replica with 4 cores each, and a node of the pool has at most 3 "
                  "cores for them",
                  check_submit(wide));
    catalogue.put_pool_nodes({{"n2", true, 1, "", {"cpu:0"}, {}}});
    wide.devices_per_replica = 2;
    VERIFY_THROWS("conflict", "at most 1 core for them", check_submit(wide));
    configure(catalogue, [](auto& settings) { settings.agents = "n2,n3"; });
    catalogue.put_pool_nodes({{"n2", true, 1, "", {"cpu:0"}, {}}, {"n3", true, 1, "", {"cpu:0"}, {}}});
    VERIFY_THROWS("conflict", "at most 1 core for them", check_submit(wide));  // as no node has both
    configure(catalogue, [](auto& settings) { settings.nodes_from = "true"; });
    check_submit(wide);  // a command may bring more
  }

  void whatIsSubmittedGoesAsItWouldFromHere() {
    const Folder folder;
    pretendThereIsAPool(folder);
    storage::Catalogue catalogue(folder / "runs.db");
    protocol::RunSpec spec = trueSpec(folder);
    spec.environment["VIRTUAL_ENV"] = "the person's own";
    qputenv("VIRTUAL_ENV", "/somewhere");
    qputenv("SECRET_TOKEN", "123");
    const std::string id = submit(catalogue, spec, {.pin = true, .priority = 3, .after = "", .held = false});
    const storage::Run run = catalogue.run(id).value();
    QCOMPARE(run.state, RunState::pending);
    QCOMPARE(QByteArray::fromStdString(run.spec.environment.at("PATH")), qgetenv("PATH"));
    QCOMPARE(run.spec.environment.at("VIRTUAL_ENV"), std::string("the person's own"));
    QVERIFY(!run.spec.environment.contains("SECRET_TOKEN"));
    QCOMPARE(catalogue.job(id)->priority, 3);
    QVERIFY(!catalogue.job(id)->preemptible);
  }

  void whatCouldNeverRunIsRefused() {
    const Folder folder;
    pretendThereIsAPool(folder);
    storage::Catalogue catalogue(folder / "runs.db");
    protocol::RunSpec many = trueSpec(folder), one_gpu = many, missing = many;
    many.auto_replicas = protocol::AutoReplicas{4000, 4096};
    one_gpu.device = "cuda:1";
    missing.program = "/nothing/there";
    VERIFY_THROWS("conflict", "4000", submit(catalogue, many, {}));
    VERIFY_THROWS("usage", "use cuda", submit(catalogue, one_gpu, {}));
    VERIFY_THROWS("not_found", "/nothing/there", submit(catalogue, missing, {}));
    JobOptions after;
    after.after = "nothere0";
    VERIFY_THROWS("not_found", "nothere0", submit(catalogue, trueSpec(folder), after));
    QVERIFY(catalogue.runs().empty());
  }

  // A job that was held, stopped and resumed was paused again at once.
  void whatIsReleasedOrResumedIsHeldNoMore() {
    const Folder folder;
    pretendThereIsAPool(folder);
    storage::Catalogue catalogue(folder / "runs.db");
    for (const RunState end : {RunState::stopped, RunState::failed}) {
      const std::string id = submit(catalogue, trueSpec(folder), {});
      hold(catalogue, id);
      catalogue.set_state(id, end, "a reason");
      run::resume_run(catalogue, id, 1);
      const storage::Run back = catalogue.run(id).value();
      QCOMPARE(job_state(back, catalogue.job(id).value()), JobState::pending);
      QVERIFY(back.message.empty() && back.ended == 0 && back.supervisor_pid == 0);
      VERIFY_THROWS("conflict", "the pool chooses its devices", run::resume_run(catalogue, id, 0, {"cpu:0"}));
      VERIFY_THROWS("conflict", "this machine has", run::resume_run(catalogue, id, 4000));
    }
  }

  void whatAPersonPausedGoesOnWhereItIsReleased() {
    const Folder folder;
    pretendThereIsAPool(folder);
    storage::Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.submit_run(trueSpec(folder), {});
    const auto state = [&] { return job_state(catalogue.run(id).value(), catalogue.job(id).value()); };
    QVERIFY(catalogue.claim_supervisor(id));
    catalogue.set_state(id, RunState::paused);
    QCOMPARE(state(), JobState::held);
    release(catalogue, id);
    QCOMPARE(state(), JobState::paused);
    catalogue.set_state(id, RunState::running);
    release(catalogue, id);  // nothing keeps it: a later pause is a person's again
    catalogue.set_state(id, RunState::paused);
    QCOMPARE(state(), JobState::held);
  }

  void whatHasEndedIsLeftAlone() {
    const Folder folder;
    storage::Catalogue catalogue(folder / "runs.db");
    const std::string a = catalogue.submit_run(named("a"), {}), other = catalogue.create_run(named("other"));
    cancel(catalogue, a);
    for (const auto command : {cancel, hold, release})
      VERIFY_THROWS("conflict", "was stopped: `batchscope resume " + a + "` puts it back",
                    command(catalogue, a));
    VERIFY_THROWS("not_found", "other (" + other + ") is not in the queue: batchscope pause",
                  release(catalogue, other));
    catalogue.set_state(other, RunState::finished);
    VERIFY_THROWS("not_found", "other (" + other + ") has finished, and is not in the queue",
                  release(catalogue, other));
    const std::string b = catalogue.submit_run(named("b"), {});
    for (const auto& [state, end] : {std::pair{RunState::finished, ") has finished"},
                                     {RunState::failed, ") has failed: `batchscope resume "}}) {
      catalogue.set_state(b, state);
      VERIFY_THROWS("conflict", end, prioritise(catalogue, b, 1));
      const std::string told = testing::thrown_by([&] { cancel(catalogue, b); });
      QCOMPARE(testing::holds(told, "batchscope resume"), state == RunState::failed);
    }
    VERIFY_THROWS("not_found", "nothere0", prioritise(catalogue, "nothere0", 1));
  }

  // A supervisor that is there and refuses has answered.
  void whatIsRefusedIsAskedOnce() {
    const Folder folder;
    qputenv("BATCHSCOPE_DB", (folder / "runs.db").c_str());
    qputenv("XDG_STATE_HOME", (folder / "state").c_str());
    storage::Catalogue catalogue(folder / "runs.db");
    const std::string a = catalogue.submit_run(named("a"), {});
    testing::Supervised run(catalogue, a, {"cpu:0"});
    run.refuses = true;
    std::string told;
    const std::unique_ptr<QThread> person(QThread::create([&] {
      storage::Catalogue own(folder / "runs.db");
      told = testing::thrown_by([&] { cancel(own, a); });
    }));
    person->start();
    QTRY_VERIFY_WITH_TIMEOUT(person->isFinished(), kPatience);
    VERIFY_HOLDS(told, "it is busy");
    QCOMPARE(run.asked, std::vector<std::string>{"stop"});
    for (const char* name : {"BATCHSCOPE_DB", "XDG_STATE_HOME"}) qunsetenv(name);
  }
};

BATCHSCOPE_TEST(TestQueue)
#include "test_queue.moc"
