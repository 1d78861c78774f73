// SPDX-License-Identifier: Apache-2.0
//
// The process of a supervisor: one for a run, the subreaper of everything its replicas start.
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "batchscope/protocol/devices.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/end_notice.h"
#include "batchscope/run/supervisor.h"
#include "devices/node_placement.h"
#include "record/predecessor.h"
#include "supervision/supervision.h"

namespace batchscope::run {
namespace {

// The run is this process's while this lives.
class Claim {
 public:
  Claim(storage::Catalogue& catalogue, const std::string& id) : catalogue_(catalogue), id_(id) {
    if (!catalogue_.claim_supervisor(id_))
      throw Error(ErrorKind::conflict, "run " + id_ + " has a supervisor already");
  }
  ~Claim() {
    try {
      catalogue_.release_supervisor(id_);
    } catch (const Error& error) {
      // Readers find the process gone all the same.
      std::fprintf(stderr, "warning: %s\n", error.what());
    }
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  storage::Catalogue& catalogue_;
  const std::string& id_;
};

// The run's directories. The private one of the sockets is there while somebody listens, and no longer.
class Directories {
 public:
  explicit Directories(const protocol::RunPaths& paths) : runtime_(paths.runtime) {
    protocol::make_run_directories(paths);
  }
  ~Directories() {
    std::error_code ignored;
    std::filesystem::remove_all(runtime_, ignored);
  }
  Directories(const Directories&) = delete;
  Directories& operator=(const Directories&) = delete;

 private:
  const std::filesystem::path runtime_;
};

// Devices that were named are leased before anything else: whoever finds them taken has changed nothing, and
// a run of the queue waits on.
void lease_named(storage::Catalogue& catalogue, const storage::Run& run, const Allocation& allocation) {
  if (allocation.devices.empty()) return;
  const auto generations = catalogue.generations(run.id);
  catalogue.lease_devices(
      run.id,
      [&](const std::vector<storage::Lease>& of_others, const std::vector<std::string>& own) {
        return devices_to_lease(run.spec, allocation, Machine::here(), of_others, own);
      },
      next_generation(generations, protocol::run_paths(run.id)), generations.empty() ? "start" : "resume");
}

// Reports the failure of a supervisor that did not come so far as to tell by itself, or no longer could.
void tell_failure(storage::Catalogue& catalogue, const storage::Run& run, const std::string& why) {
  const auto generations = catalogue.generations(run.id);
  catalogue.add_event(run.id, generations.empty() ? 0 : generations.back().number, run.step, "error",
                      "failed: " + why);
  catalogue.set_state(run.id, RunState::failed, why);
  announce_end(run.id, run.spec);
}

}  // namespace

int supervise(const std::string& id, int replicas, const std::vector<std::string>& devices) {
  protocol::check_devices(devices);
  storage::Catalogue catalogue(protocol::catalogue_path());
  const auto run = catalogue.run(id);
  if (!run) throw Error(ErrorKind::not_found, "there is no run " + id);
  storage::require_sound(*run);
  if (run->state == RunState::finished)
    throw Error(ErrorKind::conflict, "run " + id + " is finished; start a new one");
  const Claim claim(catalogue, id);
  const Allocation wanted(replicas, devices, run->spec.devices_of_each());
  lease_named(catalogue, *run, wanted);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow any more is a full disk, not the end
  signal(SIGPIPE, SIG_IGN);  // nor is a command for other nodes that has ended
  try {
    catalogue.set_state(id, RunState::starting);
    const Directories directories(protocol::run_paths(id));
    storage::keep_spec(protocol::run_paths(id).root, run->spec);
    return Supervision(catalogue, *run, wanted).exec();
  } catch (const Error& error) {
    tell_failure(catalogue, *run, error.what());
    throw;
  } catch (const std::exception& error) {  // of the system or of a library
    tell_failure(catalogue, *run, error.what());
    throw Error(ErrorKind::failure, error.what());
  }
}

}  // namespace batchscope::run
