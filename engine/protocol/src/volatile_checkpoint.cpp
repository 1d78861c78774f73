// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/volatile_checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "file_fault.h"

namespace batchscope::protocol {
namespace {

namespace fs = std::filesystem;

void remove_whole(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail_to("remove", path, error.value());
}

void insist_it_is_volatile(const fs::path& checkpoint, const fs::path& memory) {
  if (!is_volatile(checkpoint, memory))
    throw Error(ErrorKind::corrupt, checkpoint.string() + " is not a link to the run's own place in memory");
}

// The directory takes the link's place and the link the directory's. Where the file system cannot exchange
// two names, nobody may look for the moment between the two calls.
void exchange(const fs::path& directory, const fs::path& link) {
  if (renameat2(AT_FDCWD, directory.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) fail_to("rename", directory, errno);
  if (unlink(link.c_str()) != 0) fail_to("remove", link, errno);
  if (rename(directory.c_str(), link.c_str()) != 0) fail_to("rename", directory, errno);
}

}  // namespace

std::int64_t room_for_checkpoint(const fs::path& directory) {
  struct statvfs info {};
  if (statvfs(directory.c_str(), &info) != 0) return 0;
  return static_cast<std::int64_t>(info.f_bavail * info.f_frsize / 2);
}

void persist_checkpoint(const fs::path& checkpoint, const fs::path& memory) {
  insist_it_is_volatile(checkpoint, memory);
  Manifest manifest = verify_checkpoint(checkpoint, memory);
  const CheckpointFolder folder(checkpoint, memory);
  // Not the name of one that a replica makes, which removes what others have left half done.
  const fs::path copy = checkpoint.string() + ".copy";
  remove_whole(copy);  // of somebody who was killed
  write_checkpoint(
      copy, manifest, [&] { copy_states(folder, copy, manifest); }, [&] { exchange(copy, checkpoint); });
  fsync_path(checkpoint.parent_path());
  std::error_code error;
  fs::remove(copy, error);  // the link
  remove_whole(memory / checkpoint.filename());
}

void remove_volatile_checkpoint(const fs::path& checkpoint, const fs::path& memory) {
  insist_it_is_volatile(checkpoint, memory);
  remove_whole(checkpoint);
  remove_whole(memory / checkpoint.filename());
}
}  // namespace batchscope::protocol
