// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "batchscope/run/machine.h"
#include "doctor/doctor.h"
#include "records/store.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Level = Finding::Level;

bool isLeased(const std::vector<storage::Lease>& leases, const std::string& device) {
  return std::any_of(leases.begin(), leases.end(),
                     [&](const storage::Lease& lease) { return lease.device == device; });
}

// Returns the machine's devices that are free; a run may have been started with other cores or GPUs than we
// are shown.
std::vector<std::string> freeDevices(const std::vector<storage::Lease>& leases) {
  const run::Machine machine = run::Machine::here();
  std::vector<std::string> devices = machine.gpus;
  devices.insert(devices.end(), machine.cores.begin(), machine.cores.end());
  std::erase_if(devices, [&](const std::string& device) { return isLeased(leases, device); });
  return devices;
}

Finding examineRun(const storage::Run& run, const std::vector<storage::Lease>& leases) {
  Finding finding{Level::ok, word("devices"),
                  say("{} held by {}", run::device_list(run.devices), title(run))};
  std::vector<std::string> shared;
  for (const storage::Lease& lease : leases)
    if (lease.run != run.id &&
        std::find(run.devices.begin(), run.devices.end(), lease.device) != run.devices.end())
      shared.push_back(lease.device);
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  if (shared.empty()) return finding;
  finding.level = Level::warning;
  finding.text += say("; other runs also hold {}", run::device_list(shared));
  finding.remedy =
      say("batchscope pause {}, or fewer replicas for one of them: batchscope rescale RUN N", run.id);
  return finding;
}

}  // namespace

std::vector<Finding> examineDevices() {
  if (!std::filesystem::exists(protocol::catalogue_path())) return {};
  try {
    storage::Catalogue catalogue = openCatalogue();
    const std::vector<storage::Lease> leases = catalogue.leases();
    std::vector<Finding> findings;
    for (const storage::Run& run : catalogue.runs())
      if (!run.devices.empty()) findings.push_back(examineRun(run, leases));
    const std::vector<std::string> free = freeDevices(leases);
    findings.push_back({Level::ok, word("devices"),
                        free.empty() ? say("none is free") : say("{} free", run::device_list(free))});
    return findings;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace batchscope::cli
