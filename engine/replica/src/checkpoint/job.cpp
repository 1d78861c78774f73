// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/job.h"

#include <numeric>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/ledger.h"
#include "process/session.h"
#include "report/telemetry_client.h"

namespace batchscope::replica {

namespace {

struct Source {
  std::function<TrainingProgress()> progress = [] { return TrainingProgress(); };
};

}  // namespace

void set_training_progress(std::function<TrainingProgress()> now) {
  session().part<Source>().progress = std::move(now);
}

CheckpointJob::CheckpointJob(const std::string& reason, std::vector<CheckpointStore::File> files)
    : files_(std::move(files)) {
  const TrainingProgress progress = session().part<Source>().progress();
  manifest_.step = message_.step = progress.step;
  manifest_.epoch = message_.epoch = progress.epoch;
  manifest_.progress = message_.progress = progress.progress;
  manifest_.num_replicas = num_replicas();
  manifest_.reason = message_.reason = reason;
  manifest_.pinned = reason == "manual";
  manifest_.generation = num_restarts();
  untold_ = take_ledger(manifest_);
  message_.last_step = progress.last_step;
  message_.began = protocol::monotonic_seconds();
}

std::filesystem::path CheckpointJob::write_at(const CheckpointStore& store, Place place) {
  if (place == Place::memory_or_disk)
    if (const auto written = store.write_in_memory(manifest_, files_)) return *written;
  try {
    return store.write(manifest_, files_);
  } catch (const Error& full) {
    if (place != Place::disk_or_memory || full.kind() != ErrorKind::io) throw;
    if (const auto written = store.write_in_memory(manifest_, files_)) return *written;
    throw;
  }
}

std::filesystem::path CheckpointJob::write(const CheckpointStore& store, Place place) {
  std::filesystem::path written;
  try {
    written = write_at(store, place);
  } catch (...) {
    requeue_ledger(std::move(untold_));
    throw;
  }
  message_.name = written.filename().string();
  message_.bytes =
      std::accumulate(manifest_.files.begin(), manifest_.files.end(), std::int64_t{0},
                      [](std::int64_t sum, const protocol::StateFile& file) { return sum + file.bytes; });
  message_.mono = protocol::monotonic_seconds();
  for (protocol::LedgerEntry& entry : untold_) send(std::move(entry));
  send(message_);
  return written;
}

}  // namespace batchscope::replica
