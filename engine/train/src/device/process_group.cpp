// SPDX-License-Identifier: Apache-2.0
//
// From the environment to a group that stands.
#include "batchscope/train/process_group.h"

#include <torch/cuda.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>

#include "collective/socket.h"
#include "collective/star.h"
#include "device/address_space.h"
#include "device/onednn.h"
#include "device/rendezvous.h"
#include "device/rng_state.h"
#include "device/tensor_group.h"
#include "device/threads.h"
#include "process/fork_server.h"
#include "process/heap.h"
#include "process/process.h"
#include "process/signals.h"
#include "report/failure.h"
#include "report/telemetry_client.h"
#include "session/engine_states.h"

namespace batchscope {
namespace {

#ifdef USE_C10D_NCCL
bool gpu_for_every_replica(const protocol::Environment& environment) {
  const int local = std::max(1, environment.num_replicas / environment.num_nodes);
  return torch::cuda::is_available() && static_cast<int>(torch::cuda::device_count()) >= local;
}
#endif

std::string choose_backend(const ProcessGroupOptions& options, const protocol::Environment& environment) {
  const std::string& backend = options.backend != "auto" ? options.backend : environment.backend;
  if (backend == "gloo" || backend == "nccl") return backend;
  if (backend != "auto")
    throw Error(ErrorKind::usage, "backend '" + backend + "': expected auto, gloo or nccl");
#ifdef USE_C10D_NCCL
  if (environment.device != "cpu" && gpu_for_every_replica(environment)) return "nccl";
#endif
  return "gloo";
}

// What the program says of its place in the group wins over the environment.
protocol::Environment chosen_place(const ProcessGroupOptions& options, protocol::Environment environment) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::usage, "init_process_group(): " + what);
  };
  if (options.world_size > 0) environment.num_replicas = options.world_size;
  if (options.rank >= 0) environment.replica_rank = options.rank;
  if (environment.replica_rank >= environment.num_replicas)
    refuse("rank " + std::to_string(environment.replica_rank) + " is none of " +
           std::to_string(environment.num_replicas) + " replicas");
  const std::string_view method = options.init_method;
  if (method == "env://") return environment;
  const auto port_at = method.rfind(':') + 1;
  if (method.starts_with("file://")) {
    environment.rendezvous_dir = method.substr(7);
  } else if (method.starts_with("tcp://") && port_at > 6) {
    environment.rendezvous_dir.clear();
    environment.master_address = method.substr(6, port_at - 7);
    const auto [end, error] =
        std::from_chars(method.begin() + port_at, method.end(), environment.master_port);
    if (error != std::errc{} || end != method.end() || environment.master_port < 1 ||
        environment.master_port > 65535)
      refuse("\"" + options.init_method + "\" names no port from 1 to 65535");
  } else {
    refuse("\"" + options.init_method + "\": expected env://, tcp://HOST:PORT or file://DIRECTORY");
  }
  return environment;
}

}  // namespace

c10::Device replica_device() {
  const protocol::Environment& environment = process().environment;
  if (environment.device != "auto") return c10::Device(environment.device);
  if (!torch::cuda::is_available()) return c10::kCPU;
  const auto count = static_cast<int>(torch::cuda::device_count());
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(environment.replica_rank % count)};
}

void init_process_group(const ProcessGroupOptions& options) {
  Process& process = this_process();
  if (process.initialized)
    throw Error(ErrorKind::conflict,
                "init_process_group() was called twice: call it once, first thing in main");
  protocol::Hello hello;
  hello.forked = serve_forks();
  hello.started = protocol::monotonic_seconds();

  const protocol::Environment environment = chosen_place(options, protocol::Environment::from_process());
  keep_freed_memory();
  limit_onednn();
  hello.threads = set_threads(environment);
  catch_signals();
  tell_uncaught_exceptions();
  process.environment = environment;
  process.timeout = options.timeout.count() > 0
                        ? options.timeout
                        : std::chrono::milliseconds(std::llround(environment.collective_timeout * 1000));
  hello.backend = "none";
  if (environment.num_replicas > 1) {
    hello.backend = choose_backend(options, environment);
    const auto store = open_store(environment, process.timeout);
    process.star = meet(*store, environment, process.timeout);
    TensorGroup::Place place{environment.replica_rank, environment.num_replicas};
    place.timeout = process.timeout;
    if (!one_machine(environment)) place.address = address_towards(environment.master_address);
    set_tensor_group(make_tensor_group(hello.backend, store, place));
  }
  outer_states() = {load_rng_state, restore_generator};
  process.initialized = true;

  hello.rank = environment.replica_rank;
  hello.generation = environment.num_restarts;
  hello.pid = ::getpid();
  hello.device = replica_device().str();
  hello.library = "LibTorch " TORCH_VERSION;
  hello.mono = protocol::monotonic_seconds();
  const int threads = hello.threads;
  telemetry_start(environment, std::move(hello));
  insist_on_room_for_blas(threads);
}

}  // namespace batchscope
