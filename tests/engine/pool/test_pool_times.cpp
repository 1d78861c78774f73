// SPDX-License-Identifier: Apache-2.0
//
// The times of the pool itself: when it looks, for whom it waits, when it asks again, and when it ends.
#include <QHostAddress>
#include <QTcpServer>
#include <filesystem>

#include "patience.h"
#include "pool_at_work.h"
#include "standard_error.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;
using batchscope::testing::PoolAtWork;
using batchscope::testing::StandardError;
using batchscope::testing::Supervised;
using protocol::RunState;

class TestPoolTimes : public QObject, private PoolAtWork {
  Q_OBJECT

 private Q_SLOTS:
  // Rounds are five seconds apart.
  void init() { open(60); }
  void cleanup() { close(); }

  void itLooksAtOnceWhereThereIsNewsAndElseEachSecond() {
    const std::string a = submit("a");
    Supervised& run = comes_up(a, {"cuda:0"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"rescale cuda:0,cuda:1 by the pool"}, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target.size(), 2u, kPatience);
    QVERIFY(rests());
    now_ = now_ + 0.75;
    QVERIFY(rests());
    const auto looks_alone = [&] {
      const auto before = last_look();
      return QTest::qWaitFor([&] { return last_look() != before; }, kPatience);
    };
    now_ = now_ + 0.25;
    QVERIFY(looks_alone());
    QVERIFY(rests());
    // Where it has sent somebody, it looks all the time.
    run.acts = false;
    set([](auto& settings) { settings.devices = 1; });
    QTRY_COMPARE_WITH_TIMEOUT(run.asked.back(), "rescale cuda:0 by the pool", kPatience);
    for (int look = 0; look < 5; ++look) QVERIFY(looks_alone());
    // One that gives nothing away sends nobody.
    set([](auto& settings) { settings.paused = true; });
    QVERIFY(rests());
  }

  // A new pool waits for those that train already, but not for ever.
  void whoDoesNotAnswerIsWaitedForForASecond() {
    const std::string mute = submit("mute", 1), b = submit("b", 1);
    catalogue_->claim_supervisor(mute);
    catalogue_->lease_devices(mute, always({"cuda:0"}));
    catalogue_->set_state(mute, RunState::running);
    begin();
    looks();
    QVERIFY(launched().empty());
    passes(1);
    QVERIFY(launched().empty());
    passes(0.25);
    QTRY_COMPARE_WITH_TIMEOUT(launched(), Names{"supervise " + b + " --replicas 1 --devices cuda:1"},
                              kPatience);
  }

