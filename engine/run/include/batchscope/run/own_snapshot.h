// SPDX-License-Identifier: Apache-2.0
/// \file
/// A snapshot that a training program writes by itself, as a script for torchrun does with torch.save. The
/// Python package notes the newest one in the folder that the replicas share (engine/python/batchscope/
/// _snapshot.py).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace batchscope::run {

/// The variable of a run's environment that holds the argument by which its program is told of the snapshot
/// at a restart: "--resume", which the path follows, or "--resume=", which it ends.
inline constexpr char kResumeArgument[] = "BATCHSCOPE_RESUME_ARG";

/// The newest snapshot.
struct OwnSnapshot {
  std::filesystem::path file;  ///< absolute
  std::int64_t step = 0;       ///< steps that the run had recorded when it was written
};

/// Returns the snapshot that is noted in a run's shared folder, if it is still there; none where the note
/// cannot be read.
std::optional<OwnSnapshot> own_snapshot(const std::filesystem::path& share);

}  // namespace batchscope::run
