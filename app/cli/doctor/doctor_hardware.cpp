// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <QProcess>
#include <QStringList>
#include <fstream>

#include "batchscope/run/machine.h"
#include "doctor/doctor.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Level = Finding::Level;

constexpr std::int64_t kLittleMemory = 1'000'000'000;
constexpr int kSmiTimeoutMs = 10'000;

// "MemAvailable:   12345 kB" of /proc/meminfo in bytes; 0 where it is not there.
std::int64_t meminfo(const std::string& field) {
  std::ifstream in("/proc/meminfo");
  std::string name, unit;
  for (std::int64_t kilobytes = 0; in >> name >> kilobytes; std::getline(in, unit))
    if (name == field + ":") return kilobytes * 1024;
  return 0;
}

Finding examineMemory() {
  const std::int64_t total = meminfo("MemTotal"), available = meminfo("MemAvailable");
  const std::string text = say("{} of {} available", formatBytes(available), formatBytes(total));
  if (available < kLittleMemory)
    return {Level::warning, word("memory"), text,
            say("close other programs, or run fewer replicas (each takes 0.2 GB and more)")};
  return {Level::ok, word("memory"), text};
}

// "NVIDIA H100, 81559 MiB" a line; empty where nvidia-smi is missing or fails.
QStringList smiGpus() {
  QProcess smi;
  smi.start("nvidia-smi", {"--query-gpu=name,memory.total", "--format=csv,noheader"});
  if (!smi.waitForFinished(kSmiTimeoutMs) || smi.exitCode() != 0) return {};
  return QString::fromUtf8(smi.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
}

Finding examineGpus() {
  const std::size_t gpus = run::driver_gpus().size();
  if (gpus == 0)
    return {Level::ok, word("GPUs"), say("the NVIDIA driver knows none; replicas share the cores")};
  const QStringList named = smiGpus();
  if (named.isEmpty())
    return {Level::warning, word("GPUs"), say("{} known to the driver, but nvidia-smi does not answer", gpus),
            say("apt-get install nvidia-smi, and check that it runs")};
  return {Level::ok, word("GPUs"), fmt::format("{}: {}", gpus, named.join("; ").toStdString())};
}

}  // namespace

std::vector<Finding> examineHardware() {
  // Containers and taskset limit them.
  const std::vector<std::string> cores = run::Machine::here().cores;
  return {{Level::ok, word("cores"), say("{} usable: {}", cores.size(), run::device_list(cores))},
          examineMemory(),
          examineGpus()};
}

}  // namespace batchscope::cli
