// SPDX-License-Identifier: Apache-2.0
#include "files/output_target.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel follows

OutputTarget::Kind kindOf(const std::string& name) {
  using Kind = OutputTarget::Kind;
  if (name == "-") return Kind::standardOutput;
  struct stat target {};
  struct stat standard {};
  if (stat(name.c_str(), &target) != 0 || S_ISDIR(target.st_mode)) return Kind::file;
  const bool isStandard = fstat(STDOUT_FILENO, &standard) == 0 && standard.st_dev == target.st_dev &&
                          standard.st_ino == target.st_ino;
  if (isStandard) return Kind::standardOutput;
  return S_ISREG(target.st_mode) ? Kind::file : Kind::stream;
}

// "a/b/" names what "a/b" does. A link may lead to what is not there yet.
fs::path followed(const std::string& name) {
  fs::path path = fs::absolute(name);
  if (!path.has_filename()) path = path.parent_path();
  std::error_code fault;
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, fault); ++links) {
    const fs::path to = fs::read_symlink(path, fault);
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  const fs::path folder = fs::weakly_canonical(path.parent_path(), fault);
  return fault ? path : folder / path.filename();
}

// Returns whether the path lies in the folder, whatever the folders are called on the way.
bool isWithin(const fs::path& path, const fs::path& folder) {
  std::error_code fault;
  for (fs::path above = path;; above = above.parent_path()) {
    if (above == folder || fs::equivalent(above, folder, fault)) return true;
    if (!above.has_relative_path()) return false;
  }
}

bool isOfStore(const fs::path& path) {
  const protocol::RunPaths run = protocol::run_paths("00000000");
  for (const fs::path& place : {run.root, run.runtime, run.memory})
    if (!place.empty() && isWithin(path, place.parent_path())) return true;
  const fs::path catalogue = followed(protocol::catalogue_path());
  const std::string name = path.filename(), own = catalogue.filename();
  std::error_code fault;
  const bool isBeside = path.parent_path() == catalogue.parent_path() ||
                        fs::equivalent(path.parent_path(), catalogue.parent_path(), fault);
  return isBeside && (name == own || name.starts_with(own + "-") || name.starts_with(own + "."));
}

}  // namespace

OutputTarget::OutputTarget(const std::string& name) : name_(name), kind_(kindOf(name)) {
  if (kind_ == Kind::standardOutput) return;
  const fs::path path = followed(name);
  if (isOfStore(path))
    throw Error(ErrorKind::conflict,
                say("{} belongs to the run store and is left alone; name another place", name));
  // A file that a process has open is called by a link that leads to no name.
  path_ = kind_ == Kind::stream ? fs::absolute(name) : path;
  std::error_code fault;
  if (fs::is_socket(path_, fault)) throw Error(ErrorKind::conflict, say("{} is a socket; name a file", name));
}

void OutputTarget::requirePlace(const std::string& what) const {
  if (kind_ == Kind::file) return;
  throw Error(ErrorKind::usage, say("{} cannot be written to {}; name a file or folder", what,
                                    kind_ == Kind::standardOutput ? say("standard output") : name_));
}

void OutputTarget::refuseExisting(bool force) const {
  std::error_code fault;
  const bool holdsData = kind_ == Kind::file ? fs::exists(path_, fault) : fs::is_block_file(path_, fault);
  if (holdsData && !force)
    throw Error(ErrorKind::conflict, say("{} exists already; --force overwrites it", name_));
}

void OutputTarget::requireWritable() const {
  if (kind_ == Kind::standardOutput) return;
  std::error_code fault;
  if (fs::is_directory(path_, fault))
    throw Error(ErrorKind::conflict, say("{} is a folder; name a file", name_));
  const fs::path folder = path_.parent_path();
  if (!fs::is_directory(folder, fault))
    throw Error(ErrorKind::io, say("cannot write {}: there is no folder {}", name_, folder.string()));
  const bool isThere = fs::exists(path_, fault);
  if ((kind_ == Kind::file && access(folder.c_str(), W_OK | X_OK) != 0) ||
      (isThere && access(path_.c_str(), W_OK) != 0))
    throw Error(ErrorKind::io, say("cannot write {}: {}", name_, std::strerror(errno)));
}

}  // namespace batchscope::cli
