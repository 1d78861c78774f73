// SPDX-License-Identifier: Apache-2.0
/// \file
/// The paths of all files. Lasting ones: `$XDG_DATA_HOME/batchscope/runs.db` (BATCHSCOPE_DB overrides) with
/// `runs/<id>/` beside it. Those that live as long as a supervisor: `$XDG_STATE_HOME/batchscope/<id>/` with
/// the sockets, in a 0700 directory that is checked for its owner; where that path would not fit the 108
/// bytes of a socket address, `/tmp/batchscope-<uid>/<id>/` serves instead.
#pragma once

#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace batchscope::protocol {

/// The paths of one run, all absolute.
struct RunPaths {
  std::filesystem::path root;            ///< `runs/<id>`
  std::filesystem::path samples;         ///< samples.db
  std::filesystem::path logs;            ///< `logs/g<generation>-r<rank>.log`
  std::filesystem::path checkpoints;     ///< checkpoints/checkpoint-000012/
  std::filesystem::path share;           ///< a directory that the replicas share
  std::filesystem::path tensorboard;     ///< event files
  std::filesystem::path memory;          ///< volatile checkpoints; empty: none are wanted
  std::filesystem::path environment;     ///< environment.json: what rank 0 of the newest generation was given
  std::filesystem::path runtime;         ///< sockets, rendezvous directories
  std::filesystem::path control_socket;  ///< PROTOCOL.md
  std::filesystem::path telemetry_socket;  ///< telemetry.h

  /// Returns the file that holds the output of one replica.
  std::filesystem::path log_file(int generation, int rank) const;
  /// Returns the directory in which one generation's replicas meet.
  std::filesystem::path rendezvous(int generation) const;
};

/// The replica that a log file belongs to.
struct LogName {
  int generation = 0;                                ///< of the replica
  int rank = 0;                                      ///< of the replica in it
  auto operator<=>(const LogName&) const = default;  ///< by generation, then by rank
};
/// Reads a name that RunPaths::log_file gives, "g3-r0.log"; none for any other name.
std::optional<LogName> parse_log_name(std::string_view file);

/// Returns the path of the catalogue of runs, runs.db. Pure: touches no file.
std::filesystem::path catalogue_path();

/// Returns the paths of a run. Pure: touches no file. Throws Error(usage) for an id that is not one
/// (valid_run_id).
RunPaths run_paths(const std::string& id);

/// Makes the directories, each 0700. Throws Error(io), also where the runtime directory belongs to
/// another user.
void make_run_directories(const RunPaths& paths);

/// Makes one directory, 0700, where there is none yet, or sets that mode on the one there is. Throws
/// Error(io), also where it is another user's or a link; `variable` names, in the message, the variable that
/// sets another place.
void make_private_directory(const std::filesystem::path& path, const char* variable = "XDG_STATE_HOME");

bool valid_run_id(const std::string& id) noexcept;  ///< eight of 0-9 a-z
/// Returns a random id; only the catalogue knows whether it is taken.
std::string new_run_id();

}  // namespace batchscope::protocol
