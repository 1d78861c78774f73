// SPDX-License-Identifier: Apache-2.0
//
// The pool's view: who takes part, who keeps his devices, who waits for what.
#include "world.h"

#include <unistd.h>

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;
using protocol::RunState;

namespace {

using Devices = std::vector<std::string>;

}  // namespace

class TestWorld : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    catalogue_.emplace(folder_ / "runs.db");
    contacts_.clear();
  }

  void whatIsSubmittedMayHaveDevices() {
    const std::string id = catalogue_->submit_run(named("a"), {});
    QCOMPARE(of(id).standing, Standing::free);
    QCOMPARE(of(id).waiting_since, catalogue_->job(id)->submitted);
  }

  void whatTrainsMayBeMovedWhereItsProgramCan() {
    const std::string id = training("a", {"cpu:1", "cpu:0"});
    QCOMPARE(of(id).standing, Standing::free);
    QCOMPARE(of(id).held, (Devices{"cpu:0", "cpu:1"}));
    QCOMPARE(of(id).max_profiled, 2);
    QCOMPARE(of(id).pause, 0.25);
    contacts_[id].status->rescalable = false;
    QCOMPARE(of(id).standing, Standing::fixed);
  }

  void whoIsOnHisWayOrSilentIsLeftAlone() {
    const std::string id = training("a", {"cpu:0"});
    contacts_[id].status->state = RunState::restarting;
    QCOMPARE(of(id).standing, Standing::in_motion);
    contacts_[id].status->state = RunState::running;
    contacts_[id].busy = true;
    storage::Job job = catalogue_->job(id).value();
    job.target = {"cpu:0", "cpu:1"};
    catalogue_->put_job(job);
    QCOMPARE(of(id).standing, Standing::in_motion);
    QCOMPARE(of(id).reserved, (Devices{"cpu:0", "cpu:1"}));
    contacts_[id].busy = false;
    contacts_[id].status->state = RunState::restarting;  // with what it has taken
    QCOMPARE(of(id).standing, Standing::in_motion);
    QCOMPARE(of(id).reserved, (Devices{"cpu:0"}));
    contacts_.clear();
    QCOMPARE(of(id).standing, Standing::in_motion);
    QVERIFY(of(id).note.find("does not answer") != std::string::npos);
  }

  // The supervisor knows better than the row, which comes later.
  void whatASupervisorSaysCounts() {
    const std::string id = training("a", {"cpu:0"});
    protocol::RunStatus& status = *contacts_[id].status;
    status.state = RunState::pausing;
    status.replicas = 3;
    status.generation = 4;
    const Member member = of(id);
    QCOMPARE(member.run.state, RunState::pausing);
    QCOMPARE(member.run.replicas, 3);
    QCOMPARE(member.restarts, 4);
    QCOMPARE(member.note, "is pausing");
  }

  void theWorldIsOfNowAndHere() {
    const std::string id = catalogue_->submit_run(named("a"), {}), lost = training("b", {"cpu:0"});
    catalogue_->set_state(lost, RunState::damaged);
    const double before = storage::now();
    const World world = look(*catalogue_, machine_, [](const std::string&) { return Contact(); });
    QVERIFY(before <= world.now && world.now <= storage::now());
    QCOMPARE(world.machine.cores, machine_.cores);
    QCOMPARE(world.members.size(), 1u);  // of one that is damaged nothing is known
    QCOMPARE(world.members[0].run.id, id);
  }

  void whatWasPinnedKeepsItsDevices() {
    const std::string id = training("a", {"cpu:0"}, {.preemptible = false});
    QCOMPARE(of(id).standing, Standing::fixed);
    QCOMPARE(of(catalogue_->submit_run(named("b"), {.preemptible = false})).standing, Standing::free);
  }

  void aPersonsPauseIsHisOwn() {
    const std::string id = training("a", {});
    contacts_[id].status->state = RunState::paused;
    catalogue_->set_state(id, RunState::paused);
    QCOMPARE(of(id).standing, Standing::outside);
    storage::Job job = catalogue_->job(id).value();
    job.preempted = true;
    catalogue_->put_job(job);
    QCOMPARE(of(id).standing, Standing::free);
  }

  void whoIsHeldGivesBack() {
    const std::string id = training("a", {"cpu:0"});
    catalogue_->hold(id, true);
    QCOMPARE(of(id).standing, Standing::outside);
    QVERIFY(of(id).to_be_paused);
    catalogue_->release_devices(id);
    QVERIFY(!of(id).to_be_paused);
    catalogue_->hold(id, false);
    QCOMPARE(of(id).standing, Standing::free);
  }

  void whoComesAfterAnotherWaitsForItsEnd() {
    const std::string first = catalogue_->submit_run(named("first"), {});
    const std::string id = catalogue_->submit_run(named("a"), {.after = first});
    QCOMPARE(of(id).standing, Standing::outside);
    QVERIFY(of(id).note.find("first") != std::string::npos);
    catalogue_->set_state(first, RunState::finished);
    QCOMPARE(of(id).standing, Standing::free);
  }

  void whoComesAfterAFailureIsHeld() {
    const std::string first = catalogue_->submit_run(named("first"), {});
    const std::string id = catalogue_->submit_run(named("a"), {.after = first});
    catalogue_->set_state(first, RunState::failed);
    QCOMPARE(of(id).standing, Standing::outside);
    QVERIFY(of(id).note.find("first") != std::string::npos);
    QVERIFY(of(id).note.find("has failed") != std::string::npos);
    QVERIFY(catalogue_->job(id)->held);
    catalogue_->hold(id, false);
    catalogue_->forget_after(id);
    QCOMPARE(of(id).standing, Standing::free);
  }

  // The message says what is awaited, what came instead, and how to begin all the same.
  void theNoteSaysWhatIsAwaited() {
    using storage::AfterEnd;
    for (const auto& [end, words] : {std::pair{AfterEnd::ok, "has finished"},
                                     {AfterEnd::end, "has ended"},
                                     {AfterEnd::fail, "has failed"}}) {
      const std::string first = catalogue_->submit_run(named("first"), {}), name = "first (" + first + ")";
      const std::string id = catalogue_->submit_run(named("a"), {.after = first, .after_end = end});
      QCOMPARE(of(id).note, "waits until " + name + " " + words);
      catalogue_->set_state(first, end == AfterEnd::fail ? RunState::finished : RunState::stopped);
      if (end == AfterEnd::end) {
        QCOMPARE(of(id).note, "");
        continue;
      }
      const std::string came = end == AfterEnd::fail ? "has finished" : "was stopped";
      const std::string note = "held: " + name + " " + came + ", and this run begins only when it " + words +
                               "; to begin it anyway: batchscope release " + id;
      QCOMPARE(of(id).note, note);
      QCOMPARE(of(id).note, note);  // held by now
    }
  }

  void whatWasRemovedNeverFinishes() {
    using storage::AfterEnd;
    const std::string first = catalogue_->create_run(named("first"));
    catalogue_->set_state(first, RunState::finished);
    catalogue_->move_to_trash(first);
    const std::string ok = catalogue_->submit_run(named("a"), {.after = first}),
                      end = catalogue_->submit_run(named("b"), {.after = first, .after_end = AfterEnd::end});
    VERIFY_HOLDS(of(ok).note, "held: run " + first + " was removed, and this run begins only when it");
    QCOMPARE(of(end).standing, Standing::free);
  }

  // As afterok, afterany and afternotok of Slurm.
  void whichEndIsWaitedFor() {
    using storage::AfterEnd;
    for (const RunState end : {RunState::finished, RunState::failed, RunState::stopped, RunState::damaged})
      for (const AfterEnd awaited : {AfterEnd::ok, AfterEnd::end, AfterEnd::fail}) {
        const std::string first = catalogue_->submit_run(named("first"), {});
        const std::string id = catalogue_->submit_run(named("a"), {.after = first, .after_end = awaited});
        QCOMPARE(of(id).standing, Standing::outside);
        catalogue_->set_state(first, end);
        const bool begins =
            awaited == AfterEnd::end || (awaited == AfterEnd::ok) == (end == RunState::finished);
        QCOMPARE(of(id).standing, begins ? Standing::free : Standing::outside);
        QCOMPARE(catalogue_->job(id)->held, !begins);
      }
  }

  // The pool's own, and a pause counts as having no devices.
  void itsMovesAreReadFromItsGenerations() {
    const std::string id = training("a", {"cpu:0"});
    const double now = storage::now();
    const auto add = [&](int number, int replicas, const char* reason, double began, double ended,
                         double pause) {
      storage::Generation generation;
      generation.number = number;
      generation.replicas = replicas;
      generation.reason = reason;
      generation.started = now + began;
      generation.ended = ended == 0 ? 0 : now + ended;
      generation.pause = pause;
      catalogue_->put_generation(id, generation);
    };
    add(0, 1, "start", -9000, -8000, -1);
    add(1, 2, "rescale", -8000, -90, 3);
    add(2, 1, "pool", -90, -60, 2);
    add(3, 1, "resume", -50, -40, 1);
    add(4, 1, "crash", -40, 0, 7);
    const std::vector<policy::Move> moves = of(id).moves;
    std::vector<int> devices;
    double lost = 0;
    for (const policy::Move& move : moves) {
      devices.push_back(move.devices);
      lost += move.seconds;
    }
    QCOMPARE(devices, (std::vector{2, 1, 0, 1, 1}));
    QCOMPARE(lost, 3.0);
    QCOMPARE(moves[2].time, now - 60);
  }

  // Where nothing is known of what was before, it has paused in nobody's sight.
  void theFirstMoveMayBeOnlyItsEnd() {
    const std::string id = training("a", {"cpu:0"});
    storage::Generation generation;
    generation.replicas = 2;
    generation.reason = "resume";
    generation.started = storage::now() - 50;
    generation.pause = 1.5;
    catalogue_->put_generation(id, generation);
    const std::vector<policy::Move> moves = of(id).moves;
    QCOMPARE(moves.size(), 1u);
    QCOMPARE(moves[0].devices, 2);
    QCOMPARE(moves[0].seconds, 1.5);
  }

  // A run's turn comes by when it last had a device, and lasts from when it got the first.
  void devicesThatItHadAreRemembered() {
    const std::string id = training("a", {"cpu:0", "cpu:1"});
    const auto set = [&](const char* device, double since, double until) {
      const double now = storage::now();
      return meddle(folder_ / "runs.db", "UPDATE lease_event SET since = " + std::to_string(now + since) +
                                             ", until = " + std::to_string(until == 0 ? 0 : now + until) +
                                             " WHERE device = '" + device + "'");
    };
    QVERIFY(meddle(folder_ / "runs.db", "UPDATE job SET submitted = submitted - 9000"));
    QVERIFY(set("cpu:0", -60, 0) && set("cpu:1", -40, 0));
    const auto is_ago = [](double time, double seconds) {
      return std::abs(time - (storage::now() - seconds)) < 1;
    };
    QVERIFY(is_ago(of(id).held_since, 60));
    QVERIFY(is_ago(of(id).waiting_since, 0));
    catalogue_->release_devices(id);
    QVERIFY(set("cpu:0", -60, -30) && set("cpu:1", -40, -20));
    QVERIFY(is_ago(of(id).waiting_since, 20));
    QCOMPARE(of(id).held_since, 0.0);
    QVERIFY(set("cpu:0", -9999, -9000) && set("cpu:1", -9999, -9500));  // before it was submitted last
    QVERIFY(is_ago(of(id).waiting_since, 9000));
    // Devices that it had more than a day ago are forgotten.
    QVERIFY(meddle(folder_ / "runs.db", "UPDATE job SET submitted = submitted - 100000"));
    const double day = 86400;
    QVERIFY(set("cpu:0", -day - 90, -day - 10) && set("cpu:1", -day - 90, -day - 20));
    QVERIFY(is_ago(of(id).waiting_since, 109000));
    QVERIFY(set("cpu:0", -day - 90, -day + 10));
    QVERIFY(is_ago(of(id).waiting_since, day - 10));
  }

  void theMostReplicasEverMeasuredCount() {
    const std::string id = training("a", {"cpu:0"});
    protocol::Model model;
    for (const auto& [of_model, most] : {std::pair{1, 2}, {3, 3}}) {
      model.max_profiled_replicas = of_model;
      catalogue_->put_model(id, 0, model);
      QCOMPARE(of(id).max_profiled, most);
    }
    contacts_[id].status->pause = 0;  // no restart yet
    QCOMPARE(of(id).pause, 0.5);
  }

  // Until it has devices, nothing of it can be in anybody's way.
  void whoIsNotThereYetIsNotGivenAnything() {
    const std::string id = training("a", {});
    contacts_[id].status.reset();
    QCOMPARE(of(id).standing, Standing::outside);
    QCOMPARE(of(id).note, "its supervisor does not answer");
    contacts_[id].busy = true;
    QCOMPARE(of(id).standing, Standing::in_motion);
    contacts_[id] = {protocol::RunStatus{}, false};
    for (const RunState state : {RunState::starting, RunState::restarting, RunState::stopping}) {
      contacts_[id].status->state = state;
      QCOMPARE(of(id).standing, Standing::outside);
      QCOMPARE(of(id).note, std::string("is ") + run_state_name(state));
    }
    contacts_[id].status->state = RunState::running;
    QCOMPARE(of(id).standing, Standing::free);
  }

  void aDrainingPoolStartsNothing() {
    const std::string id = catalogue_->submit_run(named("a"), {}), other = training("b", {"cpu:0"});
    catalogue_->change_pool_settings([](auto& settings) { settings.draining = true; });
    QCOMPARE(of(id).standing, Standing::outside);
    QCOMPARE(of(id).note, "the pool is draining: nothing is started");
    QCOMPARE(of(other).standing, Standing::free);
  }

  void whatWasStartedOtherwiseTakesPartWithWhatItHas() {
    protocol::RunSpec elastic = named("elastic"), one_gpu = named("one GPU");
    elastic.auto_replicas.emplace();
    one_gpu.auto_replicas.emplace();
    one_gpu.device = "cuda:1";
    const std::string a = lease(catalogue_->create_run(elastic), {"cpu:0"});
    const std::string b = lease(catalogue_->create_run(named("fixed")), {"cpu:1"});
    const std::string c = lease(catalogue_->create_run(one_gpu), {"cuda:1"});
    QCOMPARE(of(a).standing, Standing::free);
    QVERIFY(catalogue_->job(a).has_value());
    for (const std::string& id : {b, c}) {
      QCOMPARE(of(id).standing, Standing::fixed);
      QVERIFY(!catalogue_->job(id));
    }
  }

  void whoseSupervisorDiedWaitsAgain() {
    const std::string id = training("a", {});
    catalogue_->release_supervisor(id);  // its last words are still in the contacts
    QCOMPARE(of(id).run.state, RunState::interrupted);
    QCOMPARE(of(id).standing, Standing::free);
  }

 private:
  // This process is its supervisor.
  std::string lease(const std::string& id, const Devices& devices) {
    if (!devices.empty()) catalogue_->lease_devices(id, [&](const auto&, const auto&) { return devices; });
    catalogue_->claim_supervisor(id);
    catalogue_->set_state(id, RunState::running);
    protocol::RunStatus status;
    status.state = RunState::running;
    status.rescalable = true;
    status.max_profiled = 2;
    status.pause = 0.25;
    contacts_[id] = {status, false};
    return id;
  }
  std::string training(const std::string& name, const Devices& devices, const storage::Job& job = {}) {
    return lease(catalogue_->submit_run(named(name.c_str()), job), devices);
  }

  Member of(const std::string& id) {
    const World world = look(*catalogue_, machine_, [this](const std::string& run) {
      const auto found = contacts_.find(run);
      return found == contacts_.end() ? Contact() : found->second;
    });
    for (const Member& member : world.members)
      if (member.run.id == id) return member;
    return {};
  }

  Folder folder_;
  std::optional<storage::Catalogue> catalogue_;
  run::Machine machine_{{"cpu:0", "cpu:1"}, {}};
  std::map<std::string, Contact> contacts_;
};

BATCHSCOPE_TEST(TestWorld)
#include "test_world.moc"
