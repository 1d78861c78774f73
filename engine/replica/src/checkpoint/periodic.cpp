// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/periodic.h"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "adapt/metrics.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/background_writer.h"
#include "checkpoint/job.h"
#include "checkpoint/registry.h"
#include "process/process.h"
#include "report/telemetry_client.h"

namespace batchscope::periodic {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<Clock::time_point> next;  // none before the first step

// Of the writing thread: a disk that is full for an hour is told of once.
bool failing = false;

struct Overtaken {};

// Made on the first use and never destroyed; the program may end while it writes, and what has begun is worth
// finishing before that what it uses is destroyed.
BackgroundWriter& writer() {
  static BackgroundWriter* const writer = [] {
    std::atexit([] { periodic::finish(); });
    return new BackgroundWriter;
  }();
  return *writer;
}

void restart_clock() {
  next = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(process().environment.checkpoint_interval));
}

void write(CheckpointJob& job) {
  try {
    job.write(checkpoint::store());
    if (std::exchange(failing, false)) notice("info", "periodic checkpoints can be written again");
  } catch (const Overtaken&) {
  } catch (const std::exception& e) {
    if (!std::exchange(failing, true))
      notice("warning", std::string("no periodic checkpoint; training goes on and the next one is tried as "
                                    "planned: ") +
                            e.what());
  }
}

}  // namespace

void ask_when_due() {
  if (replica_rank() != 0 || process().environment.checkpoint_interval <= 0) return;
  if (!next) restart_clock();
  if (Clock::now() < *next || writer().busy()) return;
  if (metrics::non_finite_in_a_row() > 0) return;  // what is kept should be known to be good
  restart_clock();
  raise_ask(Ask::periodic_checkpoint);
}

void checkpoint() {
  const PhaseScope phase("checkpoint");
  checkpoint::sync_states();
  if (replica_rank() != 0) return;
  std::vector<CheckpointStore::File> files;
  try {
    files = checkpoint::snapshot_states();
  } catch (const std::exception& e) {
    return notice("warning", std::string("no periodic checkpoint: ") + e.what());
  }
  for (CheckpointStore::File& file : files)
    file.save = [save = std::move(file.save)](std::ostream& out) {
      if (writer().overtaken()) throw Overtaken{};
      save(out);
    };
  // The copies are let go as soon as they are written, not when the next checkpoint begins.
  writer().start([job = std::make_shared<CheckpointJob>("periodic", std::move(files))]() mutable {
    write(*job);
    job.reset();
  });
}

void finish() { writer().finish(); }

void overtake() {
  writer().overtake();
  if (next) restart_clock();
}

}  // namespace batchscope::periodic
