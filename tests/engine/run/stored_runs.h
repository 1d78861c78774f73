// SPDX-License-Identifier: Apache-2.0
//
// Runs in a store of a test's own that nobody trains, with checkpoints that somebody might have written. In
// the place of our programs are scripts: whoever starts a supervisor finds one that says how it was called,
// and ends.
#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <string>

#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"
#include "text_files.h"

namespace batchscope::run {

class StoredRuns {
 public:
  StoredRuns() {
    qputenv("BATCHSCOPE_BIN", path("").c_str());
    add_program("batchscope", "echo \"$@\" >> \"${0%/*}/called\"");
  }

  storage::Catalogue& catalogue() { return catalogue_; }
  std::filesystem::path path(const char* name) const { return folder_.filePath(name).toStdString(); }
  // How supervisors were called, each on a line.
  std::string called() const { return testing::contents(path("called")); }

  void add_program(const char* name, const std::string& line) const {
    testing::write_file(path(name), "#!/bin/sh\n" + line + "\n");
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }

  protocol::RunSpec spec() const {
    protocol::RunSpec spec;
    spec.name = "digits";
    spec.program = "/bin/true";
    spec.working_directory = path("").string();
    spec.device = "cpu";
    return spec;
  }

  // A run that was stopped.
  std::string add(const protocol::RunSpec& spec) {
    const std::string id = catalogue_.create_run(spec);
    catalogue_.set_state(id, protocol::RunState::stopped);
    protocol::make_run_directories(protocol::run_paths(id));
    return id;
  }

  // Returns its folder.
  static std::filesystem::path write_checkpoint(const std::string& id, int number, std::int64_t step,
                                                const std::string& state = "model") {
    protocol::Manifest manifest;
    manifest.step = step;
    manifest.generation = 0;
    manifest.ledger = {{0, {"train-0", 0, 0, 0, step, 0, 1000, step}}};
    const auto folder = protocol::run_paths(id).checkpoints / protocol::checkpoint_name(number);
    protocol::write_checkpoint(folder, manifest, [&](const std::filesystem::path& partial) {
      testing::write_file(partial / state, "the state");
      manifest.files = {{state, 9, protocol::file_crc32(partial / state)}};
    });
    return folder;
  }

 private:
  std::filesystem::path set_up() const {
    qputenv("BATCHSCOPE_DB", path("runs.db").c_str());
    qputenv("XDG_STATE_HOME", path("state").c_str());
    return protocol::catalogue_path();
  }

  QTemporaryDir folder_;
  storage::Catalogue catalogue_{set_up()};
};

}  // namespace batchscope::run
