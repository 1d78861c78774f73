// SPDX-License-Identifier: Apache-2.0
//
// Dealing out cores and GPUs, alone and beside other runs.
#include "devices/node_placement.h"

#include <sched.h>

#include <QScopeGuard>
#include <QTemporaryDir>

#include "machines.h"
#include "rows.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

using Devices = std::vector<std::string>;
using Leases = std::vector<storage::Lease>;

protocol::RunSpec on(const std::string& device, bool oversubscribe = false) {
  protocol::RunSpec spec;
  spec.device = device;
  spec.oversubscribe = oversubscribe;
  return spec;
}

protocol::RunSpec with(int devices_per_replica, protocol::RunSpec spec) {
  spec.devices_per_replica = devices_per_replica;
  return spec;
}

Leases held(const Devices& devices) {
  Leases leases;
  for (const std::string& device : devices) leases.push_back({device, "aaaaaaaa", "digits"});
  return leases;
}

// Returns the text of a refusal; empty where there is none.
std::string refusal(const protocol::RunSpec& spec, const Allocation& allocation, const Machine& machine,
                    const Leases& leases = {}) {
  return testing::thrown_by([&] { place(spec, allocation, machine, leases); });
}

}  // namespace

class TestPlacement : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void coresAreDivided() {
    const Placement placement = place({}, 3, machine_with(8, 0), {});
    QCOMPARE(placement.places.size(), 3u);
    QCOMPARE(placement.places[2].threads, 2);
    QCOMPARE(placement.devices, (Devices{"cpu:0", "cpu:1", "cpu:2", "cpu:3", "cpu:4", "cpu:5"}));
    QVERIFY(!placement.places[0].visible_gpus);
    QVERIFY(placement.warning.empty());
  }

  void moreReplicasThanCoresIsAWarning() {
    const Placement placement = place({}, 3, machine_with(2, 0), {});
    QCOMPARE(placement.places[0].threads, 1);
    QCOMPARE(placement.devices.size(), 2u);
    VERIFY_HOLDS(placement.warning, "3 replicas share 2 cores");
  }

  void freeCoresComeFirst() {
    const Leases others = held({"cpu:0", "cpu:1", "cpu:2"});
    const Placement alone = place({}, 2, machine_with(8, 0), others);
    QCOMPARE(alone.devices, (Devices{"cpu:3", "cpu:4", "cpu:5", "cpu:6"}));
    QCOMPARE(alone.places[0].threads, 2);
    QVERIFY(alone.warning.empty());
  }

  void coresAreSharedWhereThereAreNotEnough() {
    const Placement placement = place({}, 2, machine_with(2, 0), held({"cpu:0"}));
    QCOMPARE(placement.devices, (Devices{"cpu:1", "cpu:0"}));
    QCOMPARE(placement.places.size(), 2u);
    VERIFY_HOLDS(placement.warning, "shared with run digits (aaaaaaaa)");
  }

  void eachReplicaHasItsGpu() {
    const Placement placement = place(on("cuda"), 2, machine_with(8, 2), {});
    QCOMPARE(placement.places[1].device, "cuda:1");
    QCOMPARE(placement.places[1].backend, "nccl");
    QCOMPARE(placement.devices, (Devices{"cuda:0", "cuda:1"}));
    QCOMPARE(placement.places[0].visible_gpus.value(), std::string("0,1"));
  }

  void aRunSeesNoGpuOfAnother() {
    const Placement placement = place(on("cuda"), 2, machine_with(8, 4), held({"cuda:0", "cuda:2"}));
    QCOMPARE(placement.devices, (Devices{"cuda:1", "cuda:3"}));
    QCOMPARE(placement.places[0].visible_gpus.value(), std::string("1,3"));
    QCOMPARE(placement.places[0].device, "cuda:0");  // counted among those it sees
  }

  void gpusAreSharedOnlyWhenAsked() {
    VERIFY_HOLDS(refusal(on("cuda"), 3, machine_with(8, 2)), "3 replicas on 2 GPUs");
    const Placement placement = place(on("cuda", true), 3, machine_with(8, 2), {});
    QCOMPARE(placement.places[2].device, "cuda:0");
    QCOMPARE(placement.places[2].backend, "gloo");
    VERIFY_HOLDS(refusal(on("cuda", true), 1, machine_with(8, 0)), "no GPU");
  }

  void aRefusalNamesWhoHoldsTheGpus() {
    const Leases others = held({"cuda:0", "cuda:1"});
    VERIFY_HOLDS(refusal(on("cuda"), 2, machine_with(8, 3), others),
                 "1 of 3 is free (held: cuda:0-1 by run digits (aaaaaaaa))", "--oversubscribe");
    const Placement shared = place(on("cuda", true), 2, machine_with(8, 3), others);
    QCOMPARE(shared.devices, (Devices{"cuda:2", "cuda:0"}));
    QCOMPARE(shared.places[1].backend, "nccl");
    VERIFY_HOLDS(shared.warning, "cuda:0 by run digits");
  }

  void oneGpuMayBeNamed() {
    const Placement placement = place(on("cuda:1"), 1, machine_with(8, 2), {});
    QCOMPARE(placement.devices, Devices{"cuda:1"});
    QCOMPARE(placement.places[0].visible_gpus.value(), std::string("1"));
    VERIFY_HOLDS(refusal(on("cuda:1"), 1, machine_with(8, 2), held({"cuda:1"})), "cuda:1 by run digits");
    VERIFY_HOLDS(refusal(on("cuda:7"), 1, machine_with(8, 2)), "shows cuda:0-1");
    VERIFY_HOLDS(refusal(on("cuda:1"), 2, machine_with(8, 2)), "2 replicas on 1 GPU");
  }

  void anyDeviceIsAGpuWhereEnoughAreFree() {
    const Placement gpus = place(on("auto"), 2, machine_with(8, 3), held({"cuda:0"}));
    QCOMPARE(gpus.devices, (Devices{"cuda:1", "cuda:2"}));
    QCOMPARE(gpus.places[0].visible_gpus.value(), std::string("1,2"));
    const Placement cores = place(on("auto"), 3, machine_with(3, 3), held({"cuda:0"}));
    QCOMPARE(cores.devices, (Devices{"cpu:0", "cpu:1", "cpu:2"}));
    QCOMPARE(cores.places[0].visible_gpus.value(), std::string());
    VERIFY_HOLDS(cores.warning, "2 of 3 GPUs are free (held: cuda:0 by run digits");
    QVERIFY(!place(on("cpu"), 1, machine_with(3, 3), {}).places[0].visible_gpus);
  }

  void severalGpusOfAReplicaAreSeenByNoOther() {
    const Placement placement = place(with(2, on("cuda")), 2, machine_with(8, 5), held({"cuda:1"}));
    QCOMPARE(placement.devices, (Devices{"cuda:0", "cuda:2", "cuda:3", "cuda:4"}));
    QCOMPARE(placement.places[0].visible_gpus.value(), std::string("0,2"));
    QCOMPARE(placement.places[1].visible_gpus.value(), std::string("3,4"));
    QCOMPARE(placement.places[1].device, std::string("cuda:0"));
    QCOMPARE(placement.places[1].backend, std::string("nccl"));
  }

  void aReplicaIsRefusedWhereItsGpusAreTooFew() {
    VERIFY_HOLDS(refusal(with(2, on("cuda")), 2, machine_with(8, 3)),
                 "2 replicas with 2 GPUs each on 3 GPUs");
    VERIFY_HOLDS(refusal(with(2, on("cuda")), 1, machine_with(8, 2), held({"cuda:1"})),
                 "1 replica needs 2 GPUs, and 1 of 2 is free");
    VERIFY_HOLDS(refusal(with(3, on("cuda", true)), 1, machine_with(8, 2)), "--devices-per-replica");
    const Placement shared = place(with(2, on("cuda", true)), 2, machine_with(8, 3), {});
    QCOMPARE(shared.places[1].visible_gpus.value(), std::string("2,0"));
    QCOMPARE(shared.places[1].backend, std::string("gloo"));
  }

  void coresOfAReplicaStayAsTheyAre() {
    for (const int replicas : {1, 2, 3}) {
      const Placement placement = place(with(2, on("cpu")), replicas, machine_with(8, 0), held({"cpu:0"}));
      QCOMPARE(placement.devices.size(), static_cast<std::size_t>(2 * replicas));
      for (const Place& one : placement.places) QCOMPARE(one.threads, 2);
      QVERIFY(placement.warning.empty());
    }
    const Placement crowded = place(with(2, on("cpu")), 2, machine_with(3, 0), {});
    QCOMPARE(crowded.places[1].threads, 2);
    QCOMPARE(crowded.devices.size(), 3u);
    VERIFY_HOLDS(crowded.warning, "2 replicas with 2 cores each share 3 cores");
  }

  void asManyDevicesAreNamedAsTheReplicasHave() {
    const auto spec = with(2, on("cpu"));
    const Allocation two(0, {"cpu:0", "cpu:1", "cpu:4", "cpu:5"}, 2);
    QCOMPARE(two.replicas, 2);
    QCOMPARE(place(spec, two, machine_with(8, 0), {}).places.size(), 2u);
    VERIFY_HOLDS(refusal(spec, Allocation(0, {"cpu:0", "cpu:1", "cpu:2"}, 2), machine_with(8, 0)),
                 "3 devices are named (cpu:0-2), and 1 replica with 2 cores needs 2");
  }

  void namedDevicesAreGivenAndNoOthers() {
    const Placement cores = place({}, Allocation(0, {"cpu:6", "cpu:1"}), machine_with(8, 2), held({"cpu:0"}));
    QCOMPARE(cores.devices, (Devices{"cpu:6", "cpu:1"}));
    QCOMPARE(cores.places.size(), 2u);
    QCOMPARE(cores.places[0].threads, 1);
    QCOMPARE(cores.places[0].visible_gpus.value(), std::string());
    QVERIFY(cores.warning.empty());

    const Placement threads =
        place({}, Allocation(2, {"cpu:1", "cpu:2", "cpu:3", "cpu:4", "cpu:5"}), machine_with(8, 0), {});
    QCOMPARE(threads.places.size(), 2u);
    QCOMPARE(threads.places[1].threads, 2);
    QCOMPARE(threads.devices.size(), 5u);

    const Placement gpus = place(on("cuda"), Allocation(0, {"cuda:3", "cuda:1"}), machine_with(8, 4), {});
    QCOMPARE(gpus.devices, (Devices{"cuda:3", "cuda:1"}));
    QCOMPARE(gpus.places[0].visible_gpus.value(), std::string("3,1"));
    QCOMPARE(gpus.places[1].device, "cuda:1");  // counted among those it sees
    QCOMPARE(gpus.places[1].backend, "nccl");
    QCOMPARE(gpus.places[1].threads, 4);
    const Placement shared = place(on("cuda", true), Allocation(2, {"cuda:3"}), machine_with(8, 4), {});
    QCOMPARE(shared.places[1].backend, "gloo");
    QCOMPARE(place(on("auto"), Allocation(0, {"cuda:2"}), machine_with(8, 4), {}).places[0].device, "auto");
  }

  void namedDevicesThatAreNotToBeHadAreRefused_data() {
    const auto row =
        testing::columns<QString, int, QStringList, QString>({"device", "count", "names", "hint"});
    row("no such core", "auto", 0, {"cpu:1", "cpu:9"}, "conflict: this machine has no cpu:9; it has cpu:0-3");
    row("no such GPU", "auto", 0, {"cuda:7"}, "no cuda:7; it has cuda:0-1");
    row("held core", "cpu", 0, {"cpu:2", "cpu:3"},
        "conflict: devices are held by another run: cpu:3 by run digits");
    row("held GPU", "cuda", 0, {"cuda:1"}, "cuda:1 by run digits (aaaaaaaa)");
    row("both", "auto", 0, {"cpu:1", "cuda:0"}, "usage: a run trains on cores or on GPUs");
    row("GPU for cores", "cpu", 0, {"cuda:0"}, "the run trains on the device cpu, so it cannot use cuda:0");
    row("core for GPUs", "cuda", 0, {"cpu:0"}, "so it cannot use cpu:0");
    row("another GPU", "cuda:1", 0, {"cuda:0"}, "asks for cuda:1");
    row("too many", "cuda", 2, {"cuda:0"}, "2 replicas on 1 GPU");
  }
  void namedDevicesThatAreNotToBeHadAreRefused() {
    QFETCH(QString, device);
    QFETCH(int, count);
    QFETCH(QStringList, names);
    QFETCH(QString, hint);
    Devices devices;
    for (const QString& name : names) devices.push_back(name.toStdString());
    VERIFY_HOLDS(refusal(on(device.toStdString()), Allocation(count, devices), machine_with(4, 2),
                         held({"cpu:3", "cuda:1"})),
                 hint.toStdString());
  }

  void nonsenseIsRefused() {
    VERIFY_HOLDS(refusal({}, 0, machine_with(8, 0)), "at least 1 replica, not 0");
    VERIFY_HOLDS(refusal({}, -3, machine_with(8, 0)), "not -3");
    VERIFY_HOLDS(refusal(on("abacus"), 1, machine_with(8, 0)), "abacus");
  }

  void listsAreShort() {
    QCOMPARE(device_list({}), std::string());
    QCOMPARE(
        device_list({"cpu:0", "cpu:1", "cpu:2", "cpu:4", "cuda:5", "cuda:6", "cuda:GPU-ab", "cuda:GPU-ac"}),
        std::string("cpu:0-2, cpu:4, cuda:5-6, cuda:GPU-ab, cuda:GPU-ac"));
  }

  void theMachineIsFound() {
    cpu_set_t usable;
    QCOMPARE(sched_getaffinity(0, sizeof usable, &usable), 0);
    QCOMPARE(static_cast<int>(Machine::here().cores.size()), CPU_COUNT(&usable));
    qputenv("CUDA_VISIBLE_DEVICES", "2, GPU-5b1c,-1,3");
    QCOMPARE(Machine::here().gpus, (Devices{"cuda:2", "cuda:GPU-5b1c"}));
    qputenv("CUDA_VISIBLE_DEVICES", "4,,5");
    QCOMPARE(Machine::here().gpus, Devices{"cuda:4"});
    qputenv("CUDA_VISIBLE_DEVICES", "");
    QVERIFY(Machine::here().gpus.empty());
    qunsetenv("CUDA_VISIBLE_DEVICES");
  }

  // They are the cores that this process may run on.
  void theMachinesCoresAreItsOwn() {
    cpu_set_t usable, one;
    QCOMPARE(sched_getaffinity(0, sizeof usable, &usable), 0);
    const auto back = qScopeGuard([&] { sched_setaffinity(0, sizeof usable, &usable); });
    int last = 0;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &usable)) last = core;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    QCOMPARE(sched_setaffinity(0, sizeof one, &one), 0);
    QCOMPARE(Machine::here().cores, Devices{"cpu:" + std::to_string(last)});
  }

  void theDriversGpusAreInTheOrderOfTheirNumbers() {
    const QTemporaryDir devices;
    for (const char* const name : {"nvidia10", "nvidia0", "nvidia2", "nvidia3", "nvidiactl", "nvidia-uvm",
                                   "nvidia", "nvidia4x", "null", "an-nvidia5"})
      testing::write_file(devices.filePath(name).toStdString(), "");
    QCOMPARE(driver_gpus(devices.path().toStdString()), (Devices{"cuda:0", "cuda:2", "cuda:3", "cuda:10"}));
    QVERIFY(driver_gpus(devices.filePath("missing").toStdString()).empty());
  }

  void nodesAreFilledInTheirOrder() {
    const Nodes nodes{2, {{"n2", machine_with(4, 0)}, {"n3", machine_with(4, 0)}}};
    const Placement placement = place(on("cpu"), 5, machine_with(2, 0), &nodes, {});
    Devices where;
    for (const Place& one : placement.places) where.push_back(one.node);
    QCOMPARE(where, (Devices{"", "", "n2", "n2", "n3"}));
    QCOMPARE(placement.nodes(), 3);
    QCOMPARE(placement.places[1].threads, 1);
    QCOMPARE(placement.places[2].threads, 2);
    QCOMPARE(placement.places[4].threads, 4);
    QCOMPARE(placement.devices, (Devices{"cpu:0", "cpu:1", "n2/cpu:0", "n2/cpu:1", "n2/cpu:2", "n2/cpu:3",
                                         "n3/cpu:0", "n3/cpu:1", "n3/cpu:2", "n3/cpu:3"}));
  }

  void whatFitsOnTheFirstNodeIsPlacedAsWithoutOthers() {
    const Nodes nodes{2, {{"n2", machine_with(4, 0)}}};
    const Placement with = place(on("cpu"), 2, machine_with(4, 0), &nodes, {});
    QCOMPARE(with.devices, place(on("cpu"), 2, machine_with(4, 0), {}).devices);
  }

  void moreThanTheNodesTakeIsRefused() {
    const Nodes nodes{1, {{"n2", machine_with(4, 0)}}};
    VERIFY_HOLDS(testing::thrown_by([&] { place(on("cpu"), 3, machine_with(4, 0), &nodes, {}); }),
                 "conflict: 3 replicas on 2 nodes with 1 each: at most 2");
  }

  void eachNodeCountsItsGpusByItself() {
    const Nodes nodes{2, {{"n2", machine_with(4, 4)}}};
    const Placement placement = place(on("cuda"), 4, machine_with(4, 2), &nodes, held({"n2/cuda:0"}));
    QCOMPARE(placement.devices, (Devices{"cuda:0", "cuda:1", "n2/cuda:1", "n2/cuda:2"}));
    QCOMPARE(placement.places[0].visible_gpus.value(), std::string("0,1"));
    QCOMPARE(placement.places[2].visible_gpus.value(), std::string("1,2"));
    QCOMPARE(placement.places[3].device, std::string("cuda:1"));
    for (const Place& one : placement.places) QCOMPARE(one.backend, std::string("nccl"));
  }

  void replicasThatShareAGpuAnywhereReduceOverGlooEverywhere() {
    const Nodes nodes{2, {{"n2", machine_with(4, 1)}}};
    const Placement placement = place(on("cuda", true), 4, machine_with(4, 2), &nodes, {});
    for (const Place& one : placement.places) QCOMPARE(one.backend, std::string("gloo"));
  }

  void namedDevicesMayBeOnSeveralNodes() {
    const Nodes nodes{1, {{"n2", machine_with(4, 0)}, {"n3", machine_with(4, 0)}}};
    const Allocation named(0, {"n3/cpu:1", "cpu:0", "n2/cpu:2", "n2/cpu:3"});
    const Placement placement = place(on("cpu"), named, machine_with(2, 0), &nodes, {});
    Devices where;
    for (const Place& one : placement.places) where.push_back(one.node);
    QCOMPARE(where, (Devices{"", "n2", "n2", "n3"}));
    QCOMPARE(placement.devices, (Devices{"cpu:0", "n2/cpu:2", "n2/cpu:3", "n3/cpu:1"}));
    for (const Place& one : placement.places) QCOMPARE(one.threads, 1);
    const Placement elsewhere =
        place(on("cpu"), Allocation(0, {"n2/cpu:2"}), machine_with(2, 0), &nodes, held({"cpu:0"}));
    QCOMPARE(elsewhere.places.size(), 1u);
    QCOMPARE(elsewhere.places[0].node, std::string("n2"));
  }

  void namedGpusOfAnotherNodeAreCountedThere() {
    const Nodes nodes{1, {{"n2", machine_with(4, 4)}}};
    const Placement placement = place(on("cuda"), Allocation(0, {"cuda:1", "n2/cuda:2", "n2/cuda:3"}),
                                      machine_with(4, 2), &nodes, {});
    QCOMPARE(placement.places[0].visible_gpus.value(), std::string("1"));
    QCOMPARE(placement.places[1].visible_gpus.value(), std::string("2,3"));
    QCOMPARE(placement.places[2].device, std::string("cuda:1"));
  }

  void namedDevicesThatCannotBeHadAreTold() {
    const Nodes nodes{1, {{"n2", machine_with(4, 0)}}};
    const auto of = [&](const Allocation& allocation, const Devices& of_others, const Devices& own = {}) {
      return testing::thrown_by(
          [&] { place(on("cpu"), allocation, machine_with(2, 0), &nodes, held(of_others), own); });
    };
    VERIFY_HOLDS(of(Allocation(0, {"cpu:0", "n9/cpu:0"}), {}),
                 "conflict: n9/cpu:0 cannot be used: node n9 is not there");
    VERIFY_HOLDS(of(Allocation(0, {"n2/cpu:7"}), {}), "conflict: node n2: this machine has no cpu:7");
    VERIFY_HOLDS(of(Allocation(0, {"n2/cpu:1"}), {"n2/cpu:1"}),
                 "conflict: node n2: devices are held by another run: cpu:1");
    VERIFY_HOLDS(of(Allocation(3, {"cpu:0", "n2/cpu:1"}), {}),
                 "usage: 3 replicas on 2 devices of several nodes");
    QCOMPARE(of(Allocation(0, {"n2/cpu:1"}), {"n2/cpu:1"}, {"n2/cpu:1"}), std::string("nothing was thrown"));
    VERIFY_HOLDS(testing::thrown_by(
                     [&] { place(on("cpu"), Allocation(0, {"n2/cpu:1"}), machine_with(2, 0), nullptr, {}); }),
                 "node n2 is not there");
  }

  void namedDevicesAreLeasedBeforeTheOtherNodesAreKnown() {
    const Allocation named(0, {"cpu:0", "n2/cpu:7"});
    QCOMPARE(devices_to_lease(on("cpu"), named, machine_with(2, 0), {}, {}), named.devices);
    VERIFY_HOLDS(testing::thrown_by(
                     [&] { devices_to_lease(on("cpu"), named, machine_with(2, 0), held({"n2/cpu:7"}), {}); }),
                 "conflict: devices are held by another run: n2/cpu:7");
    VERIFY_HOLDS(testing::thrown_by(
                     [&] { devices_to_lease(on("cpu"), named, machine_with(2, 0), held({"cpu:0"}), {}); }),
                 "conflict: devices are held by another run: cpu:0");
    QCOMPARE(devices_to_lease(on("cpu"), named, machine_with(2, 0), held({"n2/cpu:7"}), {"n2/cpu:7"}),
             named.devices);
    protocol::RunSpec one_each = on("cpu");
    one_each.devices_per_replica = 1;
    const Allocation three(0, {"cpu:0", "cpu:1", "n2/cpu:7"});
    QCOMPARE(devices_to_lease(one_each, three, machine_with(2, 0), {}, {}), three.devices);
  }

  void aNodeWithoutGpusIsNamed() {
    const Nodes nodes{1, {{"n2", machine_with(4, 0)}}};
    VERIFY_HOLDS(testing::thrown_by([&] { place(on("cuda"), 2, machine_with(4, 1), &nodes, {}); }),
                 "node n2: the run asks for CUDA and this machine shows no GPU");
  }
};

BATCHSCOPE_TEST(TestPlacement)
#include "test_placement.moc"
