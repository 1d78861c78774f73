// SPDX-License-Identifier: Apache-2.0
//
// Starting the supervisor of a run, new or resumed, as a process that outlives its starter.
#include <fmt/format.h>

#include <QString>
#include <QStringList>
#include <QThread>
#include <chrono>
#include <filesystem>
#include <optional>

#include "batchscope/protocol/devices.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/time_outs.h"
#include "batchscope/run/client.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/annotation.h"
#include "batchscope/storage/origins.h"
#include "client/start.h"
#include "devices/placement.h"
#include "log/last_words.h"
#include "model/auto_scaling.h"
#include "system/detached.h"
#include "system/process_table.h"
#include "system/programs.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

constexpr int kLogLines = 10;

fs::path supervisor_log(const std::string& id) { return protocol::run_paths(id).root / "supervisor.log"; }

ProcessId spawn_supervisor(const std::string& id, const Allocation& allocation) {
  QStringList arguments{QStringLiteral("supervise"), QString::fromStdString(id)};
  if (allocation.replicas > 0)
    arguments << QStringLiteral("--replicas") << QString::number(allocation.replicas);
  if (!allocation.devices.empty())
    arguments << QStringLiteral("--devices")
              << QString::fromStdString(fmt::format("{}", fmt::join(allocation.devices, ",")));
  return start_detached("batchscope", arguments, supervisor_log(id));
}

bool answers(const std::string& id) {
  try {
    protocol::Request status;
    request(id, status, 500);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Throws where the run was removed by somebody else while its supervisor was on its way.
void insist_on_run(const std::string& id, const std::optional<storage::Run>& run) {
  if (!run) throw Error(ErrorKind::not_found, "run " + id + " was removed while it was being started");
  if (run->removed > 0)
    throw Error(ErrorKind::conflict, "run " + id +
                                         " was put into the trash while it was being started; to go on: "
                                         "batchscope restore " +
                                         id + ", batchscope resume " + id);
}

// Whether a supervisor had the run in its hands, which is to be seen by the time of its end, and was not only
// turned away. `ended_before`: the time of the end before it, 0 for a new run.
bool came_and_went(const storage::Run& run, double ended_before) {
  return !protocol::is_active(run.state) && run.state != protocol::RunState::interrupted &&
         run.ended != ended_before;
}

// Waits until the supervisor answers, or has come and gone (a run of a moment).
void await_supervisor(storage::Catalogue& catalogue, const std::string& id, const ProcessId& process,
                      double ended_before) {
  const auto deadline = std::chrono::steady_clock::now() + protocol::time_out::kSupervisorStart;
  while (!answers(id)) {
    const bool gone = !is_alive(process);
    if (gone) {
      const auto run = catalogue.run(id);
      insist_on_run(id, run);
      if (came_and_went(*run, ended_before)) return;
    }
    if (gone || std::chrono::steady_clock::now() > deadline) {
      const std::string log = log_tail(supervisor_log(id), kLogLines);
      throw Error(ErrorKind::timeout, "the supervisor of run " + id +
                                          (gone ? " ended at once" : " does not answer") + "; its log is " +
                                          supervisor_log(id).string() + (log.empty() ? "" : ":\n" + log));
    }
    QThread::msleep(10);
  }
}

// `leases`: of other runs. Who has no supervisor yet may wait for one in the queue, where waiting helps.
void check_devices(const protocol::RunSpec& spec, const std::vector<storage::Lease>& leases) {
  const Machine machine = Machine::here();
  const int replicas = first_replicas(spec, spec.replicas, machine, free_devices(machine, leases));
  try {
    place(spec, replicas, machine, leases);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::conflict) throw;
    place(spec, replicas, machine, {});
    throw Error(ErrorKind::conflict,
                std::string(error.what()) + "; `batchscope submit` waits until they are free");
  }
}

}  // namespace

