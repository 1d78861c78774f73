// SPDX-License-Identifier: Apache-2.0
/// \file
/// The manifest of a checkpoint directory: manifest.json with version, step, and the name, size and
/// CRC-32 (zlib) of each state file. A checkpoint is good when its manifest is there and every file has
/// the size and checksum it says; it is made beside its final name and renamed when all is on disk.
/// Format: engine/protocol/CHECKPOINT.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::protocol {

struct StateFile {
  std::string name;  ///< a plain file name, no separators
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;
};

struct Manifest {
  static constexpr int kVersion = 1;

  int version = kVersion;
  std::int64_t step = 0;
  int epoch = 0;
  double progress = 0;
  int num_replicas = 1;
  std::string reason;
  bool pinned = false;  ///< made by hand: never removed by rotation
  std::vector<StateFile> files;
  /// What was trained on since the checkpoint before: it lasts with this one, also where nobody is told of
  /// it.
  std::vector<LedgerEntry> ledger;
};

/// Writes manifest.json into the directory and fsyncs it. Throws Error(io).
void write_manifest(const std::filesystem::path& directory, const Manifest& manifest);

/// Reads and checks the form. Throws Error(corrupt), Error(version), Error(not_found).
Manifest read_manifest(const std::filesystem::path& directory);

/// Reads the manifest and checks size and checksum of every file. Throws Error(corrupt) naming the file.
Manifest verify_checkpoint(const std::filesystem::path& directory);

/// Checkpoint directories ("checkpoint-000012") below, newest first, without looking inside.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& parent);

/// The newest that verifies; what it had to skip, and why, goes to `skipped`.
std::optional<std::filesystem::path> newest_good_checkpoint(const std::filesystem::path& parent,
                                                            std::vector<std::string>* skipped = nullptr);

}  // namespace batchscope::protocol
