// SPDX-License-Identifier: Apache-2.0
//
// How the replicas of a run share the machine with one another and with other runs.
//
// GPUs are strict: a replica gets one that nobody has, and a run that wants more of them than are free is
// refused, unless it says --oversubscribe. NCCL refuses two ranks on one GPU, so that more replicas than GPUs
// run over Gloo. Cores are soft: a run takes those that are free, divided evenly between its replicas; where
// there is not one for each, it shares all of them with whoever has them, and says so. A run for any device
// ("auto") takes GPUs where enough of them are free and cores where not.
//
// A run may ask for several devices for each replica (RunSpec::devices_per_replica): for a model that one GPU
// does not hold, or for cores that are not divided anew with each number of replicas. Such a replica sees its
// own GPUs alone, and counts them from 0.
//
// Where devices are named, the run gets these and no others, cores as strictly as GPUs: whoever names them
// knows what is free, or is to be told that it is not. What the run holds already, or the pool holds for it,
// is its own, whoever shares it: another run that came later takes nothing away.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allocation.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/run/machine.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::run {

struct Place {
  int threads = 1;
  std::string device = "auto";                   // BATCHSCOPE_DEVICE
  std::string backend = "auto";                  // BATCHSCOPE_BACKEND
  std::string node = {};                         // by its name; empty: this one
  std::optional<std::string> visible_gpus = {};  // CUDA_VISIBLE_DEVICES, where it is to be set
};

struct Placement {
  std::vector<Place> places;         // one for each rank
  std::vector<std::string> devices;  // to be leased, each once
  std::string warning;               // a sentence, or empty

  int nodes() const;  // that it uses
};

// Returns the part of the machine that these leases leave.
Machine free_devices(const Machine& machine, const std::vector<storage::Lease>& of_others);

// The run asks for GPUs and cannot do without.
bool uses_gpus(const protocol::RunSpec& spec);
// Returns for how many replicas the run may have devices, whoever has them now: GPUs where it asks for them,
// else cores.
int room_for_replicas(const protocol::RunSpec& spec, const Machine& machine);

// Throws Error(conflict) where the pool could never give a run so many replicas: it gives each devices of its
// own. Where a command brings nodes, nobody knows how many.
void insist_on_devices(const protocol::RunSpec& spec, int replicas, storage::Catalogue& catalogue);

// `own`: devices that the run holds already. Throws Error(usage) for fewer than one replica or an unknown
// device, Error(conflict) for more replicas than free GPUs, naming the runs that have them, and for named
// devices that this machine has not, that only others have or that the run does not train on.
Placement place(const protocol::RunSpec& spec, const Allocation& allocation, const Machine& machine,
                const std::vector<storage::Lease>& of_others, const std::vector<std::string>& own = {});

}  // namespace batchscope::run
