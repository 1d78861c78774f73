// SPDX-License-Identifier: Apache-2.0
//
// Dealing out cores and GPUs, alone and beside other runs.
#include "batchscope/protocol/error.h"
#include "devices/placement.h"
#include "machines.h"
#include "test_case.h"

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

Leases held(const Devices& devices) {
  Leases leases;
  for (const std::string& device : devices) leases.push_back({device, "aaaaaaaa", "digits"});
  return leases;
}

// What a refusal says; empty where there is none.
QString refusal(const protocol::RunSpec& spec, int replicas, const Machine& machine,
                const Leases& leases = {}) {
  try {
    place(spec, replicas, machine, leases);
  } catch (const Error& error) {
    return QString::fromUtf8(error.what());
  }
  return {};
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

class TestPlacement : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void coresAreDivided() {
    const Placement placement = place({}, 3, machine_with(8, 0), {});
    QCOMPARE(placement.places.size(), 3u);
    QCOMPARE(placement.places[2].threads, 2);
    QCOMPARE(placement.devices, (Devices{"cpu:0", "cpu:1", "cpu:2", "cpu:3", "cpu:4", "cpu:5"}));
    QVERIFY(!placement.visible_gpus);
    QVERIFY(placement.warning.empty());
  }

  void moreReplicasThanCoresIsAWarning() {
    const Placement placement = place({}, 3, machine_with(2, 0), {});
    QCOMPARE(placement.places[0].threads, 1);
    QCOMPARE(placement.devices.size(), 2u);
    QVERIFY(has(placement.warning, "3 replicas share 2 cores"));
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
    QVERIFY2(has(placement.warning, "shared with run digits (aaaaaaaa)"), placement.warning.c_str());
  }

  void eachReplicaHasItsGpu() {
    const Placement placement = place(on("cuda"), 2, machine_with(8, 2), {});
    QCOMPARE(placement.places[1].device, "cuda:1");
    QCOMPARE(placement.places[1].backend, "nccl");
    QCOMPARE(placement.devices, (Devices{"cuda:0", "cuda:1"}));
    QCOMPARE(placement.visible_gpus.value(), std::string("0,1"));
  }

  void aRunSeesNoGpuOfAnother() {
    const Placement placement = place(on("cuda"), 2, machine_with(8, 4), held({"cuda:0", "cuda:2"}));
    QCOMPARE(placement.devices, (Devices{"cuda:1", "cuda:3"}));
    QCOMPARE(placement.visible_gpus.value(), std::string("1,3"));
    QCOMPARE(placement.places[0].device, "cuda:0");  // counted among those it sees
  }

  void gpusAreSharedOnlyWhenAsked() {
    QVERIFY(refusal(on("cuda"), 3, machine_with(8, 2)).contains("3 replicas on 2 GPUs"));
    const Placement placement = place(on("cuda", true), 3, machine_with(8, 2), {});
    QCOMPARE(placement.places[2].device, "cuda:0");
    QCOMPARE(placement.places[2].backend, "gloo");
    QVERIFY(refusal(on("cuda", true), 1, machine_with(8, 0)).contains("no GPU"));
  }

  void aRefusalNamesWhoHoldsTheGpus() {
    const Leases others = held({"cuda:0", "cuda:1"});
    const QString said = refusal(on("cuda"), 2, machine_with(8, 3), others);
    QVERIFY2(said.contains("1 of 3 is free (held: cuda:0-1 by run digits (aaaaaaaa))"), qPrintable(said));
    QVERIFY(said.contains("--oversubscribe"));
    const Placement shared = place(on("cuda", true), 2, machine_with(8, 3), others);
    QCOMPARE(shared.devices, (Devices{"cuda:2", "cuda:0"}));
    QCOMPARE(shared.places[1].backend, "nccl");
    QVERIFY2(has(shared.warning, "cuda:0 by run digits"), shared.warning.c_str());
  }

  void oneGpuMayBeNamed() {
    const Placement placement = place(on("cuda:1"), 1, machine_with(8, 2), {});
    QCOMPARE(placement.devices, Devices{"cuda:1"});
    QCOMPARE(placement.visible_gpus.value(), std::string("1"));
    QVERIFY(refusal(on("cuda:1"), 1, machine_with(8, 2), held({"cuda:1"})).contains("cuda:1 by run digits"));
    QVERIFY(refusal(on("cuda:7"), 1, machine_with(8, 2)).contains("shows cuda:0-1"));
    QVERIFY(refusal(on("cuda:1"), 2, machine_with(8, 2)).contains("2 replicas on 1 GPU"));
  }

  void anyDeviceIsAGpuWhereEnoughAreFree() {
    const Placement gpus = place(on("auto"), 2, machine_with(8, 3), held({"cuda:0"}));
    QCOMPARE(gpus.devices, (Devices{"cuda:1", "cuda:2"}));
    QCOMPARE(gpus.visible_gpus.value(), std::string("1,2"));
    const Placement cores = place(on("auto"), 3, machine_with(3, 3), held({"cuda:0"}));
    QCOMPARE(cores.devices, (Devices{"cpu:0", "cpu:1", "cpu:2"}));
    QCOMPARE(cores.visible_gpus.value(), std::string());
    QVERIFY2(has(cores.warning, "2 of 3 GPUs are free (held: cuda:0 by run digits"), cores.warning.c_str());
    QVERIFY(!place(on("cpu"), 1, machine_with(3, 3), {}).visible_gpus);
  }

  void nonsenseIsRefused() {
    QVERIFY(refusal({}, 0, machine_with(8, 0)).contains("at least 1 replica, not 0"));
    QVERIFY(refusal({}, -3, machine_with(8, 0)).contains("not -3"));
    QVERIFY(refusal(on("abacus"), 1, machine_with(8, 0)).contains("abacus"));
  }

  void listsAreShort() {
    QCOMPARE(device_list({}), std::string());
    QCOMPARE(
        device_list({"cpu:0", "cpu:1", "cpu:2", "cpu:4", "cuda:5", "cuda:6", "cuda:GPU-ab", "cuda:GPU-ac"}),
        std::string("cpu:0-2, cpu:4, cuda:5-6, cuda:GPU-ab, cuda:GPU-ac"));
  }

  void theMachineIsFound() {
    QVERIFY(!Machine::here().cores.empty());
    qputenv("CUDA_VISIBLE_DEVICES", "2, GPU-5b1c,-1,3");
    QCOMPARE(Machine::here().gpus, (Devices{"cuda:2", "cuda:GPU-5b1c"}));
    qputenv("CUDA_VISIBLE_DEVICES", "");
    QVERIFY(Machine::here().gpus.empty());
    qunsetenv("CUDA_VISIBLE_DEVICES");
  }
};

BATCHSCOPE_TEST(TestPlacement)
#include "test_placement.moc"
