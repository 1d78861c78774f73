// SPDX-License-Identifier: Apache-2.0
//
// The start of a run: what a person has changed since it was looked at, and devices that somebody else has.
#include "launches.h"

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;

class TestLaunches : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    catalogue_.emplace(folder_ / "runs.db");
    supervisors_ = std::make_unique<Supervisors>();
    launches_.emplace(*catalogue_, *supervisors_);
    id_ = catalogue_->submit_run(named("a"), {});
    seen_.run = catalogue_->run(id_).value();
    seen_.job = catalogue_->job(id_);
  }

  void whoAsksForAnotherNumberMeanwhileIsNotStarted() {
    protocol::RunSpec spec = seen_.run.spec;
    spec.replicas += 1;
    catalogue_->set_spec(id_, spec);
    nothingWasTried();
  }

  void whoIsCancelledMeanwhileIsNotStarted() {
    catalogue_->set_state(id_, protocol::RunState::stopped);
    nothingWasTried();
  }

  void aDeviceOfAnothersIsAReason() {
    const std::string other = catalogue_->submit_run(named("b"), {});
    catalogue_->lease_devices(other,
                              [](const auto&, const auto&) { return std::vector<std::string>{"cpu:0"}; });
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::failed);
    QCOMPARE(launches_->why(id_), "not started, because b has cpu:0");
    QCOMPARE(catalogue_->job(id_)->crashes, 0);
  }

 private:
  void nothingWasTried() {
    QCOMPARE(launches_->start(seen_, {"cpu:0"}), Launch::overtaken);
    QVERIFY(launches_->why(id_).empty() && !launches_->any_under_way());
    QVERIFY(catalogue_->leases().empty());
    QCOMPARE(catalogue_->job(id_)->crashes, 0);
  }

  Folder folder_;
  std::optional<storage::Catalogue> catalogue_;
  std::unique_ptr<Supervisors> supervisors_;
  std::optional<Launches> launches_;
  std::string id_;
  Member seen_;
};

BATCHSCOPE_TEST(TestLaunches)
#include "test_launches.moc"
