// SPDX-License-Identifier: Apache-2.0
#include "records/record_file.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/storage/origins.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadAtOnce = 1 << 18;  // bytes

// Judges as checkpoints are judged: a group may write where it is the user's own.
void insistItIsOurs(const fs::path& path, const struct stat& info) {
  if (info.st_uid != geteuid())
    throw Error(ErrorKind::conflict, say("{} belongs to another user ({}), whose programs are not started",
                                         path.string(), info.st_uid));
  const bool group = (info.st_mode & S_IWGRP) != 0 && info.st_gid != getegid();
  if (group || (info.st_mode & S_IWOTH) != 0)
    throw Error(ErrorKind::conflict,
                say("{0} may be written by other users, who could have programs started: chmod go-w {0}",
                    path.string()));
}

struct stat attributesOf(const fs::path& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0)
    throw Error(errno == ENOENT ? ErrorKind::not_found : ErrorKind::io,
                fmt::format("{}: {}", path.string(), std::strerror(errno)));
  return info;
}

// `here` leads to `there`, which is made where it is missing.
void link(const fs::path& here, const fs::path& there) {
  protocol::make_private_directories(there);
  std::error_code fault;
  if (fs::read_symlink(here, fault) == there) return;
  if (!fs::is_symlink(here, fault) && fs::is_directory(here, fault) && !fs::is_empty(here, fault))
    throw Error(ErrorKind::conflict,
                say("{} holds files of its own; move them to {}", here.string(), there.string()));
  fs::remove(here, fault);
  fs::create_directory_symlink(there, here, fault);
  if (fault) throw Error(ErrorKind::io, say("cannot make {}: {}", here.string(), fault.message()));
}

}  // namespace

void linkRunFolder(const std::string& run, const fs::path& folder) {
  const protocol::RunPaths paths = protocol::run_paths(run);
  protocol::make_private_directories(paths.root);
  for (const fs::path& own : {paths.checkpoints, paths.logs, paths.share}) link(own, folder / own.filename());
}

RunFolder openRunFolder(const fs::path& folder) {
  RunFolder found;
  std::error_code fault;
  found.path = fs::canonical(folder, fault);
  if (fault) throw Error(ErrorKind::not_found, fmt::format("{}: {}", folder.string(), fault.message()));
  found.id = found.path.filename().string();
  const struct stat info = attributesOf(found.path);
  if (!S_ISDIR(info.st_mode) || !protocol::valid_run_id(found.id))
    throw Error(ErrorKind::usage,
                say("{} is not a folder of a run: its name must be the run's id, eight of 0-9 and a-z",
                    found.path.string()));
  insistItIsOurs(found.path, info);
  const fs::path file = found.path / storage::kSpecFile;
  const struct stat spec = attributesOf(file);
  if (!S_ISREG(spec.st_mode)) throw Error(ErrorKind::usage, say("{} is not a file", file.string()));
  insistItIsOurs(file, spec);
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  try {
    found.spec = protocol::parse_object(text).get<protocol::RunSpec>();
    found.spec.check();
  } catch (const std::exception& error) {
    throw Error(ErrorKind::corrupt, fmt::format("{}: {}", file.string(), error.what()));
  }
  return found;
}

std::string readSome(const fs::path& file, std::int64_t offset) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorKind::io, say("cannot open {}: {}", file.string(), std::strerror(errno)));
  in.seekg(offset);
  std::string bytes(kReadAtOnce, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (in.bad()) throw Error(ErrorKind::io, say("cannot read {}: {}", file.string(), std::strerror(errno)));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

void readFrom(const fs::path& file, std::int64_t offset,
              const std::function<void(std::string_view bytes)>& take) {
  std::error_code fault;
  if (!fs::exists(file, fault)) return;
  for (;;) {
    const std::string bytes = readSome(file, offset);
    if (bytes.empty()) return;
    take(bytes);
    offset += static_cast<std::int64_t>(bytes.size());
  }
}

bool beginsLine(const fs::path& file, std::int64_t offset) {
  if (offset == 0) return true;
  std::ifstream in(file, std::ios::binary);
  in.seekg(offset - 1);
  return in.get() == '\n';
}

}  // namespace batchscope::cli
