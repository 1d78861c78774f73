// SPDX-License-Identifier: Apache-2.0
//
// A run's folder that several machines see, FOLDER/ID, with its record.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "batchscope/protocol/run_spec.h"

namespace batchscope::cli {

inline constexpr char kRecordFile[] = "record.jsonl";

// The folder and the content of its run.json. Both belong to this user, and nobody else may write them,
// because run.json names a program to start.
struct RunFolder {
  std::filesystem::path path;  // absolute
  std::string id;              // its name
  protocol::RunSpec spec;

  std::filesystem::path record() const { return path / kRecordFile; }
};
// Throws Error(not_found | usage | conflict | corrupt).
RunFolder openRunFolder(const std::filesystem::path& folder);

// Makes the run's folder in this store, with links to its checkpoints, logs and the replicas' common folder
// in that one. Throws Error(io), and Error(conflict) where the run has files of its own here.
void linkRunFolder(const std::string& run, const std::filesystem::path& folder);

// Reads the bytes from the offset to the end, a part at a time; none if there is no such file. Throws
// Error(io).
void readFrom(const std::filesystem::path& file, std::int64_t offset,
              const std::function<void(std::string_view bytes)>& take);

// Reads at most 256 KiB from the offset on; none at the end. Throws Error(io).
std::string readSome(const std::filesystem::path& file, std::int64_t offset);

// Returns whether a line begins at the offset: a stored offset may belong to another file.
bool beginsLine(const std::filesystem::path& file, std::int64_t offset);

}  // namespace batchscope::cli