void check_spec(const protocol::RunSpec& spec) {
  storage::check_name(spec.name);
  storage::check_group(spec.group);
  if (!fs::path(spec.program).is_absolute())
    throw Error(ErrorKind::usage, "the program '" + spec.program + "' must be given by its absolute path");
  if (!fs::exists(spec.program)) throw Error(ErrorKind::not_found, "there is no program " + spec.program);
  if (!is_executable(spec.program))
    throw Error(ErrorKind::usage, spec.program + " is not a program: it cannot be executed");
  if (!fs::is_directory(spec.working_directory))
    throw Error(ErrorKind::not_found, "there is no working directory '" + spec.working_directory + "'");
  spec.check();
}

void check_start(storage::Catalogue& catalogue, const protocol::RunSpec& spec) {
  check_spec(spec);
  check_devices(spec, catalogue.leases());
}

std::string start_run(storage::Catalogue& catalogue, const protocol::RunSpec& spec) {
  return start_run(catalogue, spec, [](const std::string&) {});
}

std::string start_run(storage::Catalogue& catalogue, const protocol::RunSpec& spec,
                      const std::function<void(const std::string& id)>& prepare) {
  check_start(catalogue, spec);  // refused here, a run is not made; what its supervisor finds then decides
  const std::string id = catalogue.create_run(spec);
  try {
    protocol::make_run_directories(protocol::run_paths(id));
    prepare(id);
    await_supervisor(catalogue, id, spawn_supervisor(id, Allocation()), 0);
  } catch (const Error& error) {
    if (catalogue.run(id)) catalogue.set_state(id, protocol::RunState::failed, error.what());
    throw;
  }
  return id;
}

namespace {

// The pool says when it goes on, and on which devices.
void back_into_queue(storage::Catalogue& catalogue, const storage::Run& run, const Allocation& wanted) {
  if (!wanted.devices.empty()) throw devices_are_the_pools(run.id);
  if (wanted.replicas > 0) {
    insist_on_devices(run.spec, wanted.replicas, catalogue);
    protocol::RunSpec spec = run.spec;
    spec.replicas = wanted.replicas;
    spec.auto_replicas.reset();
    catalogue.set_spec(run.id, spec);
  }
  catalogue.go_on(run.id);
  kPool.start();
}

}  // namespace

void resume_run(storage::Catalogue& catalogue, const std::string& id, int replicas,
                const std::vector<std::string>& devices) {
  protocol::check_devices(devices);
  const auto run = catalogue.run(id);
  if (!run) throw Error(ErrorKind::not_found, "there is no run " + id);
  storage::require_sound(*run);
  if (const auto origin = storage::Origins(protocol::catalogue_path()).find(id); origin && origin->followed)
    throw Error(ErrorKind::conflict, storage::trains_elsewhere(id, *origin));
  if (run->state == protocol::RunState::finished)
    throw Error(ErrorKind::conflict, "run " + id + " has finished; start a new one");
  if (run->state == protocol::RunState::pausing)
    throw Error(ErrorKind::conflict, "run " + id + " is still pausing: resume it when it is paused");
  if (protocol::is_active(run->state))
    throw Error(ErrorKind::conflict, fmt::format("run {} is {} already; `batchscope attach {}` watches it",
                                                 id, protocol::run_state_name(run->state), id));
  const Allocation wanted(replicas, devices, run->spec.devices_of_each());
  check_spec(run->spec);
  if (catalogue.job(id)) return back_into_queue(catalogue, *run, wanted);
  const std::vector<storage::Lease> leases = catalogue.leases();
  const Machine machine = Machine::here();
  const int as_before = first_replicas(run->spec, run->spec.replicas, machine, free_devices(machine, leases));
  place(run->spec, wanted.replicas > 0 ? wanted : as_before, machine, leases);
  protocol::make_run_directories(protocol::run_paths(id));
  await_supervisor(catalogue, id, spawn_supervisor(id, wanted), run->ended);
}

ProcessId spawn_supervisor(const std::string& id, int replicas, const std::vector<std::string>& devices) {
  protocol::check_devices(devices);
  protocol::make_run_directories(protocol::run_paths(id));
  return spawn_supervisor(id, Allocation(replicas, devices));
}

std::string supervisor_last_words(const std::string& id) {
  return last_words(log_tail(supervisor_log(id), kLogLines));
}

}  // namespace batchscope::run
