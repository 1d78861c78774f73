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

/// One state's file in a checkpoint.
struct StateFile {
  std::string name;                    ///< a plain file name, no separators
  std::int64_t bytes = 0;              ///< its size
  std::optional<std::uint32_t> crc32;  ///< zlib's CRC-32 of its bytes; none while it is volatile
};

/// What a checkpoint holds.
struct Manifest {
  static constexpr int kVersion = 1;  ///< of the format that is written

  int version = kVersion;        ///< of the format that was read
  std::int64_t step = 0;         ///< optimizer steps done
  int epoch = 0;                 ///< epochs finished
  double progress = 0;           ///< scale-invariant iterations done
  int num_replicas = 1;          ///< that wrote it
  std::string reason;            ///< as CheckpointWritten has it
  bool pinned = false;           ///< made by hand: never removed by rotation
  std::vector<StateFile> files;  ///< one of each state
  /// What was trained on since the checkpoint before: it lasts with this one, also where nobody is told of
  /// it.
  std::vector<LedgerEntry> ledger;
};

/// Writes manifest.json into the directory and fsyncs it. Throws Error(io).
void write_manifest(const std::filesystem::path& directory, const Manifest& manifest);

/// Reads and checks the form. Throws Error(corrupt), Error(version), Error(not_found), and Error(io) for one
/// that is there and cannot be read, all naming the file.
Manifest read_manifest(const std::filesystem::path& directory);

/// Reads the manifest and checks size and checksum of every file. Throws Error(corrupt) naming the file.
Manifest verify_checkpoint(const std::filesystem::path& directory);

/// zlib's CRC-32 of a file's bytes. Throws Error(io).
std::uint32_t file_crc32(const std::filesystem::path& file);

/// Checkpoint directories ("checkpoint-000012") below, newest first, without looking inside; none where there
/// is no such directory. Throws Error(io) where it cannot be read: half a list would be taken for all of it.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& parent);

/// The newest that verifies; what it had to skip, and why, goes to `skipped`.
std::optional<std::filesystem::path> newest_good_checkpoint(const std::filesystem::path& parent,
                                                            std::vector<std::string>* skipped = nullptr);

}  // namespace batchscope::protocol
