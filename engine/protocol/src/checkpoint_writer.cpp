// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/checkpoint_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "batchscope/protocol/error.h"
#include "file_fault.h"

namespace batchscope::protocol {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial";
constexpr int kKept = 2;

}  // namespace

fs::path partial_checkpoint(const fs::path& name) { return name.string() + std::string(kPartial); }

bool is_partial_checkpoint(const std::string& name) {
  return name.starts_with(kCheckpointPrefix) && name.ends_with(kPartial);
}

void write_checkpoint(const fs::path& folder, Manifest& manifest, const std::function<void()>& fill,
                      const std::function<void()>& take_name) {
  std::error_code error;
  if (!fs::create_directory(folder, error)) fail_to("create", folder, error ? error.value() : EEXIST);
  try {
    fill();
    write_manifest(folder, manifest);
    fsync_path(folder);
    take_name();
  } catch (...) {
    fs::remove_all(folder, error);  // frees the disk that may have been full
    throw;
  }
}

void write_checkpoint(const fs::path& name, Manifest& manifest,
                      const std::function<void(const fs::path& folder)>& fill) {
  const fs::path partial = partial_checkpoint(name);
  write_checkpoint(
      partial, manifest, [&] { fill(partial); },
      [&] {
        if (std::rename(partial.c_str(), name.c_str()) != 0) fail_to("rename", partial, errno);
      });
}

void copy_states(const CheckpointFolder& from, const fs::path& to, Manifest& manifest) {
  std::error_code error;
  for (StateFile& state : manifest.files) {
    const fs::path file = to / state.name;
    if (!fs::copy_file(from.file(state.name).path, file, error)) fail_to("write", file, error.value());
    fsync_path(file);
    state.crc32 = file_crc32(file);
  }
}

void remove_old_checkpoints(const fs::path& parent, const std::set<fs::path>& spared) {
  int kept = 0;
  for (const fs::path& checkpoint : list_checkpoints(parent)) {
    if (spared.contains(checkpoint)) continue;
    // A link is the supervisor's, until it is on disk, or somebody's own.
    std::error_code error;
    if (fs::is_symlink(checkpoint, error)) continue;
    try {
      if (read_manifest(checkpoint).pinned || ++kept <= kKept) continue;
    } catch (const Error&) {
      continue;  // from a newer version, perhaps
    }
    fs::remove_all(checkpoint, error);  // stays for the next time where that fails
  }
}

void fsync_path(const fs::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail_to("open", path, errno);
  const int result = fsync(fd), error = errno;
  close(fd);
  if (result != 0) fail_to("fsync", path, error);
}

}  // namespace batchscope::protocol
