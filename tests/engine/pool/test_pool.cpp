// SPDX-License-Identifier: Apache-2.0
//
// The pool itself, in a thread of its own, with supervisors that have no replicas: whom it starts and asks,
// in which order, and what it writes down of it.
#include "batchscope/pool/pool.h"

#include <QLocalServer>
#include <cmath>
#include <filesystem>

#include "batchscope/protocol/paths.h"
#include "patience.h"
#include "pool_at_work.h"
#include "standard_error.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;
using batchscope::testing::PoolAtWork;
using batchscope::testing::Supervised;
using protocol::RunState;

class TestPool : public QObject, private PoolAtWork {
  Q_OBJECT

 private Q_SLOTS:
  void init() { open(1); }
  void cleanup() { close(); }

  // One that nobody has measured begins on one device, and shares what it has once another one comes: that is
  // started when the first has given back what it is to have, and not before.
  void devicesGoFromOneToTheOther() {
    const std::string a = submit("a");
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(launched(), Names{"supervise " + a + " --replicas 1 --devices cuda:0"},
                              kPatience);
    Supervised& first = comes_up(a, {"cuda:0"});
    const std::string both = "rescale cuda:0,cuda:1 by the pool";
    QVERIFY(passes_until([&] { return first.asked == Names{both}; }));
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target, (Names{"cuda:0", "cuda:1"}), kPatience);

    first.acts = false;
    const std::string b = submit("b");
    QVERIFY(passes_until([&] { return first.asked.back() == "rescale cuda:0 by the pool"; }));
    looks();
    QCOMPARE(launched().size(), 1u);
    first.acts = true;
    first.act();
    QVERIFY(passes_until(
        [&] { return launched().back() == "supervise " + b + " --replicas 1 --devices cuda:1"; }));
    comes_up(b, {"cuda:1"});

