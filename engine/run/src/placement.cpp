// SPDX-License-Identifier: Apache-2.0
//
// Counting cores and GPUs, and dealing them out.
#include "placement.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include "batchscope/protocol/error.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int visible_gpus() {
  if (const char* list = std::getenv("CUDA_VISIBLE_DEVICES")) {
    const std::string_view text = list;
    if (text.empty() || text == "-1") return 0;
    return 1 + static_cast<int>(std::count(text.begin(), text.end(), ','));
  }
  // /dev/nvidia0, nvidia1 ...; the others (nvidiactl, nvidia-uvm) are not devices to train on.
  int count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("nvidia") && name.size() > 6 &&
        name.find_first_not_of("0123456789", 6) == std::string::npos)
      ++count;
  }
  return count;
}

}  // namespace

Machine Machine::here() { return {usable_cores(), visible_gpus()}; }

bool uses_gpus(const protocol::RunSpec& spec) { return spec.device.starts_with("cuda"); }

Placement place(const protocol::RunSpec& spec, int replicas, const Machine& machine) {
  if (replicas < 1)
    throw Error(ErrorKind::usage, "a run needs at least 1 replica, not " + std::to_string(replicas));
  const bool cuda = uses_gpus(spec);
  if (!cuda && spec.device != "auto" && spec.device != "cpu")
    throw Error(ErrorKind::usage, "device '" + spec.device + "': expected auto, cpu or cuda");
  if (cuda && machine.gpus == 0)
    throw Error(ErrorKind::conflict, "the run asks for CUDA and this machine shows no GPU");
  if (cuda && replicas > machine.gpus && !spec.oversubscribe)
    throw Error(ErrorKind::conflict,
                std::to_string(replicas) + " replicas on " + std::to_string(machine.gpus) +
                    " GPUs: ask for fewer, or allow several on one with --oversubscribe");

  Placement placement;
  for (int rank = 0; rank < replicas; ++rank) {
    Place place;
    place.threads = std::max(1, machine.cores / replicas);
    place.device = spec.device;
    if (cuda) {
      place.device = "cuda:" + std::to_string(rank % machine.gpus);
      place.backend = replicas > machine.gpus ? "gloo" : "nccl";
    }
    placement.places.push_back(place);
  }
  if (!cuda && replicas > machine.cores)
    placement.warning = std::to_string(replicas) + " replicas share " + std::to_string(machine.cores) +
                        (machine.cores == 1 ? " core" : " cores") + " and will wait for one another";
  return placement;
}

}  // namespace batchscope::run
