// SPDX-License-Identifier: Apache-2.0
//
// The order of events: who leaves first where runs want each other's devices, and what becomes of a decision
// whose run is held, pinned, changed or ended before it is carried out.
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

class TestPoolOrder : public QObject, private PoolAtWork {
  Q_OBJECT

 private Q_SLOTS:
  // Rounds are five seconds apart.
  void init() { open(60); }
  void cleanup() { close(); }

  // A person asks for fewer in the moment in which it is started: it is started with these, at once.
  void whoAsksForAnotherNumberMeanwhileHasThatOne() {
    const std::string fewer = protocol::Json(protocol::AutoReplicas{1, 1}).dump();
    meddles(
        "CREATE TRIGGER person AFTER INSERT ON lease BEGIN"
        " UPDATE run SET spec = json_set(spec, '$.auto_replicas', json('" +
        fewer + "')) WHERE key = NEW.run; END");
    const std::string a = submit("a");
    begin();
    QTRY_COMPARE_WITH_TIMEOUT((looks(), launched()),
                              Names{"supervise " + a + " --replicas 1 --devices cuda:0"}, kPatience);
    QVERIFY(causes().back() != "a arrived");
  }

  // A run that is held while it waits for a device is not given it, and not waited for either.
  void whoIsHeldMeanwhileIsNotStarted() {
    const auto [a, b] = two_want_one();
    Supervised& run = *supervised_.front();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"pause by the pool"}, kPatience);
    catalogue_->hold(b, true);
    catalogue_->hold(a, true);
    looks();
    run.act();
    looks();
    QVERIFY(rests());
    QVERIFY(launched().empty());
  }

  // A person holds it in the moment in which its device is free: the run that had that one goes on.
  void whoIsHeldAtTheLastMomentIsNotStarted() {
    const auto [a, b] = two_want_one();
    Supervised& run = *supervised_.front();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"pause by the pool"}, kPatience);
    looks();
    meddles(
        "CREATE TRIGGER person AFTER DELETE ON lease BEGIN"
        " UPDATE job SET held = 1 WHERE priority = 8; END");
    run.act();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, (Names{"pause by the pool", "resume cuda:0 by the pool"}),
                              kPatience);
    QVERIFY(launched().empty());
    QVERIFY(catalogue_->job(b)->held && catalogue_->job(b)->target.empty());
  }

  // The pool stays until it knows what has become of a start: a supervisor that comes up is to pause, and one
  // that does not gives its devices back.
  void whoIsHeldAsItStartsIsNotLeftAlone() {
    const std::string a = submit("a", 1);
    const StandardError said;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(launched().size(), 1u, kPatience);
    catalogue_->hold(a, true);
    looks();
    passes(5);
    QVERIFY(!pool_->isFinished());
    QCOMPARE(catalogue_->leases().size(), 1u);
    QVERIFY(passes_until([this] { return catalogue_->leases().empty(); }));
    now_ = now_ + 2.25;
    ends();
  }

  void whoIsNotFromTheQueueIsLeftAlone() {
    protocol::RunSpec spec = spec_of("other");
    spec.auto_replicas.reset();
    const std::string other = catalogue_->create_run(spec), a = submit("a", 1);
    Supervised& run = comes_up(other, {"cuda:0"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(launched(), Names{"supervise " + a + " --replicas 1 --devices cuda:1"},
                              kPatience);
    looks();
    QVERIFY(run.asked.empty());
  }

  // A run that waits for both devices has them both, and not the next one that comes, until it is held.
  void whatSomebodyWaitsForIsNotGivenAway() {
    const std::string a = submit("a", 1), b = catalogue_->submit_run(spec_of("b", 2, 2), {.priority = 3});
    Supervised& run = comes_up(a, {"cuda:0"});
    run.acts = false;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"pause by the pool"}, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(b)->target, (Names{"cuda:0", "cuda:1"}), kPatience);
    const std::string c = submit("c", 1);
    looks();
    QVERIFY(launched().empty() && catalogue_->job(c)->target.empty());
    catalogue_->hold(b, true);
    QTRY_COMPARE_WITH_TIMEOUT(launched(), Names{"supervise " + c + " --replicas 1 --devices cuda:1"},
                              kPatience);
    QVERIFY(catalogue_->job(b)->target.empty());
    QCOMPARE(catalogue_->job(b)->reason, "");
  }

  // It is not to be moved any more, and so it is not, although it was sent to a device that is free now.
  void whoIsPinnedMeanwhileStays() {
    const std::string a = catalogue_->submit_run(spec_of("a", 2, 2), {.priority = 3}), b = submit("b", 1);
    Supervised &first = comes_up(a, {"cuda:0"}), &second = comes_up(b, {"cuda:1"});
    second.acts = false;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(second.asked, Names{"pause by the pool"}, kPatience);
    meddles("UPDATE job SET preemptible = 0 WHERE priority = 3");
    looks();
    second.act();
    looks();
    QVERIFY(first.asked.empty());
  }

  // A run that has ended while it was on its way is waited for no more.
  void whoHasEndedIsNotSentAnywhere() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1,2");
    const std::string a = submit("a"), b = submit("b", 1);
    comes_up(b, {"cuda:2"});
    Supervised& run = comes_up(a, {"cuda:0"});
    run.acts = false;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked.size(), 1u, kPatience);
    catalogue_->set_state(a, RunState::finished);
    catalogue_->release_supervisor(a);
    looks();
    passes(1);
    now_ = now_ + 4;
    QVERIFY(rests());
  }

  // A pause in the moment in which the death is forgotten does not bring it back.
  void whoIsForgivenAsItIsPausedStaysForgiven() {
    set([](auto& settings) { settings.devices = 1; });
    const std::string a = submit("a", 1);
    submit("b", 1);
    has_crashed(a);
    Supervised& run = comes_up(a, {"cuda:0"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target, Names{"cuda:0"}, kPatience);
    meddles("UPDATE job SET submitted = submitted - 1000");
    looks();
    QVERIFY(rests());
    now_ = now_ + 600.25;
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"pause by the pool"}, kPatience);
    QVERIFY(catalogue_->job(a)->preempted);
    QCOMPARE(catalogue_->job(a)->crashes, 0);
  }

  // It was to have more, did not go, and is to have what it has.
  void whereItIsNotToGoAnyMoreItIsNotSent() {
    const std::string a = submit("a");
    Supervised& run = comes_up(a, {"cuda:0"});
    run.acts = false;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"rescale cuda:0,cuda:1 by the pool"}, kPatience);
    looks();
    passes(2.25);
    set([](auto& settings) { settings.devices = 1; });
    looks();
    QVERIFY(rests());
    passes(5);
    QCOMPARE(run.asked.size(), 1u);
  }

  // Each of the two is where the other one is to be: the first gives way, and goes on elsewhere.
  void whoChangePlacesBothArrive() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1,2");
    knows("n2", {"cuda:0"});
    protocol::RunSpec large = spec_of("b", 1);
    large.devices_per_replica = 3;  // which are on this machine only
    const std::string a = submit("a", 1), b = catalogue_->submit_run(large, {});
    Supervised &small = comes_up(a, {"cuda:0"}), &big = comes_up(b, {"n2/cuda:0"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(small.asked, (Names{"pause by the pool", "resume n2/cuda:0 by the pool"}),
                              kPatience);
    QCOMPARE(big.asked, Names{"rescale cuda:0,cuda:1,cuda:2 by the pool"});
  }

  // As above, with one more who has to leave and can do so at once: nobody gives way while that one moves.
  void whoGivesWayDoesSoLast() {
    qputenv("CUDA_VISIBLE_DEVICES", "0,1,2");
    knows("n2", {"cuda:0", "cuda:1"});
    protocol::RunSpec large = spec_of("b", 1);
    large.devices_per_replica = 3;
    const std::string a = submit("a", 1), b = catalogue_->submit_run(large, {}), c = submit("c", 1);
    Supervised &first = comes_up(a, {"cuda:0"}), &big = comes_up(b, {"n2/cuda:0"}),
               &second = comes_up(c, {"cuda:1"});
    first.acts = second.acts = false;
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(first.asked.size() + second.asked.size(), 1u, kPatience);
    const bool is_first = !first.asked.empty();
    Supervised &leaves = is_first ? first : second, &gives_way = is_first ? second : first;
    QCOMPARE(leaves.asked, Names{"rescale n2/cuda:1 by the pool"});
    looks();
    QVERIFY(gives_way.asked.empty());
    gives_way.acts = true;
    leaves.act();
    QTRY_COMPARE_WITH_TIMEOUT(gives_way.asked, (Names{"pause by the pool", "resume n2/cuda:0 by the pool"}),
                              kPatience);
    QCOMPARE(big.asked, Names{"rescale cuda:0,cuda:1,cuda:2 by the pool"});
  }

  void aReplicaWithTwoDevicesHasArrivedWithBoth() {
    protocol::RunSpec spec = spec_of("a", 1);
    spec.devices_per_replica = 2;
    const std::string a = catalogue_->submit_run(spec, {});
    Supervised& run = comes_up(a, {"cuda:0", "cuda:1"}, 2);
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target.size(), 2u, kPatience);
    looks();
    QVERIFY(run.asked.empty());
  }

  // For the same reason, on another device.
  void whereARunIsToBeIsWrittenDown() {
    const std::string a = submit("a", 1);
    Supervised& run = comes_up(a, {"cuda:1"});
    begin();
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->job(a)->target, Names{"cuda:1"}, kPatience);
    set([](auto& settings) { settings.devices = 1; });
    QTRY_COMPARE_WITH_TIMEOUT(run.asked, Names{"rescale cuda:0 by the pool"}, kPatience);
    QCOMPARE(catalogue_->job(a)->target, Names{"cuda:0"});
  }

 private:
  // The one device is a's, which does not act on what it is asked, and b comes before it. Returns both.
  std::pair<std::string, std::string> two_want_one() {
    set([](auto& settings) { settings.devices = 1; });
    const std::string a = submit("a", 1), b = catalogue_->submit_run(spec_of("b", 1), {.priority = 8});
    comes_up(a, {"cuda:0"}).acts = false;
    begin();
    return {a, b};
  }
};

BATCHSCOPE_TEST(TestPoolOrder)
#include "test_pool_order.moc"