    catalogue_->set_state(b, RunState::finished);
    catalogue_->release_supervisor(b);
    QVERIFY(passes_until([&] { return first.asked.back() == both; }));
    const Names all = causes();
    QCOMPARE(all.front(), "a arrived");
    for (const char* cause : {"a arrived", "b arrived", "b has ended"})
      QVERIFY(std::count(all.begin(), all.end(), cause) <= 1);  // a later one may be told in its place
  }

  // A device that is free is given away between rounds, too; what the last round advised holds until the
  // next.
  void whatARoundAdvisesHoldsUntilTheNext() {
    catalogue_->change_pool_settings([](auto& settings) { settings.turn = 60; });
    submit("a");
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->decisions().size(), 1u, kPatience);
    submit("b");
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->decisions().size(), 2u, kPatience);
    for (const protocol::PoolDecision& decision : catalogue_->decisions())
      QVERIFY(decision.utility > 0 && decision.wanted > 0);
    // A decision that moves nobody is not written down.
    catalogue_->change_pool_settings([](auto& settings) { settings.turn = 61; });
    looks();
    QCOMPARE(catalogue_->decisions().size(), 2u);
  }

  // A person holds it: so the pause is a person's. Released, it is the pool's to go on with.
  void whoIsHeldIsPausedAndGoesOnWhereHeIsReleased() {
    const std::string a = submit("a", 1);
    Supervised& run = comes_up(a, {"cuda:1"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target, Names{"cuda:1"}, kPatience);
    catalogue_->hold(a, true);
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"pause"}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(catalogue_->job(a)->target.empty(), kPatience);
    QVERIFY(catalogue_->job(a)->preempted);
    catalogue_->go_on(a);
    QTRY_COMPARE_WITH_TIMEOUT(run.asked.back(), "resume cuda:0 by the pool", kPatience);
    QTRY_VERIFY_WITH_TIMEOUT((looks(), !catalogue_->job(a)->preempted), kPatience);
    QCOMPARE(run.asked.size(), 2u);
  }

  // A run that waits has no supervisor: nobody is called there, however long it waits.
  void whoWaitsIsNotCalled() {
    catalogue_->change_pool_settings([](auto& settings) { settings.devices = 1; });
    const std::string a = submit("a", 1), b = submit("b", 1);
    comes_up(a, {"cuda:0"});
    const protocol::RunPaths paths = protocol::run_paths(b);
    protocol::make_run_directories(paths);
    QLocalServer nobody;
    QVERIFY(nobody.listen(QString::fromStdString(paths.control_socket.string())));
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target, Names{"cuda:0"}, kPatience);
    looks();
    QVERIFY(!nobody.hasPendingConnections());
  }

  void aPausedPoolStartsNothing() {
    catalogue_->change_pool_settings([](auto& settings) { settings.paused = true; });
    const std::string a = submit("a");
    begin();
    looks();
    QVERIFY(launched().empty());
    catalogue_->change_pool_settings([](auto& settings) { settings.paused = false; });
    QTRY_COMPARE_WITH_TIMEOUT(launched().size(), 1u, kPatience);
  }

  void whatAPersonAsksForIsDone() {
    const std::string a = submit("a");
    Supervised& run = comes_up(a, {"cuda:0", "cuda:1"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target.size(), 2u, kPatience);
    protocol::RunSpec spec = catalogue_->run(a)->spec;
    spec.auto_replicas->max = 1;
    catalogue_->set_spec(a, spec);
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"rescale cuda:0 by the pool"}, kPatience);
    QCOMPARE(catalogue_->last_decision()->cause, "a asks for another number of replicas");
    spec.auto_replicas->max = 2;
    catalogue_->set_spec(a, spec);
    QTRY_COMPARE_WITH_TIMEOUT(run.asked.back(), "rescale cuda:0,cuda:1 by the pool", kPatience);
    catalogue_->change_pool_settings([](auto& settings) { settings.devices = 1; });
    QTRY_COMPARE_WITH_TIMEOUT(run.asked.back(), "rescale cuda:0 by the pool", kPatience);
    QCOMPARE(catalogue_->last_decision()->cause, "the settings were changed");
  }

  // The order of its devices is nobody's business: it is where it was sent, and not preempted any more.
  void whoHasArrivedHasArrivedInAnyOrder() {
    const std::string a = submit("a");
    Supervised& run = comes_up(a, {"cuda:1"});
    storage::Job job = catalogue_->job(a).value();
    job.preempted = true;
    catalogue_->put_job(job);
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"rescale cuda:1,cuda:0 by the pool"}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT((looks(), !catalogue_->job(a)->preempted), kPatience);
    QCOMPARE(run.asked.size(), 1u);
  }

  // Once, however often it is tried again, and once more where it was well in between.
  void whatIsWrongWithTheCatalogueIsSaidOnce() {
    const testing::StandardError said;
    submit("a");
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(launched().size(), 1u, kPatience);
    meddles("ALTER TABLE pool RENAME TO gone");
    QTRY_COMPARE_WITH_TIMEOUT(said.count("the pool cannot decide: "), 1, kPatience);
    looks();
    QCOMPARE(said.count("the pool cannot decide: "), 1);
    meddles("ALTER TABLE gone RENAME TO pool");
    looks();
    meddles("ALTER TABLE pool RENAME TO gone");
    QTRY_COMPARE_WITH_TIMEOUT(said.count("the pool cannot decide: "), 2, kPatience);
  }

  // As for a machine that is rented.
  void aNoticePausesAllAndStartsNothing() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1,2");
    const double began = storage::now();
    const std::string a = submit("a"), other = catalogue_->create_run(spec_of("other"));
    Supervised& queued = comes_up(a, {"cuda:0", "cuda:2"});
    storage::Job job = catalogue_->job(a).value();
    job.target = {"cuda:0", "cuda:2"};  // as a pool before this one decided
    catalogue_->put_job(job);
    Supervised& alone = comes_up(other, {"cuda:1"});
    const std::string mute = catalogue_->create_run(spec_of("mute"));
    catalogue_->lease_devices(mute, always({"cuda:1"}));
    const testing::StandardError said;
    catalogue_->change_pool_settings([](auto& settings) { settings.preempt_notice = "echo at noon; true"; });
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(queued.asked, Names{"pause by the pool"}, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(alone.asked, Names{"pause by the pool"}, kPatience);
    QVERIFY(catalogue_->pool_settings().paused);
    const auto is_told = [&] {
      const auto last = catalogue_->last_decision();
      return last && last->cause.starts_with("the machine will be taken away");
    };
    QTRY_VERIFY_WITH_TIMEOUT(is_told(), kPatience);
    QVERIFY(catalogue_->job(a)->preempted && catalogue_->job(a)->target.empty());
    const protocol::PoolDecision decision = *catalogue_->last_decision();
    VERIFY_HOLDS(decision.cause, "the machine will be taken away (at noon): all runs are paused");
    QCOMPARE(decision.choices.size(), 3u);
    QCOMPARE(said.count("run " + mute + " is not paused: "), 1);
    for (const protocol::PoolChoice& choice : decision.choices) {
      QVERIFY(choice.devices.empty());
      QCOMPARE(choice.before, choice.run == a ? 2 : 1);
      QCOMPARE(choice.why, "waits");
      QCOMPARE(choice.reason, "the machine will be taken away (at noon)");
    }
    QCOMPARE(decision.policy, catalogue_->pool_settings().policy);
    QVERIFY(began <= decision.time && decision.time <= storage::now());
  }

  // Nodes that a command brings are looked for, and those who wait for them are told what is wrong.
  void nodesOfACommandAreLookedFor() {
    catalogue_->change_pool_settings([](auto& settings) {
      settings.nodes_from = "echo n2 #";
      settings.agents_by = "/bin/false";
    });
    const std::string a = catalogue_->submit_run(spec_of("a", 3, 3), {});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT((looks(), catalogue_->pool_settings().agents), "n2", kPatience);
    const std::string reason = "waits for nodes: n2 is not there: ";
    QVERIFY(passes_until([&] { return catalogue_->job(a)->reason.starts_with(reason); }));
    QCOMPARE(catalogue_->pool_nodes().at(0).name, "n2");
    QVERIFY(!catalogue_->pool_nodes().at(0).there);
  }

  // The number of devices that would be worth having is told to a person's command, and written down.
  void whatIsWorthHavingIsTold() {
    catalogue_->change_pool_settings([&](auto& settings) {
      settings.scale_command = "f() { echo $1 >> " + (folder_ / "wanted").string() + "; }; f";
    });
    for (const char* name : {"a", "b", "c", "d"}) submit(name, 1);
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->decisions().size(), 1u, kPatience);
    QCOMPARE(catalogue_->last_decision()->wanted, 4);
    QTRY_VERIFY_WITH_TIMEOUT(
        std::filesystem::exists(folder_ / "wanted") && contents(folder_ / "wanted") == "4\n", kPatience);
  }

  // As soon as it is decided, although nothing is given away.
  void whatIsWorthHavingIsToldAtOnce() {
    catalogue_->change_pool_settings([&](auto& settings) {
      settings.scale_command = "f() { echo $1 >> " + (folder_ / "wanted").string() + "; }; f";
    });
    const std::string a = submit("a", 1), b = submit("b", 1);
    for (const char* name : {"c", "d"}) submit(name, 1);
    comes_up(a, {"cuda:0"});
    comes_up(b, {"cuda:1"});
    begin();
    QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(folder_ / "wanted"), kPatience);
  }

  // Until then a second one leaves at once.
  void onePoolIsEnough() {
    submit("a", 1);
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(launched().size(), 1u, kPatience);
    QCOMPARE(run_pool(), kExitOk);
    QCOMPARE(launched().size(), 1u);
    QVERIFY(!pool_->isFinished());
  }

  // A person sees when it will end, and no more than that where nothing is known.
  void whenItEndsIsWrittenDown() {
    const std::string a = submit("a", 1), b = submit("b", 1);
    protocol::Model model;
    model.perf = protocol::PerfParams{1, 0, 0, 0, 0, 0, 1};  // a step of one second
    model.grad_sqr = model.grad_var = 1;
    model.init_batch_size = model.max_batch_size = 10;
    model.min_local_batch_size = model.max_local_batch_size = 10;
    catalogue_->put_model(a, 0, model);
    catalogue_->set_progress(a, 100, 1, 4, 0.25, {{"progress", 100}});
    comes_up(a, {"cuda:0"});
    comes_up(b, {"cuda:1"});
    begin();
    QTRY_VERIFY_WITH_TIMEOUT(catalogue_->job(a)->expected_end > 0, kPatience);
    QVERIFY(std::abs(catalogue_->job(a)->expected_end - storage::now() - 300) < 30);
    QCOMPARE(catalogue_->job(b)->expected_end, 0.0);
    // It has come further, which is all that has changed.
    looks();
    const std::string reason = catalogue_->job(a)->reason;
    catalogue_->set_progress(a, 200, 2, 4, 0.5, {{"progress", 200}});
    model.step = 200;
    catalogue_->put_model(a, 0, model);
    looks();
    passes(1);
    QVERIFY(std::abs(catalogue_->job(a)->expected_end - storage::now() - 200) < 30);
    QCOMPARE(catalogue_->job(a)->reason, reason);
  }

  // It goes once the command for nodes has nothing to give back any more, and nobody needs it.
  void whoIsNotNeededEnds() {
    catalogue_->change_pool_settings([](auto& settings) {
      settings.nodes_from = "true";
      settings.nodes_ending = true;
    });
    begin();
    ends_ = false;
    QTRY_VERIFY_WITH_TIMEOUT((looks(), catalogue_->pool_settings().nodes_from.empty()), kPatience);
    QVERIFY(!catalogue_->pool_settings().nodes_ending);
    now_ = now_ + 2.25;
    QTRY_VERIFY_WITH_TIMEOUT(pool_->isFinished(), kPatience);
    QCOMPARE(code_, kExitOk);
    QVERIFY(catalogue_->decisions().empty());
  }
};

BATCHSCOPE_TEST(TestPool)
#include "test_pool.moc"
