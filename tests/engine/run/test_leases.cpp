// SPDX-License-Identifier: Apache-2.0
//
// The devices of runs that rescale beside one another, on machines that tests make up.
#include <sqlite3.h>
#include <QTemporaryDir>

#include "devices/device_leases.h"
#include "machines.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

using Devices = std::vector<std::string>;

// A run of a made-up machine's, with what its supervisor would hold.
struct Leaser {
  Leaser(storage::Catalogue& catalogue, const Machine& machine, const std::string& device)
      : spec(named(device)),
        id(catalogue.create_run(spec)),
        devices(catalogue, id, machine),
        catalogue_(catalogue) {
    devices.on_trouble = [this](const std::string& text) { trouble += text; };
  }

  Devices held() const { return catalogue_.run(id)->devices; }
  bool refused(const Allocation& allocation) {
    return testing::kind_of([&] { devices.take(spec, allocation); }) == "conflict";
  }

  static protocol::RunSpec named(const std::string& device) {
    protocol::RunSpec spec;
    spec.name = "run on " + device;
    spec.device = device;
    return spec;
  }

  const protocol::RunSpec spec;
  const std::string id;
  DeviceLeases devices;
  std::string trouble;

 private:
  storage::Catalogue& catalogue_;
};

}  // namespace

class TestLeases : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_.emplace();
    catalogue_.emplace(file());
  }

  void twoRunsShareNoGpuByAccident() {
    const Machine machine = machine_with(8, 4);
    Leaser first(*catalogue_, machine, "cuda"), second(*catalogue_, machine, "cuda");
    QCOMPARE(first.devices.take(first.spec, 2).places.front().visible_gpus.value(), std::string("0,1"));
    QVERIFY(second.refused(3));
    QVERIFY(second.held().empty());
    QCOMPARE(second.devices.take(second.spec, 2).places.front().visible_gpus.value(), std::string("2,3"));
    QVERIFY(first.refused(3));
    QCOMPARE(first.held(), (Devices{"cuda:0", "cuda:1"}));
  }

  // The restart on more replicas finds its GPUs, and the way back stays open until the first step.
  void leasesFollowARescale() {
    const Machine machine = machine_with(8, 4);
    Leaser first(*catalogue_, machine, "cuda"), second(*catalogue_, machine, "cuda");
    first.devices.take(first.spec, 3);
    first.devices.take(first.spec, 1);
    QCOMPARE(first.held().size(), 3u);
    QVERIFY(second.refused(2));
    first.devices.keep({3, 1});  // still under way
    QCOMPARE(first.held().size(), 3u);
    first.devices.keep({1});
    QCOMPARE(first.held(), Devices{"cuda:0"});
    QVERIFY(!second.refused(2));
    first.devices.keep({});
    QVERIFY(first.held().empty());
    QVERIFY(!second.refused(4));
  }

  void theSameNumberIsTakenOnce() {
    Leaser run(*catalogue_, machine_with(8, 2), "cuda");
    run.devices.take(run.spec, 2);
    storage::Catalogue watcher(file());
    watcher.changed();
    run.devices.take(run.spec, 2);
    run.devices.keep({2});
    QVERIFY(!watcher.changed());  // a restart on as many replicas leaves the catalogue alone
  }

  // The same number elsewhere is another allocation, to which the same way back leads.
  void namedDevicesAreHeldBesideTheOldOnes() {
    const Machine machine = machine_with(4, 0);
    Leaser first(*catalogue_, machine, "cpu"), second(*catalogue_, machine, "cpu");
    const Allocation here(0, {"cpu:0"}), there(0, {"cpu:2"});
    first.devices.take(first.spec, here);
    second.devices.take(second.spec, Allocation(0, {"cpu:1"}));
    QVERIFY(second.refused(Allocation(0, {"cpu:0"})));
    first.devices.take(first.spec, there);
    QCOMPARE(first.held(), (Devices{"cpu:0", "cpu:2"}));
    QCOMPARE(first.devices.devices(there), Devices{"cpu:2"});
    first.devices.keep({there});
    QCOMPARE(first.held(), Devices{"cpu:2"});
    QVERIFY(first.devices.devices(here).empty());
    QVERIFY(!second.refused(Allocation(0, {"cpu:0"})));
  }

  // A run that came later shares what was named for this one, and takes nothing away.
  void whatIsItsOwnAlreadyIsItsOwnWhoeverSharesIt() {
    const Machine machine = machine_with(2, 0);
    Leaser first(*catalogue_, machine, "cpu"), second(*catalogue_, machine, "cpu");
    const Allocation here(0, {"cpu:0"}), both(0, {"cpu:0", "cpu:1"});
    // The pool and the supervisor lease so, before its replicas are placed.
    catalogue_->lease_devices(
        first.id, [](const auto&, const auto&) { return Devices{"cpu:0"}; }, -1, "pool");
    VERIFY_HOLDS(second.devices.take(second.spec, 2).warning, "cores are shared with run run on cpu");
    DeviceLeases later(*catalogue_, first.id, machine);
    VERIFY_HOLDS(later.take(first.spec, here).warning, "shared with run run on cpu (" + second.id);
    QCOMPARE(first.held(), Devices{"cpu:0"});
    QCOMPARE(testing::kind_of([&] { later.take(first.spec, both); }),
             "conflict");  // cpu:1 is the other's alone
    later.keep({});
    QVERIFY(first.held().empty());
    QCOMPARE(testing::kind_of([&] { later.take(first.spec, here); }), "conflict");
  }

  // Named devices are given back, also where nothing was placed on them.
  void whatWasNamedIsGivenBack() {
    Leaser run(*catalogue_, machine_with(2, 0), "cpu");
    catalogue_->lease_devices(run.id, [](const auto&, const auto&) { return Devices{"cpu:0"}; });
    DeviceLeases(*catalogue_, run.id, machine_with(2, 0)).keep({});
    QVERIFY(run.held().empty());
  }

  void aRunOfTheQueueIsCalledSo() {
    const Machine machine = machine_with(1, 0);
    Leaser job(*catalogue_, machine, "cpu"), beside(*catalogue_, machine, "cpu");
    catalogue_->enlist(job.id);
    job.devices.take(job.spec, 1);
    VERIFY_HOLDS(beside.devices.take(beside.spec, 1).warning, "(" + job.id + ") of the queue");
  }

  void theSameDevicesAreTheSameAllocation() {
    Leaser run(*catalogue_, machine_with(4, 0), "cpu");
    run.devices.take(run.spec, 4);
    QVERIFY(run.devices.as_taken(Allocation(0, {"cpu:3", "cpu:1", "cpu:2", "cpu:0"})) == Allocation(4));
    const Allocation fewer(2, {"cpu:0", "cpu:1", "cpu:2", "cpu:3"});
    QVERIFY(run.devices.as_taken(fewer) == fewer);
  }

  // What was taken on a node that is gone is placed anew, and given back by the next keep().
  void whatWasTakenOnANodeThatIsGoneIsLetGo() {
    Leaser run(*catalogue_, machine_with(2, 0), "cpu");
    const Node second{"n2", machine_with(2, 0)}, third{"n3", machine_with(2, 0)};
    QVERIFY(!run.devices.nodes());
    run.devices.use_nodes({1, {second, third}});
    QCOMPARE(run.devices.nodes()->most_replicas(), 3);
    run.devices.take(run.spec, 1);
    run.devices.take(run.spec, 2);
    run.devices.take(run.spec, 3);
    QVERIFY((run.devices.other_nodes() == std::set<std::string>{"n2", "n3"}));
    run.devices.use_nodes({1, {second}});
    QCOMPARE(run.devices.devices(1).size(), 2u);
    QCOMPARE(run.devices.devices(2).size(), 4u);
    QVERIFY(run.devices.devices(3).empty());
    QVERIFY(run.refused(3));
    run.devices.keep({1, 2, 3});
    QVERIFY(run.devices.other_nodes() == std::set<std::string>{"n2"});
    QCOMPARE(run.held(), (Devices{"cpu:0", "cpu:1", "n2/cpu:0", "n2/cpu:1"}));
    run.devices.keep({1});
    QVERIFY(run.devices.other_nodes().empty());
  }

  void whatOthersLeaveIsFree() {
    Leaser first(*catalogue_, machine_with(3, 0), "cpu"), second(*catalogue_, machine_with(3, 0), "cpu");
    first.devices.take(first.spec, Allocation(0, {"cpu:0"}));
    second.devices.take(second.spec, Allocation(0, {"cpu:2"}));
    QCOMPARE(first.devices.free().cores, (Devices{"cpu:0", "cpu:1"}));
    QCOMPARE(second.devices.free().cores, (Devices{"cpu:1", "cpu:2"}));
    QCOMPARE(first.devices.machine().cores.size(), 3u);
  }

  // A program for any device says what it uses, and stays on that kind.
  void theKindOfDeviceIsWhatTheProgramSays() {
    const Machine machine = machine_with(4, 2);
    Leaser named(*catalogue_, machine, "cuda"), uses(*catalogue_, machine, "auto"),
        cannot(*catalogue_, machine, "auto");
    const auto kind = [](const Leaser& run) { return run.devices.placed(run.spec).device; };
    QCOMPARE(kind(uses), "auto");
    QVERIFY(!uses.devices.learn_device(uses.spec, "cuda:0"));  // it has none yet
    uses.devices.take(uses.spec, 1);
    QCOMPARE(kind(uses), "cuda");
    QVERIFY(uses.devices.learn_device(uses.spec, "cuda:0"));
    QCOMPARE(kind(uses), "cuda");
    QVERIFY(!uses.devices.learn_device(uses.spec, "cpu"));  // it is known
    QCOMPARE(kind(uses), "cuda");
    cannot.devices.take(cannot.spec, 1);
    QVERIFY(cannot.devices.learn_device(cannot.spec, "cpu"));
    QCOMPARE(kind(cannot), "cpu");
    cannot.devices.keep({});
    named.devices.take(named.spec, 1);
    QVERIFY(!named.devices.learn_device(named.spec, "cpu"));
    QCOMPARE(kind(named), "cuda");
    Leaser on_cores(*catalogue_, machine, "auto");
    on_cores.devices.take(on_cores.spec, 1);
    QVERIFY(!on_cores.devices.learn_device(on_cores.spec, "cpu"));
    QCOMPARE(kind(on_cores), "auto");
  }

  void whyItHasThemIsKept() {
    Leaser run(*catalogue_, machine_with(2, 0), "cpu");
    run.devices.take(run.spec, Allocation(0, {"cpu:0"}), 3, "rescale");
    run.devices.keep({});
    run.devices.take(run.spec, Allocation(0, {"cpu:1"}));
    const auto events = catalogue_->lease_events(0);
    QCOMPARE(events.size(), 2u);
    QCOMPARE(events[0].device + " " + std::to_string(events[0].generation) + " " + events[0].why,
             "cpu:0 3 rescale");
    QCOMPARE(events[1].device + " " + std::to_string(events[1].generation) + " " + events[1].why,
             "cpu:1 -1 ");
  }

  void sharedGpusAreHeldByBoth() {
    const Machine machine = machine_with(8, 1);
    Leaser first(*catalogue_, machine, "cuda"), second(*catalogue_, machine, "cuda");
    first.devices.take(first.spec, 1);
    protocol::RunSpec sharing = second.spec;
    sharing.oversubscribe = true;
    const Placement placement = second.devices.take(sharing, 2);
    QCOMPARE(placement.places[1].backend, "gloo");
    VERIFY_HOLDS(placement.warning, "run on cuda");
    QCOMPARE(first.held(), second.held());
    first.devices.keep({});
    QCOMPARE(second.held(), Devices{"cuda:0"});
  }

  void coresAreSharedWithAWarning() {
    const Machine machine = machine_with(2, 0);
    Leaser first(*catalogue_, machine, "auto"), second(*catalogue_, machine, "cpu");
    QVERIFY(first.devices.take(first.spec, 1).warning.empty());
    const Placement placement = second.devices.take(second.spec, 1);
    VERIFY_HOLDS(placement.warning, "run on auto (" + first.id);
    QCOMPARE(placement.places.at(0).threads, 2);
  }

  // A disk that is full, a catalogue that is locked or gone: cores can be used all the same, GPUs cannot.
  void aCatalogueThatFailsStopsNoRunOnCores() {
    Leaser cores(*catalogue_, machine_with(2, 0), "auto"), gpus(*catalogue_, machine_with(2, 2), "cuda");
    sqlite3* other = nullptr;
    QCOMPARE(sqlite3_open(file().c_str(), &other), SQLITE_OK);
    QCOMPARE(sqlite3_exec(other, "DROP TABLE lease", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    QCOMPARE(cores.devices.take(cores.spec, 2).places.size(), 2u);
    QVERIFY(cores.trouble.starts_with("cores are used without a lease: "));
    QVERIFY(cores.devices.free().cores == machine_with(2, 0).cores);  // for all that is known
    cores.trouble.clear();
    cores.devices.keep({2});
    QVERIFY(cores.trouble.starts_with("devices that this run no longer needs stay leased: "));
    cores.trouble.clear();
    cores.devices.keep({});  // it has none
    QCOMPARE(cores.trouble, "");
    QVERIFY_THROWS_EXCEPTION(Error, gpus.devices.take(gpus.spec, 1));
  }

 private:
  std::string file() const { return folder_->filePath("runs.db").toStdString(); }

  std::optional<QTemporaryDir> folder_;
  std::optional<storage::Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestLeases)
#include "test_leases.moc"
