// SPDX-License-Identifier: Apache-2.0
//
// The pool's lines to supervisors: what it knows of each, when one counts as busy, and what the pool is told
// of.
#include "supervisors.h"

#include <QTest>
#include <QThread>

#include "batchscope/pool/queue.h"
#include "patience.h"
#include "store_test.h"
#include "supervised.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;
using batchscope::testing::Supervised;

class TestSupervisors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    qputenv("XDG_STATE_HOME", (folder_ / "state").c_str());
    catalogue_.emplace(folder_ / "runs.db");
    id_ = catalogue_->submit_run(named("a"), {});
    supervised_ = std::make_unique<Supervised>(*catalogue_, id_, Names{"cpu:0"});
    now_ = 1000;
    supervisors_ = std::make_unique<Supervisors>([this] { return now_; });
    news_ = 0;
    supervisors_->on_news = [this] { ++news_; };
    supervisors_->follow({id_});
    QTRY_VERIFY_WITH_TIMEOUT(status(), kPatience);
  }
  void cleanup() {
    supervisors_.reset();
    supervised_.reset();
  }
  void cleanupTestCase() {
    for (const char* name : {"BATCHSCOPE_DB", "XDG_STATE_HOME"}) qunsetenv(name);
  }

  void whatASupervisorHasIsKnown() {
    QCOMPARE(status()->devices, Names{"cpu:0"});
    QVERIFY(!isBusy() && news_ > 0);
    QVERIFY(!supervisors_->contact("another").status);
    supervisors_->follow({id_});
    QVERIFY(status());
  }

  void whoGoesIsTold() {
    const int before = news_;
    supervised_.reset();
    QTRY_VERIFY_WITH_TIMEOUT(!status(), kPatience);
    QVERIFY(news_ > before);
  }

  // A status that has nothing new in it is no reason to look at everything again.
  void whatStaysAsItIsIsNotTold() {
    ask({"cpu:0", "cpu:1"});
    QTRY_VERIFY_WITH_TIMEOUT(status()->replicas == 2, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!isBusy(), kPatience);
    const int before = news_;
    supervised_->act();
    supervised_->act();
    ask({"cpu:0"});
    QTRY_VERIFY_WITH_TIMEOUT(status()->replicas == 1, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!isBusy(), kPatience);
    QVERIFY2(news_ <= before + 2, qPrintable(QString::number(news_ - before)));  // its answer, its devices
  }

  void whoIsAskedIsBusyUntilItHasMoved() {
    supervised_->acts = false;
    ask({"cpu:1"});
    QVERIFY(isBusy());
    QTRY_COMPARE_WITH_TIMEOUT(supervised_->asked, Names{"rescale cpu:1"}, kPatience);
    QVERIFY(isBusy());
    supervised_->act();
    QTRY_COMPARE_WITH_TIMEOUT(status()->devices, Names{"cpu:1"}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!isBusy(), kPatience);
  }

  // A state is a step on its way, too.
  void whoBeginsToMoveHasHeard() {
    supervised_->acts = false;
    int before = news_;
    ask({"cpu:1"});
    QTRY_VERIFY_WITH_TIMEOUT(news_ > before, kPatience);  // it answers
    QVERIFY(isBusy());
    before = news_;
    supervised_->becomes(protocol::RunState::restarting);
    QTRY_COMPARE_WITH_TIMEOUT(status()->state, protocol::RunState::restarting, kPatience);
    QVERIFY(!isBusy() && news_ > before);
    before = news_;
    supervised_->becomes(protocol::RunState::restarting);
    ask({"cpu:1"});
    QTRY_VERIFY_WITH_TIMEOUT(news_ > before, kPatience);
    QVERIFY(isBusy() && news_ == before + 1);
  }

  void whoSaysSomethingIsNotExpectedAnyMore() {
    supervisors_->expect(id_);
    QVERIFY(supervisors_->expected(id_));
    supervised_->becomes(protocol::RunState::running);  // as it was
    QTRY_VERIFY_WITH_TIMEOUT(!supervisors_->expected(id_), kPatience);
  }

  void whoIsCancelledIsToldToStop() {
    std::string fault;
    const std::unique_ptr<QThread> person(QThread::create([&] {
      storage::Catalogue catalogue(folder_ / "runs.db");
      fault = batchscope::testing::thrown_by([&] { cancel(catalogue, id_); });
    }));
    person->start();
    QTRY_VERIFY_WITH_TIMEOUT(person->isFinished(), kPatience);
    QCOMPARE(supervised_->asked, Names{"stop"});
    QCOMPARE(fault, "nothing was thrown");
  }

  // The pool is just starting it: there is nobody yet who could be told.
  void whoIsBeingStartedIsCancelledInTheEnd() {
    const std::string b = catalogue_->submit_run(named("b"), {});
    catalogue_->lease_devices(b, always({"cpu:5"}));
    std::string fault;
    const std::unique_ptr<QThread> person(QThread::create([&] {
      storage::Catalogue catalogue(folder_ / "runs.db");
      fault = batchscope::testing::thrown_by([&] { cancel(catalogue, b); });
    }));
    person->start();
    QTest::qWait(60);
    QVERIFY(!person->isFinished());
    catalogue_->release_devices(b);
    QTRY_VERIFY_WITH_TIMEOUT(person->isFinished(), kPatience);
    QCOMPARE(fault, "nothing was thrown");
    QCOMPARE(catalogue_->run(b)->state, protocol::RunState::stopped);
    QCOMPARE(catalogue_->run(b)->message, "cancelled");
  }

  void whoRefusesSaysWhyAndIsNotBusy() {
    supervised_->refuses = true;
    ask({"cpu:1"});
    QTRY_COMPARE_WITH_TIMEOUT(refused_, "it is busy", kPatience);
    QVERIFY(!isBusy());
  }

  // It has said that it does what it was asked, and nothing is to be seen of that.
  void whoDoesNotMoveIsBusyForTwoSeconds() {
    supervised_->acts = false;
    const int before = news_;
    ask({"cpu:1"});
    QTRY_VERIFY_WITH_TIMEOUT(news_ > before, kPatience);
    now_ += 1.9;
    QVERIFY(isBusy());
    now_ += 0.1;
    QVERIFY(status() && !isBusy());
  }

  // One that does not answer within five seconds hangs: nothing is known of it.
  void whoDoesNotAnswerIsNotThere() {
    supervised_->answers = false;
    ask({"cpu:1"});
    QTRY_COMPARE_WITH_TIMEOUT(supervised_->asked.size(), 1u, kPatience);
    now_ += 5;
    QVERIFY(status() && isBusy());
    now_ += 0.1;
    QVERIFY(!status() && !isBusy());
    supervisors_->follow({});  // it may answer yet
    now_ -= 0.1;
    QVERIFY(status() && isBusy());
  }

  void whoIsToComeUpHasTenSeconds() {
    supervisors_->expect("b");
    now_ += 9.9;
    QVERIFY(supervisors_->expected("b") && supervisors_->contact("b").busy);
    now_ += 0.1;
    QVERIFY(!supervisors_->expected("b") && !supervisors_->contact("b").busy);
    supervisors_->expect("b");
    QVERIFY(supervisors_->expected("b"));
  }

  void whoIsToComeUpIsBusyUntilItIsGivenUp() {
    supervisors_->expect("b");
    QVERIFY(supervisors_->expected("b") && supervisors_->contact("b").busy);
    QVERIFY(!supervisors_->expected(id_));
    supervisors_->give_up("b");
    QVERIFY(!supervisors_->expected("b") && !supervisors_->contact("b").busy);
  }

  // Whoever is not followed any more is let go, but for what it was asked and has not answered.
  void whoIsNotFollowedIsLetGo() {
    supervisors_->expect("b");
    supervisors_->follow({});
    QVERIFY(!status() && supervisors_->expected("b"));
    now_ += 10.1;
    supervisors_->follow({});
    now_ -= 10;
    QVERIFY(!supervisors_->expected("b"));
  }

 private:
  using Names = std::vector<std::string>;

  std::optional<protocol::RunStatus> status() { return supervisors_->contact(id_).status; }
  bool isBusy() { return supervisors_->contact(id_).busy; }
  void ask(const Names& devices) {
    protocol::Request request;
    request.command = protocol::Request::Command::rescale;
    request.devices = devices;
    supervisors_->send(id_, request, [this](const std::string& why) { refused_ = why; });
  }

  Folder folder_;
  std::optional<storage::Catalogue> catalogue_;
  std::string id_, refused_;
  std::unique_ptr<Supervised> supervised_;
  std::unique_ptr<Supervisors> supervisors_;
  int news_ = 0;
  double now_ = 0;  // s
};

BATCHSCOPE_TEST(TestSupervisors)
#include "test_supervisors.moc"
