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
  return [devices](const std::vector<Lease>& of_others) -> Names {
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
    catalogue_->lease_devices(b, [&](const std::vector<Lease>& of_others) -> Names {
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

  void aNewChoiceReplacesTheOld() {
    const std::string id = catalogue_->create_run(named("a"));
    catalogue_->lease_devices(id, always({"cuda:0"}));
    catalogue_->lease_devices(id, [](const std::vector<Lease>& of_others) -> Names {
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

  void aRemovedRunHoldsNothing() {
    const std::string id = catalogue_->create_run(named("a"));
    catalogue_->lease_devices(id, always({"cuda:0"}));
    catalogue_->remove_run(id);
    QVERIFY(catalogue_->leases().empty());
  }

 private:
  Folder folder_;
  std::optional<Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestLeases)
#include "test_leases.moc"
