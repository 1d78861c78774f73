// SPDX-License-Identifier: Apache-2.0
//
// Files of a run that a person may keep: what its replicas printed, what its program wrote into the folders
// that it was given, and its checkpoints, each as one archive. Nothing else of the run's folder is among
// them, such as the environment of its replicas or the supervisor's own files, and nothing that a link leads
// to (THREATS.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::web {

// {"files":[{"path":"share/model.bin","bytes":..,"time":..}],"left_out":0}, by their paths. What has no plain
// name, lies too deep or is one too many is counted only.
protocol::Json files_json(const storage::Run& run);

// A file that was opened.
struct RunFile {
  std::string name;  // without its folders
  std::int64_t bytes;
  std::function<std::string()> read;  // as Downloads reads
};
// Opens the file of such a path. Throws Error(not_found) for any other path, and Error as the checkpoint's
// own.
RunFile open_file(const storage::Run& run, const std::string& path);

}  // namespace batchscope::web
