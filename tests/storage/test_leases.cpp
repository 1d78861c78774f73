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
using test::error_of;
using test::Folder;
using test::kind_of;
using test::meddle;
using test::Sleeper;

namespace {

using Names = std::vector<std::string>;

protocol::RunSpec named(const std::string& name) {
  protocol::RunSpec spec;
  spec.name = name;
  return spec;
}

Catalogue::Choice always(const Names& devices) {
  return [devices](const auto&) { return devices; };
}

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
  void whatIsLeasedIsSeen() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string a = catalogue.create_run(named("a")), b = catalogue.create_run(named("b"));
    catalogue.lease_devices(a, always({"cpu:10", "cpu:9", "cuda:0"}));
    catalogue.lease_devices(b, [&](const std::vector<Lease>& of_others) -> Names {
      if (of_others.size() != 3 || of_others[0].run != a || of_others[0].name != "a") return {};
      return {of_others[0].device};  // sharing is the choice's to allow
    });
    QCOMPARE(catalogue.run(a)->devices, (Names{"cpu:9", "cpu:10", "cuda:0"}));
    QCOMPARE(catalogue.run(b)->devices, (Names{"cpu:9"}));
    const auto leases = catalogue.leases();
    QCOMPARE(leases.size(), 4u);
    QCOMPARE(leases[0].device, std::string("cpu:9"));
    QCOMPARE(leases[0].run, a);
    QCOMPARE(leases[1].name, std::string("b"));
  }

  void aNewChoiceReplacesTheOld() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(named("a"));
    catalogue.lease_devices(id, always({"cuda:0"}));
    catalogue.lease_devices(id, [](const std::vector<Lease>& of_others) -> Names {
      return of_others.empty() ? Names{"cuda:0", "cuda:1"} : Names{};
    });
    QCOMPARE(catalogue.run(id)->devices, (Names{"cuda:0", "cuda:1"}));
    catalogue.release_devices(id);
    QVERIFY(catalogue.leases().empty());
  }

  void aRefusalChangesNothing() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(named("a"));
    catalogue.lease_devices(id, always({"cuda:0"}));
    QCOMPARE(kind_of([&] { catalogue.lease_devices(id, first_free({})); }), "conflict");
    QCOMPARE(catalogue.run(id)->devices, (Names{"cuda:0"}));
    QCOMPARE(kind_of([&] { catalogue.lease_devices("nothere0", always({})); }), "not_found");
  }

  void theDeadHoldNothing() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string a = catalogue.create_run(named("a")), b = catalogue.create_run(named("b"));
    Sleeper other([&] {
      Catalogue(folder / "runs.db").lease_devices(a, always({"cuda:0"}));
      return true;
    });
    QCOMPARE(kind_of([&] { catalogue.lease_devices(b, first_free({"cuda:0"})); }), "conflict");
    other.kill();
    QVERIFY(catalogue.leases().empty());
    QVERIFY(catalogue.run(a)->devices.empty());
    catalogue.lease_devices(b, first_free({"cuda:0"}));
    QCOMPARE(catalogue.run(b)->devices, (Names{"cuda:0"}));
  }

  void aRecycledProcessIdHoldsNothing() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(named("a"));
    catalogue.lease_devices(id, always({"cuda:0"}));
    QVERIFY(meddle(folder / "runs.db", "UPDATE lease SET holder_start = holder_start - 1"));
    QVERIFY(catalogue.leases().empty());
  }

  void twoThatChooseAtTheSameMomentChooseDifferently() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const Names gpus{"cuda:0", "cuda:1", "cuda:2"};
    std::vector<std::unique_ptr<Sleeper>> sleepers;
    for (int i = 0; i < 4; ++i) {
      const std::string id = catalogue.create_run(named("r" + std::to_string(i)));
      sleepers.push_back(std::make_unique<Sleeper>([&, id] {
        return !error_of([&] { Catalogue(folder / "runs.db").lease_devices(id, first_free(gpus)); });
      }));
    }
    QCOMPARE(std::count_if(sleepers.begin(), sleepers.end(), [](const auto& s) { return s->answer(); }), 3);
    Names held;
    for (const Lease& lease : catalogue.leases()) held.push_back(lease.device);
    QCOMPARE(held, gpus);
  }

  void aRemovedRunHoldsNothing() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(named("a"));
    catalogue.lease_devices(id, always({"cuda:0"}));
    catalogue.remove_run(id);
    QVERIFY(catalogue.leases().empty());
  }
};

BATCHSCOPE_TEST(TestLeases)
#include "test_leases.moc"
