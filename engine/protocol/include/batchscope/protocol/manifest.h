// SPDX-License-Identifier: Apache-2.0
/// \file
/// The manifest of a checkpoint directory: manifest.json with version, step, the ledger, the name, size and
/// CRC-32 (zlib) of each state file, and a checksum of its own. A checkpoint is good when its manifest is
/// whole and every file has the size and checksum it says; it is made beside its final name and renamed when
/// all is on disk. Format: engine/protocol/CHECKPOINT.md.
///
/// The ledger in it is that of the whole run, up to its step. So any one checkpoint is enough to know what
/// was trained on, whatever became of the others, of the supervisor and of the catalogue. A ledger of what
/// came since the last checkpoint that the supervisor acknowledged would stay small in a run of a million
/// passes. But then replicas would have to be told what was acknowledged, over restarts and supervisors, and
/// a checkpoint would be worth nothing without its catalogue. As stretches are joined, a pass takes a line of
/// 40 bytes and each restart within it one more: 4 MB after a hundred thousand passes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/protocol/ledger.h"

namespace batchscope::protocol {

/// The manifest's file name, which no state may have.
inline constexpr char kManifestFile[] = "manifest.json";
/// The prefix of every checkpoint directory's name.
inline constexpr char kCheckpointPrefix[] = "checkpoint-";

/// One state's file in a checkpoint.
struct StateFile {
  std::string name;                    ///< a plain file name, no separators
  std::int64_t bytes = 0;              ///< its size
  std::optional<std::uint32_t> crc32;  ///< zlib's CRC-32 of its bytes; none while it is volatile
};

/// The content of a checkpoint.
struct Manifest {
  static constexpr int kVersion = 2;  ///< of the format that is written

  int version = kVersion;        ///< of the format that was read; 1 had no checksum and no whole ledger
  std::int64_t step = 0;         ///< optimizer steps done
  int epoch = 0;                 ///< epochs finished
  double progress = 0;           ///< scale-invariant iterations done
  int num_replicas = 1;          ///< that wrote the checkpoint
  int generation = -1;           ///< of its run, that wrote it; -1: not of its run, or not known
  std::string reason;            ///< as CheckpointWritten has it
  bool pinned = false;           ///< made by hand: never removed by rotation
  std::vector<StateFile> files;  ///< one of each state, at least one
  Ledger ledger;                 ///< what was trained on in this run
  /// 0: the ledger is whole. Else the run went on at this step from a checkpoint of version 1, and this
  /// ledger begins with the ledger of that; only the catalogue has what came before.
  std::int64_t ledger_from = 0;
};

/// Writes manifest.json into the directory, as of the newest version, and fsyncs it. Throws Error(io).
void write_manifest(const std::filesystem::path& directory, const Manifest& manifest);

/// Reads a manifest and checks its form, in a folder that is to be trusted (CheckpointFolder, with its
/// `memory`). Throws Error(corrupt), Error(version), Error(not_found), and Error(io) for one that is there
/// and cannot be read, all naming the file.
Manifest read_manifest(const std::filesystem::path& directory, const std::filesystem::path& memory = {});

/// Reads the manifest and checks size and checksum of every file. Throws as read_manifest; Error(corrupt)
/// names the file.
Manifest verify_checkpoint(const std::filesystem::path& directory, const std::filesystem::path& memory = {});

/// Returns zlib's CRC-32 of these bytes; `before`: the CRC-32 of what comes before them.
std::uint32_t bytes_crc32(std::string_view bytes, std::uint32_t before = 0);

/// Returns zlib's CRC-32 of a file's bytes. Throws Error(io).
std::uint32_t file_crc32(const std::filesystem::path& file);

/// Returns the number of the directory "checkpoint-000012"; empty for any other name, such as one with more
/// than twelve digits, which no run reaches.
std::optional<std::int64_t> checkpoint_number(const std::string& name);

/// Returns the directory name of a number from 0 on, with six digits or more. Throws Error(io) beyond twelve.
std::string checkpoint_name(std::int64_t number);

/// Returns the checkpoint directories below, newest first, without looking inside; none where there is no
/// such directory. Throws Error(io) where it cannot be read: half a list would be taken for all of it.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& parent);

/// Returns the newest checkpoint that verifies; those that it skips, and why, go to `skipped`. The
/// `unloadable` ones, by directory name with the reason, are skipped as well.
std::optional<std::filesystem::path> newest_good_checkpoint(
    const std::filesystem::path& parent, std::vector<std::string>* skipped = nullptr,
    const std::filesystem::path& memory = {}, const std::map<std::string, std::string>& unloadable = {});

}  // namespace batchscope::protocol
