// SPDX-License-Identifier: Apache-2.0
//
// How many replicas a run has, and on which devices. A person, a script or the fitted model (auto_scaling.h)
// says how many; the devices are taken first, so that only what can be launched ends the generation that
// runs.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "devices/device_leases.h"
#include "model/auto_scaling.h"
#include "record/recorder.h"
#include "state/run_machine.h"
#include "supervision/tell.h"

namespace batchscope::run {

class Scaling {
 public:
  // `spec` is the run's, whose auto_replicas are kept here; a person's choice outlives this supervisor.
  // `next_generation` is the number of the generation that is launched next.
  Scaling(storage::Catalogue& catalogue, const std::string& run, protocol::RunSpec& spec, RunMachine& machine,
          const int& next_generation, Recorder& recorder, Tell tell);

  // Places replicas over these nodes and this one from now on. `replicas_per_node`: 0: one for each of this
  // node's GPUs where the run trains on GPUs, else one.
  void use_nodes(int replicas_per_node, std::vector<Node> others);
  // Places replicas there only where devices of these nodes are named.
  void use_named_nodes(std::vector<Node> others) { leases_.use_nodes({0, std::move(others)}); }
  // Returns the other nodes of which the run has devices.
  std::set<std::string> nodes_in_use() const { return leases_.other_nodes(); }
  // The largest number of replicas that fits; nullopt if unlimited.
  std::optional<int> room() const;

  // Lets the model choose from now on, where the spec says so.
  void automate();
  // Returns the number that a first generation, or the first of a new supervisor, begins with where it would
  // have so many.
  int first_replicas(int replicas) const;
  // `before`: the generation that ended. Where the model had chosen it and it never got under way, the model
  // does not choose the same again for a while.
  void begin_generation(const storage::Generation& before, bool was_under_way);

  // The devices for it in the next generation, for this reason. Throws Error where there are none.
  const Placement& take_devices(const Allocation& allocation, const std::string& why);
  // Gives back what neither the present generation needs nor what is on its way. Before the first step of a
  // generation there is a way back to the one before.
  void keep_devices();
  void release_devices() { leases_.keep({}); }
  // A program for any device says what it trains on.
  void program_uses(const std::string& device);
  // Returns the number of devices that its replicas share: those that were named where these are too few,
  // else the machine's of the kind that the run trains on, whoever has them now.
  int shared_devices() const;
  // Replicas divide the cores of the run, so that each has fewer where there are more of them; where devices
  // were named, by a person or by the pool, each keeps as many as it has.
  bool divides_cores() const {
    return machine_.allocation().devices.empty() && spec_.devices_per_replica == 0;
  }
  // Returns the devices of the present generation.
  std::vector<std::string> devices() const { return leases_.devices(machine_.allocation()); }

  // Restarts the run there. Nothing happens where it trains on the very devices that are named. Throws Error
  // where there are no devices, or the run is in no state for it.
  void move_to(const Allocation& allocation, const std::string& reason);
  // Lets the model choose within this range from now on; or not (none), and `number` is what the pool, too,
  // keeps to: 0: what the run has or is on its way to.
  void choose(const std::optional<protocol::AutoReplicas>& range, int number = 0);
  // Writes down a person's request to a run of the queue, which the pool then moves. Throws Error(conflict)
  // for what the pool will never do.
  void ask_pool(const std::optional<int>& replicas, const std::optional<protocol::AutoReplicas>& range);
  // The pool gives this run its devices.
  bool in_queue() const { return job().has_value(); }
  // What a move of the model from so many replicas came to, measured before and after it. One that does not
  // pay is undone.
  void judge(int from, const MeasuredRate& before, int replicas, const MeasuredRate& obtained);
  // A new model: it may move the run. Where there is a pool, that decides, and this one rests.
  void consider(const protocol::Model& model, const goodput::RunContext& at);

 private:
  std::optional<storage::Job> job() const;
  int most_over_nodes() const;  // that the model may choose

  storage::Catalogue& catalogue_;
  const std::string run_;
  protocol::RunSpec& spec_;
  RunMachine& machine_;
  const int& next_generation_;
  Recorder& recorder_;
  const Tell tell_;
  DeviceLeases leases_;
  std::optional<AutoScaling> auto_;  // where the model chooses
  bool pool_decides_ = false;        // and people know it
};

}  // namespace batchscope::run
