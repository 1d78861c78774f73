// SPDX-License-Identifier: Apache-2.0
#include "session/start.h"

#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "adapt/cores.h"
#include "adapt/loops.h"
#include "adapt/metrics.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/epoch.h"
#include "checkpoint/job.h"
#include "checkpoint/ledger.h"
#include "checkpoint/registry.h"
#include "collective/discover.h"
#include "collective/handshake.h"
#include "collective/rendezvous.h"
#include "process/fork_server.h"
#include "process/process.h"
#include "process/session.h"
#include "process/signals.h"
#include "report/failure.h"
#include "report/telemetry_client.h"
#include "session/epochs.h"
#include "session/leave.h"
#include "session/triggers.h"

namespace batchscope::replica {
namespace {

using ComputingPart = std::unique_ptr<Computing>;

// The program's options for its place in the group win over the environment.
protocol::Environment chosen_place(const ProcessGroupOptions& options, protocol::Environment environment) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::usage, "init_process_group(): " + what);
  };
  if (options.world_size > 0) environment.num_replicas = options.world_size;
  if (options.rank >= 0) environment.replica_rank = options.rank;
  if (environment.replica_rank >= environment.num_replicas)
    refuse("rank " + std::to_string(environment.replica_rank) + " is not one of " +
           std::to_string(environment.num_replicas) + " replicas");
  const std::string_view method = options.init_method;
  if (method == "env://") {
    const char* const master = ::getenv(protocol::variable::kMasterAddress);
    if (!environment.supervisor_url.empty() && environment.rendezvous_dir.empty() && !(master && *master))
      environment.master_address.clear();  // the scheduler knows it
    return environment;
  }
  const auto port_at = method.rfind(':') + 1;
  if (method.starts_with("file://")) {
    environment.rendezvous_dir = method.substr(7);
  } else if (method.starts_with("tcp://") && port_at > 7) {
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

// A program for any device was given GPUs, which it may be unable to use: it shares the cores then.
bool counts_gpus(const protocol::Environment& environment) {
  const char* const visible = ::getenv("CUDA_VISIBLE_DEVICES");
  return environment.num_devices > 0 && environment.device == "auto" && visible && *visible;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

// Training frees and allocates the same large tensors at every step. By default glibc gives such memory back
// to the system and takes page faults to get it again (20-30 a step on a small MLP, 5 % of its time); told to
// keep what is freed, it takes none. Other C libraries keep their ways.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest it takes: what is larger is mapped by itself
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
}

void load_session_states() {
  metrics::load_metrics_state();
  load_epoch_state();
  computing().load_states();
  load_trigger_state();
  load_loops_state();
}

// Hands the session's lower parts what they need to know of the upper ones.
void connect_parts() {
  set_own_states(load_session_states);
  set_training_progress([] {
    return TrainingProgress{metrics::steps(), finished_epochs(), metrics::progress(),
                            metrics::last_step_time()};
  });
  before_goodbye([](int code) {
    if (code == kExitOk) send_ledger();
  });
}

}  // namespace

Computing& computing() {
  auto& part = session().part<ComputingPart>();
  if (!part) part = std::make_unique<Computing>();
  return *part;
}

void start_session(const ProcessGroupOptions& options, std::unique_ptr<Computing> the_computing) {
  Process& process = session().part<Process>();
  if (process.initialized)
    throw Error(ErrorKind::conflict,
                "init_process_group() was called twice: call it once, first thing in main");
  protocol::Hello hello;
  if (::getenv(protocol::variable::kForkServer)) ready_for_greetings();
  hello.forked = serve_forks();
  if (hello.forked) leave_libraries_behind();
  hello.serves = offers_fork_server();
  hello.started = protocol::monotonic_seconds();

  protocol::Environment environment = chosen_place(options, protocol::Environment::from_process());
  session().part<ComputingPart>() = std::move(the_computing);
  keep_freed_memory();
  hello.threads = computing().set_threads(environment);
  catch_signals();
  tell_unexpected_ends();
  connect_parts();
  process.environment = environment;
  if (environment.num_nodes > 1) process.environment.memory_path.clear();  // no other node reads this one's
  process.timeout = options.timeout.count() > 0
                        ? options.timeout
                        : std::chrono::milliseconds(std::llround(environment.collective_timeout * 1000));
  computing().take_device();
  hello.backend = "none";
  if (environment.num_replicas > 1) {
    if (environment.master_address.empty())
      environment.master_address = discover_master(environment, meeting_time(environment, process.timeout));
    process.collectives = meet(environment, process.timeout);
    hello.backend = computing().meet(environment, process.timeout);
  }
  process.initialized = true;

  hello.rank = environment.replica_rank;
  hello.generation = environment.num_restarts;
  hello.pid = ::getpid();
  hello.device = computing().device();
  if (hello.device == "cpu" && counts_gpus(environment)) {
    const int of_each = std::max(1, process.environment.devices_per_replica);
    process.environment.num_devices = std::max(1, usable_cores() / of_each);
  }
  if (hello.device == "cpu") set_cores(hello.threads, [](int threads) { computing().use_threads(threads); });
  hello.library = computing().library();
  hello.mono = protocol::monotonic_seconds();
  const int threads = hello.threads;
  telemetry_start(environment, std::move(hello));
  // The program's own orderly end; a crash and leave() do not come here.
  on_exit([](int status, void*) { telemetry_stop(status); }, nullptr);
  computing().begin(threads);
}

}  // namespace batchscope::replica

void batchscope::init_replica(const ProcessGroupOptions& options) {
  replica::start_session(options, std::make_unique<replica::Computing>());
}
