// SPDX-License-Identifier: Apache-2.0
//
// A run that a recorder writes down, and its checkpoints.
#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <optional>
#include <string>

#include "batchscope/protocol/manifest.h"
#include "batchscope/storage/catalogue.h"
#include "record/recorder.h"

namespace batchscope::run {

// A run in a store of its own, in its first generation.
struct Recorded {
  explicit Recorded(std::size_t most_waiting = Recorder::kMostWaiting)
      : recorder((protocol::make_run_directories(paths), catalogue), id, paths, most_waiting) {
    recorder.begin_generation(0);
  }

  static std::filesystem::path set_up(const QTemporaryDir& folder) {
    qputenv("BATCHSCOPE_DB", (folder.path() + "/runs.db").toUtf8());
    qputenv("XDG_STATE_HOME", folder.path().toUtf8());
    return protocol::catalogue_path();
  }

  QTemporaryDir folder;
  storage::Catalogue catalogue{set_up(folder)};
  const std::string id = catalogue.create_run({});
  const protocol::RunPaths paths = protocol::run_paths(id);
  Recorder recorder;
};

// One sample a step.
inline protocol::LedgerEntry trained(std::int64_t from, std::int64_t to) {
  return {"train-0", 0, 0, from, to, 0, 100, to};
}

inline void write_checkpoint(const protocol::RunPaths& paths, int number, const protocol::Ledger& ledger,
                             std::int64_t ledger_from = 0) {
  protocol::Manifest manifest;
  manifest.step = ledger.back().entry.step;
  manifest.generation = ledger.back().generation;
  manifest.files = {{"model", 0, 0}};
  manifest.ledger = ledger;
  manifest.ledger_from = ledger_from;
  const auto directory = paths.checkpoints / protocol::checkpoint_name(number);
  std::filesystem::create_directory(directory);
  protocol::write_manifest(directory, manifest);
}

class RecordedTest : public QObject {
 protected:
  void begin() { recorded_.emplace(); }

  storage::Catalogue& catalogue() { return recorded_->catalogue; }
  const std::string& id() const { return recorded_->id; }
  const protocol::RunPaths& paths() const { return recorded_->paths; }
  Recorder& recorder() { return recorded_->recorder; }

  std::optional<Recorded> recorded_;
};

}  // namespace batchscope::run
