// SPDX-License-Identifier: Apache-2.0
//
// The interface of a simulated scheduler, which is asked once an interval.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simulated_job.h"

namespace batchscope::policy {

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // The placement of each job, in their order: those that were submitted and have not ended, in the order of
  // the workload.
  virtual std::vector<Placement> decide(double now, std::span<const SimulatedJob* const> jobs,
                                        const SimulationOptions& options) = 0;
};

// Where goodput chooses the batch size.
bool schedules_by_goodput(const std::string& policy);
// Null for a name that is not known.
std::unique_ptr<Scheduler> make_scheduler(const std::string& policy);

std::unique_ptr<Scheduler> make_tiresias();
std::unique_ptr<Scheduler> make_optimus();
std::unique_ptr<Scheduler> make_fifo();
std::unique_ptr<Scheduler> make_srtf();
std::unique_ptr<Scheduler> make_pollux();
std::unique_ptr<Scheduler> make_adaptdl();
std::unique_ptr<Scheduler> make_sia();
std::unique_ptr<Scheduler> make_fair();
std::unique_ptr<Scheduler> make_fast();

// Places as Tiresias and Optimus do: from the node with most free devices on, the first of equals. `free` has
// enough, and has less afterwards.
Placement take_from_freest(std::vector<int>& free, int count);
// Devices of each node that nobody has.
std::vector<int> free_devices(const Cluster& cluster, std::span<const Placement> taken);

}  // namespace batchscope::policy