  void whatIsRefusedIsDecidedAnewAndAskedLater() {
    const std::string a = submit("a");
    Supervised& run = comes_up(a, {"cuda:0"});
    run.refuses = true;
    const StandardError said;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"rescale cuda:0,cuda:1 by the pool"}, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(said.count("run " + a + " is not moved: it is busy"), 1, kPatience);
    passes(4.75);
    QCOMPARE(run.asked.size(), 1u);
    passes(0.25);
    QTRY_COMPARE_WITH_TIMEOUT(said.count("run " + a + " is not moved: it is busy"), 2, kPatience);
    QCOMPARE(causes().size(), 2u);
    passes(5);
    passes(4.75);
    QCOMPARE(run.asked.size(), 2u);  // after twice the time
    run.refuses = false;
    passes(0.25);
    QTRY_COMPARE_WITH_TIMEOUT(run.asked.size(), 3u, kPatience);
    // It has got there: when it leaves, it is sent there again without a wait.
    looks();
    run.goes_to({"cuda:0"});
    looks();
    set([](auto& settings) { settings.turn = 61; });
    QTRY_COMPARE_WITH_TIMEOUT(run.asked.size(), 4u, kPatience);
  }

  // It has said that it does what it was asked, and does not: nothing is new about that.
  void whatWasDecidedIsNotDecidedAgain() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1,2,3");
    const std::string a = submit("a", 3);
    Supervised& run = comes_up(a, {"cuda:0", "cuda:1"});
    run.acts = false;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"rescale cuda:0,cuda:1,cuda:2 by the pool"}, kPatience);
    looks();
    passes(2.25);
    set([](auto& settings) { settings.turn = 61; });
    looks();
    QCOMPARE(causes(), Names{"a arrived"});
    protocol::RunSpec spec = catalogue_->run(a)->spec;
    spec.auto_replicas->max = 4;
    catalogue_->set_spec(a, spec);
    QTRY_COMPARE_WITH_TIMEOUT(run.asked.back(), "rescale cuda:0,cuda:1,cuda:2,cuda:3 by the pool", kPatience);
    QCOMPARE(causes(), (Names{"a arrived", "a asks for another number of replicas"}));
  }

  void whoDoesNotStartSaysWhyAndIsTriedAgain() {
    std::filesystem::remove(folder_ / "batchscope");
    const std::string a = submit("a");
    const StandardError said;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->crashes, 1, kPatience);
    passes(4.75);
    QCOMPARE(catalogue_->job(a)->crashes, 1);
    passes(0.25);
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->crashes, 2, kPatience);
    VERIFY_HOLDS(catalogue_->job(a)->reason, "its supervisor did not start (1 of ");
    passes(9.75);  // after twice the time
    QCOMPARE(catalogue_->job(a)->crashes, 2);
    QVERIFY(catalogue_->leases().empty());
  }

  void whoWaitsForNodesHearsWhatIsWrong() {
    set([](auto& settings) { settings.nodes_from = "echo none are free; exit 3 #"; });
    const std::string a = catalogue_->submit_run(spec_of("a", 3, 3), {});
    const StandardError said;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(said.count("ended with exit code 3"), 1, kPatience);
    looks();
    passes(5);
    QCOMPARE(catalogue_->job(a)->reason,
             "waits for nodes: the command of batchscope pool --nodes-from ended with exit code 3: none are "
             "free");
    QCOMPARE(catalogue_->pool_settings().agents, "");
  }

  void whoseSupervisorEndsAtOnceIsTriedAgain() {
    program("exit 3");
    const std::string a = submit("a");
    const StandardError said;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->crashes, 1, kPatience);
    QVERIFY(catalogue_->leases().empty());
    passes(4.75);
    QCOMPARE(launched().size(), 1u);
    passes(0.25);
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->crashes, 2, kPatience);
    QCOMPARE(launched().size(), 2u);
  }

  // Two want the one device, and the one that waits has its turn, but no sooner. The other one is known to be
  // preempted for as long as it waits.
  void whoWaitsGetsItsTurn() {
    set([](auto& settings) { settings.devices = 1; });
    const std::string a = submit("a", 1), b = submit("b", 1);
    Supervised& run = comes_up(a, {"cuda:0"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target, Names{"cuda:0"}, kPatience);
    meddles("UPDATE job SET submitted = submitted - 1000");
    passes(59.75);
    QVERIFY(run.asked.empty());
    passes(0.25);
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"pause by the pool"}, kPatience);
    const protocol::PoolDecision decision = catalogue_->last_decision().value();
    QCOMPARE(decision.cause, "a turn is over");
    QCOMPARE(decision.choices[0].run, a);
    QTRY_COMPARE_WITH_TIMEOUT(launched(), Names{"supervise " + b + " --replicas 1 --devices cuda:0"},
                              kPatience);
    comes_up(b, {"cuda:0"});
    looks();
    QVERIFY(catalogue_->job(a)->preempted);
  }

  // A decision that could not be written down is made once more.
  void whatWasWrongIsMadeUpFor() {
    const std::string a = submit("a", 1);
    comes_up(a, {"cuda:0"});
    meddles("CREATE TRIGGER full BEFORE UPDATE OF target ON job BEGIN SELECT RAISE(ABORT, 'full'); END");
    const StandardError said;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(said.count("the pool cannot decide: "), 1, kPatience);
    meddles("DROP TRIGGER full");
    looks();
    passes(5);
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target, Names{"cuda:0"}, kPatience);
  }

  // A death of its supervisor is forgotten when it has trained for ten minutes.
  void whoHasTrainedForLongIsForgiven() {
    const std::string a = submit("a", 1);
    has_crashed(a);
    comes_up(a, {"cuda:0"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target, Names{"cuda:0"}, kPatience);
    QVERIFY(causes().empty());  // it is where it is to be
    passes(600);
    QCOMPARE(catalogue_->job(a)->crashes, 1);
    passes(0.25);
    QCOMPARE(catalogue_->job(a)->crashes, 0);
  }

  // The time in which it waits for a device does not count.
  void whoHasWaitedForLongIsNotForgiven() {
    set([](auto& settings) { settings.devices = 1; });
    const std::string a = submit("a", 1), b = catalogue_->submit_run(spec_of("b", 1), {.priority = 8});
    has_crashed(a);
    comes_up(b, {"cuda:0"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(b)->target, Names{"cuda:0"}, kPatience);
    for (int look = 0; look < 3; ++look) passes(600);
    QCOMPARE(catalogue_->job(a)->crashes, 1);
  }

  void whoComesAfterAnotherSaysSo() {
    const std::string a = submit("a", 1);
    storage::Job after;
    after.after = a;
    const std::string b = submit("b", 1, after);
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(b)->reason, "waits until a (" + a + ") has finished",
                              kPatience);
  }

  void whoIsNotNeededEndsAfterTwoSeconds() {
    begin();
    looks();
    passes(2);
    QVERIFY(!pool_->isFinished());
    now_ = now_ + 1;  // by when it looks
    ends();
  }

  // A node of which nothing is known yet may be there.
  void nodesAreLookedFor() {
    mute("n2");
    begin();
    looks();
    passes(10);
    QVERIFY(!pool_->isFinished());
    set([](auto& settings) { settings.agents.clear(); });
    looks();
    now_ = now_ + 2.25;
    ends();
  }

  // The pool looks as soon as the agent can be reached, although no time passes.
  void aNodeThatComesIsSeenAtOnce() {
    QTcpServer agent;
    QVERIFY(agent.listen(QHostAddress::LocalHost));
    agents_by(
        "while [ -e \"$0\" ] && ! cat \"${0%/*}/offer\"; do sleep 0.1; done 2> /dev/null\n"
        "exec cat > /dev/null");
    set([](auto& settings) { settings.agents = "n2"; });
    begin();
    looks();
    QVERIFY(rests());
    QVERIFY(catalogue_->pool_nodes().empty());
    const protocol::Json offer{{"version", 1},
                               {"node", "n2"},
                               {"address", "127.0.0.1"},
                               {"port", agent.serverPort()},
                               {"cores", Names{"cpu:0"}},
                               {"gpus", Names{"cuda:0"}},
                               {"tls", false}};
    write_file(folder_ / "new", offer.dump() + "\n");
    std::filesystem::rename(folder_ / "new", folder_ / "offer");
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->pool_nodes().size(), 1u, kPatience);
    QVERIFY(catalogue_->pool_nodes()[0].there);
    QCOMPARE(catalogue_->pool_nodes()[0].gpus, Names{"cuda:0"});
  }

  // Nodes that nobody needs are given back, one by one, before the pool ends.
  void nodesAreGivenBack() {
    knows("n2", {"cuda:0"});
    offers("n2\nn3\n");
    knows("n3", {"cuda:0"});
    set([&](auto& settings) { settings.nodes_from = "cat " + (folder_ / "nodes").string() + " #"; });
    begin();
    QTRY_COMPARE_WITH_TIMEOUT((looks(), catalogue_->pool_settings().agents), "n2,n3", kPatience);
    passes(10);
    QVERIFY(!pool_->isFinished());
    set([](auto& settings) { settings.nodes_ending = true; });
    offers("n3\n");
    QVERIFY(passes_until([&] { return catalogue_->pool_settings().agents.empty(); }));
    QVERIFY(catalogue_->pool_settings().nodes_ending);
    offers("");
    QVERIFY(passes_until([&] { return !catalogue_->pool_settings().nodes_ending; }));
    now_ = now_ + 2.25;
    ends();
  }

  // The pool stays for it, whatever is in the way.
  void whatIsToBeGivenBackIsNotForgotten() {
    set([](auto& settings) {
      settings.nodes_from = "true";
      settings.nodes_ending = true;
    });
    meddles("ALTER TABLE lease_event RENAME TO gone");
    const StandardError said;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(said.count("the pool cannot decide: "), 1, kPatience);
    passes(10);
    QVERIFY(!pool_->isFinished());
    meddles("ALTER TABLE gone RENAME TO lease_event");
    QTRY_VERIFY_WITH_TIMEOUT((looks(), !catalogue_->pool_settings().nodes_ending), kPatience);
    now_ = now_ + 2.25;
    ends();
  }

 private:
  // The command for nodes may be reading what it offered before.
  void offers(const std::string& nodes) const {
    write_file(folder_ / "new", nodes);
    std::filesystem::rename(folder_ / "new", folder_ / "nodes");
  }
};

BATCHSCOPE_TEST(TestPoolTimes)
#include "test_pool_times.moc"
