// SPDX-License-Identifier: Apache-2.0
//
// A run of 2 replicas under way, and its supervisor's part in how many they are and where; without processes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine_fixture.h"
#include "stored_runs.h"
#include "supervision/scaling.h"

namespace batchscope::run {

struct Scaled {
  explicit Scaled(const std::optional<protocol::AutoReplicas>& range = {},
                  const std::optional<storage::Job>& job = {}, const std::string& device = "cpu",
                  int of_each = 0) {
    spec.replicas = 2;
    spec.auto_replicas = range;
    spec.device = device;
    spec.devices_per_replica = of_each;
    id = job ? runs.catalogue().submit_run(spec, *job) : runs.catalogue().create_run(spec);
    runs.catalogue().change_pool_settings(
        [](auto& settings) { settings.nodes_from = "true"; });  // of any number
    protocol::make_run_directories(protocol::run_paths(id));
    recorder.emplace(runs.catalogue(), id, protocol::run_paths(id));
    scaling.emplace(
        runs.catalogue(), id, spec, fixture.machine, next_generation, *recorder,
        [this](const std::string& level, const std::string& text) { told += level + ": " + text + "\n"; });
  }

  // Returns the spec as the next supervisor finds it.
  protocol::RunSpec kept() {
    recorder->flush();
    return runs.catalogue().run(id)->spec;
  }

  // Returns what it has, as others see it.
  std::vector<std::string> devices() { return runs.catalogue().run(id)->devices; }

  StoredRuns runs;
  protocol::RunSpec spec = runs.spec();
  std::string id, told;
  MachineFixture fixture{2};
  const int next_generation = 1;
  std::optional<Recorder> recorder;
  std::optional<Scaling> scaling;
};

}  // namespace batchscope::run
