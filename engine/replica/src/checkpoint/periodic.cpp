// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/periodic.h"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/background_writer.h"
#include "checkpoint/job.h"
#include "checkpoint/registry.h"
#include "process/process.h"
#include "process/session.h"
#include "process/signals.h"
#include "report/telemetry_client.h"

namespace batchscope::replica::periodic {
namespace {

using Clock = std::chrono::steady_clock;

struct Periodic {
  std::optional<Clock::time_point> next;  // none before the first step
  bool failing = false;  // of the writing thread: a disk that is full for an hour is told of once
  BackgroundWriter writer;

  // The program may end while it writes, and what has begun is worth finishing.
  Periodic() {
    std::atexit([] { periodic::finish(); });
  }
};

struct Overtaken {};

Periodic& part() { return session().part<Periodic>(); }
BackgroundWriter& writer() { return part().writer; }

void restart_clock() {
  part().next = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(process().environment.checkpoint_interval));
}

void write(CheckpointJob& job) {
  try {
    job.write(checkpoint_store());
    if (std::exchange(part().failing, false)) notice("info", "periodic checkpoints can be written again");
  } catch (const Overtaken&) {
  } catch (const std::exception& e) {
    if (!std::exchange(part().failing, true))
      notice("warning", std::string("no periodic checkpoint; training goes on and the next one is tried as "
                                    "planned: ") +
                            e.what());
  }
}

}  // namespace

void request_when_due(bool good) {
  if (replica_rank() != 0 || process().environment.checkpoint_interval <= 0) return;
  if (!part().next) restart_clock();
  if (Clock::now() < *part().next || writer().busy()) return;
  if (!good) return;
  restart_clock();
  raise_request(ExitRequest::periodic_checkpoint);
}

void checkpoint() {
  const PhaseScope phase("checkpoint");
  sync_states();
  if (replica_rank() != 0) return;
  std::vector<CheckpointStore::File> files;
  try {
    files = snapshot_states();
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
  if (part().next) restart_clock();
}

}  // namespace batchscope::replica::periodic
