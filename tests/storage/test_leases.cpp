// SPDX-License-Identifier: Apache-2.0
//
// Leases of devices: what a run takes others see, two never take the same by accident, the dead hold nothing.
#include <algorithm>
#include <memory>

#include "sleeper.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

namespace {

// The first of these that nobody has.
Catalogue::Choice first_free(const Names& devices) {
  return [devices](const std::vector<Lease>& of_others, const Names&) -> Names {
    for (const std::string& device : devices)
      if (std::none_of(of_others.begin(), of_others.end(),
                       [&](const Lease& lease) { return lease.device == device; }))
        return {device};
    throw Error(ErrorKind::conflict, "none is free");
  };
}

}  // namespace

class TestLeases : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    catalogue_.emplace(folder_ / "runs.db");
  }

  void whatIsLeasedIsSeen() {
    const std::string a = catalogue_->create_run(named("a")), b = catalogue_->create_run(named("b"));
    catalogue_->lease_devices(a, always({"cpu:10", "cpu:9", "cuda:0"}));
    catalogue_->lease_devices(b, [&](const std::vector<Lease>& of_others, const Names&) -> Names {
      if (of_others.size() != 3 || of_others[0].run != a || of_others[0].name != "a") return {};
      return {of_others[0].device};  // sharing is the choice's to allow
    });
    QCOMPARE(catalogue_->run(a)->devices, (Names{"cpu:9", "cpu:10", "cuda:0"}));
    QCOMPARE(catalogue_->run(b)->devices, (Names{"cpu:9"}));
    const auto leases = catalogue_->leases();
    QCOMPARE(leases.size(), 4u);
    QCOMPARE(leases[0].device, std::string("cpu:9"));
    QCOMPARE(leases[0].run, a);
    QCOMPARE(leases[1].name, std::string("b"));
  }

  void whoIsInTheQueueIsTold() {
    const std::string queued = catalogue_->submit_run(named("a"), {}),
                      alone = catalogue_->create_run(named("b"));
    catalogue_->lease_devices(queued, always({"cpu:0"}));
    catalogue_->lease_devices(alone, always({"cpu:1"}));
    QVERIFY(catalogue_->leases().at(0).queued && !catalogue_->leases().at(1).queued);
  }

  void leasesThatCannotBeReadAreTold() {
    catalogue_.reset();
    damage_table(folder_ / "runs.db", "lease");
    catalogue_.emplace(folder_ / "runs.db");
    VERIFY_THROWS("corrupt", "runs.db is damaged", catalogue_->lease_events(0));
  }

  void aNewChoiceReplacesTheOld() {
    const std::string id = catalogue_->create_run(named("a"));
    catalogue_->lease_devices(id, always({"cuda:0"}));
    catalogue_->lease_devices(id, [](const std::vector<Lease>& of_others, const Names&) -> Names {
      return of_others.empty() ? Names{"cuda:0", "cuda:1"} : Names{};
    });
    QCOMPARE(catalogue_->run(id)->devices, (Names{"cuda:0", "cuda:1"}));
    catalogue_->release_devices(id);
    QVERIFY(catalogue_->leases().empty());
  }

  void aRefusalChangesNothing() {
    const std::string id = catalogue_->create_run(named("a"));
    catalogue_->lease_devices(id, always({"cuda:0"}));
    QCOMPARE(kind_of([&] { catalogue_->lease_devices(id, first_free({})); }), "conflict");
    QCOMPARE(catalogue_->run(id)->devices, (Names{"cuda:0"}));
    QCOMPARE(kind_of([&] { catalogue_->lease_devices("nothere0", always({})); }), "not_found");
  }

  void theDeadHoldNothing() {
    const std::string a = catalogue_->create_run(named("a")), b = catalogue_->create_run(named("b"));
    Sleeper other([&] {
      Catalogue(folder_ / "runs.db").lease_devices(a, always({"cuda:0"}));
      return true;
    });
    QCOMPARE(kind_of([&] { catalogue_->lease_devices(b, first_free({"cuda:0"})); }), "conflict");
    other.kill();
    QVERIFY(catalogue_->leases().empty());
    QVERIFY(catalogue_->run(a)->devices.empty());
    catalogue_->lease_devices(b, first_free({"cuda:0"}));
    QCOMPARE(catalogue_->run(b)->devices, (Names{"cuda:0"}));
  }

  void aRecycledProcessIdHoldsNothing() {
    const std::string id = catalogue_->create_run(named("a"));
    catalogue_->lease_devices(id, always({"cuda:0"}));
    QVERIFY(meddle(folder_ / "runs.db", "UPDATE lease SET holder_start = holder_start - 1"));
    QVERIFY(catalogue_->leases().empty());
  }

  void twoThatChooseAtTheSameMomentChooseDifferently() {
    const Names gpus{"cuda:0", "cuda:1", "cuda:2"};
    std::vector<std::unique_ptr<Sleeper>> sleepers;
    for (int i = 0; i < 4; ++i) {
      const std::string id = catalogue_->create_run(named("r" + std::to_string(i)));
      sleepers.push_back(std::make_unique<Sleeper>([&, id] {
        return !error_of([&] { Catalogue(folder_ / "runs.db").lease_devices(id, first_free(gpus)); });
      }));
    }
    QCOMPARE(std::count_if(sleepers.begin(), sleepers.end(), [](const auto& s) { return s->answer(); }), 3);
    Names held;
    for (const Lease& lease : catalogue_->leases()) held.push_back(lease.device);
    QCOMPARE(held, gpus);
  }

  // The books have a device open as long as a living process leases it, and no longer, whatever becomes of a
  // run.
  void booksAndLeasesAgree_data() {
    QTest::addColumn<QString>("way");
    for (const char* way : {"finished", "failed", "stopped", "interrupted", "released", "taken away",
                            "killed", "killed and ended by another", "cancelled", "trash"})
      QTest::newRow(way);
  }
  void booksAndLeasesAgree() {
    const QString way = QTest::currentDataTag();
    const std::string id = catalogue_->submit_run(named("a"), {});
    catalogue_->lease_devices(id, always({"cpu:0", "cpu:1"}), -1, "pool");
    const bool killed = way.startsWith("killed") || way == "cancelled" || way == "trash";
    if (killed) {
      catalogue_->release_devices(id);
      Sleeper supervisor([&] {
        Catalogue(folder_ / "runs.db").lease_devices(id, always({"cpu:0"}), 0, "start");
        return true;
      });
      QCOMPARE(open_in_the_books(id), 1);
      supervisor.kill();
    }
    if (way == "finished" || way == "failed" || way == "stopped" || way == "interrupted")
      catalogue_->set_state(id, protocol::parse_run_state(way.toStdString()));
    if (way == "released") catalogue_->release_devices(id);
    if (way == "taken away") catalogue_->lease_devices(id, always({}));
    if (way == "killed and ended by another") catalogue_->set_state(id, RunState::failed);
    if (way == "cancelled") QVERIFY(catalogue_->cancel_waiting(id, "cancelled"));
    if (way == "trash") catalogue_->move_to_trash(id);
    QCOMPARE(open_in_the_books(id), 0);
    QVERIFY(catalogue_->run(id)->devices.empty());
    for (const LeaseEvent& event : catalogue_->lease_events(0)) QVERIFY(event.until >= event.since);
  }

  void aRunThatWaitsKeepsWhatIsHeldForIt() {
    const std::string id = catalogue_->submit_run(named("a"), {});
    catalogue_->lease_devices(id, always({"cpu:0"}), -1, "pool");
    for (const RunState state :
         {RunState::pending, RunState::starting, RunState::running, RunState::paused}) {
      catalogue_->set_state(id, state);
      QCOMPARE(open_in_the_books(id), 1);
    }
  }

  void aRemovedRunHoldsNothing() {
    const std::string id = catalogue_->create_run(named("a"));
    catalogue_->lease_devices(id, always({"cuda:0"}));
    catalogue_->remove_run(id);
    QVERIFY(catalogue_->leases().empty());
  }

 private:
  int open_in_the_books(const std::string& id) {
    int count = 0;
    for (const LeaseEvent& event : catalogue_->lease_events(0)) count += event.run == id && event.until == 0;
    return count;
  }

  Folder folder_;
  std::optional<Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestLeases)
#include "test_leases.moc"
