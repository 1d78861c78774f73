// SPDX-License-Identifier: Apache-2.0
//
// Metrics of a replica's process and of its GPU, here that of a library that plays NVML.
#include <dlfcn.h>
#include <unistd.h>

#include <QScopeGuard>
#include <cmath>
#include <map>

#include "batchscope/protocol/device_series.h"
#include "batchscope/protocol/telemetry.h"
#include "devices/device_metrics.h"
#include "devices/nvml.h"
#include "test_case.h"

using namespace batchscope::run;
namespace series = batchscope::protocol::series;
using series::device_series;

namespace {

std::map<std::string, double> by_name(DeviceMetrics& metrics, const std::map<int, pid_t>& processes) {
  const auto values = metrics.read(processes);
  return {values.begin(), values.end()};
}

// Returns for how long this process has been on a processor.
double busy() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Keeps this process on a processor for this long of its own time.
void work(double seconds) {
  for (const double end = busy() + seconds; busy() < end;) {
  }
}

}  // namespace

class TestDeviceMetrics : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void processorAndMemoryAreOfTheProcess() {
    DeviceMetrics metrics;
    const double busy_before = busy(), before = batchscope::protocol::monotonic_seconds();
    const auto first = by_name(metrics, {{0, getpid()}});
    const double began = batchscope::protocol::monotonic_seconds();
    QVERIFY(!first.contains(device_series(series::kCpu, 0)));
    QVERIFY(first.at(device_series(series::kMemory, 0)) > 1e6);
    work(0.05);
    const double ended = batchscope::protocol::monotonic_seconds();
    const auto second = by_name(metrics, {{0, getpid()}});
    const double share = second.at("device/cpu/0");
    QVERIFY(share >= 0.05 / (batchscope::protocol::monotonic_seconds() - before));
    QVERIFY(share <= (busy() - busy_before) / (ended - began));
    QVERIFY(!second.contains("device/gpu_power/0"));
    // Another process in its place begins anew, and one that is gone has nothing to tell.
    QVERIFY(!by_name(metrics, {{0, getppid()}}).contains("device/cpu/0"));
    for (const int look : {1, 2})
      QVERIFY2(by_name(metrics, {{0, 0x3fffff}}).empty(), std::to_string(look).c_str());
    QVERIFY(metrics.read({}).empty());
  }

  void manyProcessesTakeTurns() {
    std::map<int, pid_t> processes;
    for (int rank = 0; rank < 20; ++rank) processes[rank] = getpid();
    DeviceMetrics metrics;
    std::map<int, int> count;
    for (int second = 0; second < 5; ++second) {
      const auto values = by_name(metrics, processes);
      int memories = 0;
      for (int rank = 0; rank < 20; ++rank) {
        const int has = static_cast<int>(values.contains(device_series(series::kMemory, rank)));
        memories += has;
        count[rank] += has;
      }
      QCOMPARE(memories, 16);
    }
    for (int rank = 0; rank < 20; ++rank) QCOMPARE(count[rank], 4);
    processes.erase(processes.find(10), processes.end());
    QVERIFY(by_name(metrics, processes).contains(device_series(series::kMemory, 9)));
  }

  void gpusAreThoseOfTheReplicas() {
    DeviceMetrics metrics;
    metrics.trains_on(0, "cuda:0", nullptr);
    metrics.trains_on(1, "cuda:1", nullptr);
    metrics.trains_on(2, "cpu", nullptr);
    metrics.trains_on(3, "cuda:7", nullptr);
    const auto values = by_name(metrics, {{0, getpid()}, {1, getpid()}, {2, getpid()}, {3, getpid()}});
    QCOMPARE(values.at("device/gpu_utilization/0"), 0.25);
    QCOMPARE(values.at("device/gpu_utilization/1"), 1.0);
    QCOMPARE(values.at("device/gpu_memory/0"), 3'000.0);
    QCOMPARE(values.at("device/gpu_power/0"), 71.5);
    QVERIFY(std::isnan(values.at("device/gpu_power/1")));
    QCOMPARE(values.at("device/gpu_temperature/0"), 60.0);
    for (const int rank : {2, 3}) QVERIFY(!values.contains(device_series(series::kGpuPower, rank)));
    metrics.trains_on(1, "cpu", nullptr);  // after all
    QVERIFY(!by_name(metrics, {{1, getpid()}}).contains("device/gpu_power/1"));
    metrics.begin_generation();
    QVERIFY(!by_name(metrics, {{0, getpid()}}).contains("device/gpu_power/0"));
  }

  // An index is a number and no more; what is not one is a UUID.
  void aGpuIsReadByItsIndexOrItsUuid() {
    const Nvml nvml;
    QVERIFY(nvml.loaded());
    QCOMPARE(nvml.read("0")->utilization, 0.25);
    QCOMPARE(nvml.read("1")->utilization, 1.0);
    QCOMPARE(nvml.read("GPU-b")->utilization, 1.0);
    for (const char* const none : {"2", "1x", "", "GPU-c", "99999999999999999999", "-1"})
      QVERIFY2(!nvml.read(none), none);
  }

  // A driver that is being updated, or a machine without a GPU.
  void aLibraryThatDoesNotBeginIsLeftAlone() {
    const auto forget = qScopeGuard([] {
      for (const char* const name : {"FAKE_NVML_FAULT", "FAKE_NVML_OPEN"}) qunsetenv(name);
    });
    const auto is_loaded = [] {
      void* const handle = dlopen("libnvidia-ml.so.1", RTLD_NOLOAD | RTLD_NOW);
      if (handle != nullptr) dlclose(handle);
      return handle != nullptr;
    };
    QVERIFY(!is_loaded());
    {
      const Nvml nvml;
      QVERIFY(nvml.loaded() && is_loaded());
      QCOMPARE(qgetenv("FAKE_NVML_OPEN"), QByteArray("1"));
    }
    QVERIFY(!is_loaded());
    QCOMPARE(qgetenv("FAKE_NVML_OPEN"), QByteArray("0"));
    qputenv("FAKE_NVML_FAULT", "9");
    const Nvml nvml;
    QVERIFY(!nvml.loaded() && !is_loaded());
    QVERIFY(!nvml.read("0"));
    QCOMPARE(qgetenv("FAKE_NVML_OPEN"), QByteArray("0"));
    DeviceMetrics metrics;
    metrics.trains_on(0, "cuda:0", nullptr);
    QCOMPARE(by_name(metrics, {{0, getpid()}}).size(), 1u);
  }

  void devicesAreThoseThatTheProgramSees() {
    QCOMPARE(physical_gpu("cpu", nullptr), "");
    QCOMPARE(physical_gpu("cuda", nullptr), "0");
    QCOMPARE(physical_gpu("cuda:3", nullptr), "3");
    QCOMPARE(physical_gpu("cuda:1", "4,6"), "6");
    QCOMPARE(physical_gpu("cuda:2", "4,6"), "");
    QCOMPARE(physical_gpu("cuda:1", "GPU-a,GPU-b"), "GPU-b");
    QCOMPARE(physical_gpu("cuda:x", nullptr), "");
    DeviceMetrics metrics;
    metrics.trains_on(0, "cuda:0", "GPU-b");
    QCOMPARE(by_name(metrics, {{0, getpid()}}).at("device/gpu_utilization/0"), 1.0);
  }
};

BATCHSCOPE_TEST(TestDeviceMetrics)
#include "test_device_metrics.moc"
