// SPDX-License-Identifier: Apache-2.0
//
// Rank 0 writes; while it does the others are kept waiting by small broadcasts, because a large checkpoint on
// a slow disk takes longer than any collective may.
#include "checkpoint/save.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/time_outs.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/job.h"
#include "checkpoint/periodic.h"
#include "checkpoint/registry.h"
#include "process/process.h"
#include "report/telemetry_client.h"

namespace batchscope::replica {
namespace {

// Returns the time between two signs of life of a writing rank 0, for which the others wait in a collective.
std::chrono::milliseconds sign_of_life() {
  return std::min<std::chrono::milliseconds>(protocol::time_out::kSignOfLife, process().timeout / 3);
}

void write(const std::string& reason, CheckpointJob::Place place) {
  // A checkpoint in memory needs a supervisor, who puts it on disk.
  CheckpointJob(reason, save_states())
      .write(checkpoint_store(), telemetry_connected() ? place : CheckpointJob::Place::disk);
}

void save(const std::string& reason, CheckpointJob::Place place) {
  const PhaseScope phase("checkpoint");
  periodic::overtake();
  sync_states();

  std::future<void> written;
  if (replica_rank() == 0) written = std::async(std::launch::async, write, reason, place);
  while (true) {
    // "" while rank 0 is writing, then "." or the reason why it could not.
    collective::Bytes result;
    std::exception_ptr error;
    if (replica_rank() == 0 && written.wait_for(sign_of_life()) == std::future_status::ready) {
      try {
        written.get();
        result = ".";
      } catch (const std::exception& e) {
        error = std::current_exception();
        result = e.what();
      }
    }
    result = collective::broadcast("checkpoint", result);
    if (error) std::rethrow_exception(error);
    if (result == ".") return;
    if (!result.empty()) throw Error(ErrorKind::io, "rank 0 could not write the checkpoint: " + result);
  }
}

}  // namespace

void save_for_restart(const std::string& reason) { save(reason, CheckpointJob::Place::memory_or_disk); }

void save_for_exit(const std::string& reason) { save(reason, CheckpointJob::Place::disk_or_memory); }

}  // namespace batchscope::replica

void batchscope::checkpoint::save_all_states(const std::string& reason) {
  replica::save(reason, replica::CheckpointJob::Place::disk);
}
