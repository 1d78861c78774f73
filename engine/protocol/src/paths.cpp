// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/paths.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/protocol/random_text.h"
#include "file_fault.h"

namespace batchscope::protocol {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIdLetters = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kIdLength = 8;
constexpr std::size_t kSocketPathLimit = 107;  // sun_path, less its terminating zero
constexpr std::string_view kLongestSocketName = "g0000/collective.sock";

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// An XDG base directory: the variable where it holds an absolute path, as the specification asks, else below
// home.
fs::path base_directory(const char* name, const char* below_home) {
  if (const fs::path path = value_of(name); path.is_absolute()) return path;
  const std::string home = value_of("HOME");
  if (home.empty())
    throw Error(ErrorKind::io,
                std::string("neither ") + name + " nor HOME is set: set one to say where runs are kept");
  return fs::path(home) / below_home;
}

fs::path runtime_directory(const std::string& id) {
  const fs::path path = base_directory("XDG_STATE_HOME", ".local/state") / "batchscope" / id;
  if (path.native().size() + 1 + kLongestSocketName.size() <= kSocketPathLimit) return path;
  return fs::path("/tmp") / fmt::format("batchscope-{}", getuid()) / id;
}

// The system's file system in memory, where there is one; BATCHSCOPE_SHM names another, or is "off".
fs::path memory_directory(const std::string& id) {
  const std::string wanted = value_of("BATCHSCOPE_SHM");
  if (wanted == "off") return {};
  const fs::path base = wanted.empty() ? "/dev/shm" : fs::absolute(wanted);
  return base / fmt::format("batchscope-{}", getuid()) / id;
}

}  // namespace

fs::path RunPaths::log_file(int generation, int rank) const {
  return logs / fmt::format("g{}-r{}.log", generation, rank);
}

std::optional<LogName> parse_log_name(std::string_view file) {
  LogName name;
  const char* const end = file.data() + file.size();
  if (!file.starts_with('g')) return std::nullopt;
  const auto [dash, fault] = std::from_chars(file.data() + 1, end, name.generation);
  if (fault != std::errc() || !std::string_view(dash, end).starts_with("-r")) return std::nullopt;
  const auto [dot, second_fault] = std::from_chars(dash + 2, end, name.rank);
  if (second_fault != std::errc() || std::string_view(dot, end) != ".log") return std::nullopt;
  return name;
}

fs::path RunPaths::rendezvous(int generation) const { return runtime / fmt::format("g{}", generation); }

fs::path catalogue_path() {
  if (const std::string file = value_of("BATCHSCOPE_DB"); !file.empty()) return fs::absolute(file);
  return base_directory("XDG_DATA_HOME", ".local/share") / "batchscope" / "runs.db";
}

RunPaths run_paths(const std::string& id) {
  if (!valid_run_id(id))
    throw Error(ErrorKind::usage, "'" + id + "' is not a run id: expected eight of 0-9 and a-z");
  RunPaths paths;
  paths.root = catalogue_path().parent_path() / "runs" / id;
  paths.samples = paths.root / "samples.db";
  paths.logs = paths.root / "logs";
  paths.checkpoints = paths.root / "checkpoints";
  paths.share = paths.root / "share";
  paths.tensorboard = paths.root / "tensorboard";
  paths.memory = memory_directory(id);
  paths.environment = paths.root / "environment.json";
  paths.runtime = runtime_directory(id);
  paths.control_socket = paths.runtime / "control.sock";
  paths.telemetry_socket = paths.runtime / "telemetry.sock";
  return paths;
}

// 0700 and ours: whoever can write here can talk to our replicas. What is looked at and what is changed is
// one directory, held by its descriptor.
void make_private_directory(const fs::path& path, const char* variable) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail_to("make the directory", path, errno);
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info {};
  const bool ours = fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == getuid();
  const int changed = ours && (info.st_mode & 077) != 0 ? fchmod(fd, 0700) : 0, error = errno;
  if (fd >= 0) close(fd);
  if (!ours)
    throw Error(ErrorKind::io, path.string() + " is not a directory of yours: remove it, or set " + variable +
                                   " to a place of your own");
  if (changed != 0) fail_to("set mode 0700 on the directory", path, error);
}

void make_run_directories(const RunPaths& paths) {
  for (const fs::path& path : {paths.root, paths.logs, paths.checkpoints, paths.share, paths.tensorboard})
    make_private_directories(path);
  make_private_directories(paths.runtime.parent_path().parent_path());
  make_private_directory(paths.runtime.parent_path());
  make_private_directory(paths.runtime);
}

bool valid_run_id(const std::string& id) noexcept {
  return id.size() == kIdLength && std::all_of(id.begin(), id.end(), [](char c) {
           return kIdLetters.find(c) != std::string_view::npos;
         });
}

std::string new_run_id() { return random_text(kIdLength, kIdLetters); }

}  // namespace batchscope::protocol
