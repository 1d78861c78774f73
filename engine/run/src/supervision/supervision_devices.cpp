// SPDX-License-Identifier: Apache-2.0
//
// Which devices the run has, from what is asked of it to what its program turns out to use.
#include "batchscope/protocol/error.h"
#include "supervision/supervision.h"

namespace batchscope::run {

using namespace protocol;

// The spec with the kind of device that the program is known to use; while it has said nothing, what it was
// given.
RunSpec Supervision::placed_spec() const {
  RunSpec spec = spec_;
  if (spec.device != "auto") return spec;
  if (!found_device_.empty())
    spec.device = found_device_;
  else if (devices_.have_gpus())
    spec.device = "cuda";
  return spec;
}

const Placement& Supervision::take_devices(int replicas) { return devices_.take(placed_spec(), replicas); }

// The devices first: only what can be launched ends the generation that runs.
void Supervision::move_to(int replicas, const std::string& reason) {
  take_devices(replicas);
  try {
    machine_.rescale(replicas, reason);
  } catch (const Error&) {
    keep_devices();
    throw;
  }
}

// What the present generation has, and what is on its way. Before the first step of a generation there is a
// way back to the one before.
void Supervision::keep_devices() {
  if (machine_.state() == RunState::paused)
    devices_.keep({});
  else if (machine_.training())
    devices_.keep({machine_.replicas(), machine_.target_replicas()});
}

// A program for any device may find that it cannot use the GPUs it was given: its LibTorch has no CUDA. One
// that uses them stays on GPUs, and is not moved to cores by a rescale for which too few are free.
void Supervision::on_device(const std::string& device) {
  if (spec_.device != "auto" || !found_device_.empty() || !devices_.have_gpus()) return;
  found_device_ = device.starts_with("cuda") ? "cuda" : "cpu";
  if (auto_) auto_.emplace(placed_spec(), Machine::here());
  if (found_device_ == "cuda") return;
  devices_.keep({});
  take_devices(record_.replicas);
}

}  // namespace batchscope::run
