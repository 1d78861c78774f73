// SPDX-License-Identifier: Apache-2.0
//
// The devices that runs may have: of which kind they are, and how many.
#include "devices.h"

#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;

class TestDevices : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theDevicesThatARunMayHave_data() {
    const auto row = testing::columns<int, int, int, int, int, int>(
        {"replicas", "least", "most", "of_each", "min", "max"});
    row("a fixed number", 3, -1, -1, 0, 3, 3);
    row("two of each", 3, -1, -1, 2, 6, 6);
    row("any number", 1, 1, 0, 0, 1, 5);
    row("at least three", 1, 3, 0, 0, 3, 5);
    row("more than there are", 1, 7, 0, 0, 7, 7);
    row("two to four", 1, 2, 4, 0, 2, 4);
    row("two to four of two each", 1, 2, 4, 2, 4, 8);
    row("one", 1, 1, 1, 0, 1, 1);
    row("none at least", 1, 0, 2, 0, 1, 2);
  }
  void theDevicesThatARunMayHave() {
    QFETCH(int, replicas);
    QFETCH(int, least);
    QFETCH(int, most);
    QFETCH(int, of_each);
    protocol::RunSpec spec;
    spec.replicas = replicas;
    if (least >= 0) spec.auto_replicas = protocol::AutoReplicas{least, most};
    spec.devices_per_replica = of_each;
    const DeviceRange range = device_range(spec, 5);
    QTEST(range.min, "min");
    QTEST(range.max, "max");
    // The devices of one replica are on one node.
    const std::vector<std::string> devices{"cpu:0", "n2/cpu:0", "n2/cpu:1", "n2/cpu:2", "n3/cpu:0"};
    QCOMPARE(devices_at_once(spec, devices), of_each > 1 ? 3 : 5);
  }

  void gpusAreForThoseThatMayHaveThem() {
    run::Machine machine;
    machine.cores = {"cpu:0"};
    for (const bool gpus : {false, true}) {
      machine.gpus = gpus ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
      for (const auto& [device, on_gpus] :
           {std::pair("cuda", true), {"cuda:1", true}, {"cpu", false}, {"cpu:0", false}, {"auto", gpus}}) {
        protocol::RunSpec spec;
        spec.device = device;
        QCOMPARE(devices_kind(spec, machine), on_gpus ? "GPU" : "core");
        QCOMPARE(devices_for(spec, machine), on_gpus ? machine.gpus : machine.cores);
        QCOMPARE(is_pools_choice(device), std::string(device).find(':') == std::string::npos);
      }
    }
  }
};

BATCHSCOPE_TEST(TestDevices)
#include "test_devices.moc"
