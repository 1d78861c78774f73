// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/store.h"

#include <fmt/format.h>

#include <memory>

#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/volatile_checkpoint.h"
#include "checkpoint/checksummed_file.h"

namespace batchscope::replica {
namespace {

namespace fs = std::filesystem;

// `open` makes a file.
template <class Open>
void make(const fs::path& name, protocol::Manifest& manifest, const std::vector<CheckpointStore::File>& files,
          Open open) {
  protocol::write_checkpoint(name, manifest, [&](const fs::path& partial) {
    std::vector<std::unique_ptr<ChecksummedFile>> written;
    for (const CheckpointStore::File& file : files) {
      written.push_back(open(partial / file.name));
      file.save(written.back()->stream());
      written.back()->finish();
    }
    // One after the other only now: the first fsync takes most of the others' work with it.
    manifest.files.clear();
    for (const auto& file : written) {
      file->fsync();
      manifest.files.push_back(file->entry());
    }
  });
}

}  // namespace

std::optional<fs::path> CheckpointStore::newest(std::vector<std::string>* skipped) {
  const auto good = protocol::newest_good_checkpoint(directory_, skipped, memory_, unloadable_);
  for (const fs::path& checkpoint : protocol::list_checkpoints(directory_)) {
    if (checkpoint == good) break;
    damaged_.insert(checkpoint);
  }
  return good;
}

fs::path CheckpointStore::next_name() const {
  const auto present = protocol::list_checkpoints(directory_);
  const std::int64_t newest =
      present.empty() ? -1 : protocol::checkpoint_number(present.front().filename().string()).value();
  return directory_ / protocol::checkpoint_name(newest + 1);
}

void CheckpointStore::prepare() const {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error)
    throw Error(ErrorKind::io, fmt::format("cannot create {}: {}", directory_.string(), error.message()));
  remove_half_written();
}

fs::path CheckpointStore::write(protocol::Manifest& manifest, const std::vector<File>& files) const {
  prepare();
  const fs::path name = next_name();
  make(name, manifest, files, [](const fs::path& file) { return std::make_unique<ChecksummedFile>(file); });
  protocol::fsync_path(directory_);
  protocol::remove_old_checkpoints(directory_, damaged_);
  return name;
}

std::optional<fs::path> CheckpointStore::write_in_memory(protocol::Manifest& manifest,
                                                         const std::vector<File>& files) const {
  std::int64_t room = memory_.empty() ? 0 : protocol::room_for_checkpoint(memory_);
  if (room <= 0) return std::nullopt;
  prepare();
  const fs::path name = next_name(), place = memory_ / name.filename();
  std::error_code error;
  fs::remove_all(place, error);                                // nobody links to it
  fs::remove_all(protocol::partial_checkpoint(place), error);  // of somebody who was killed
  try {
    make(place, manifest, files,
         [&](const fs::path& file) { return std::make_unique<ChecksummedFile>(file, room); });
  } catch (const Error& why) {
    if (why.kind() != ErrorKind::io) throw;
    return std::nullopt;
  }
  fs::create_directory_symlink(place, name, error);
  if (error) {
    fs::remove_all(place, error);
    return std::nullopt;
  }
  protocol::remove_old_checkpoints(directory_, damaged_);
  return name;
}

void CheckpointStore::remove_half_written() const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_, error))
    if (protocol::is_partial_checkpoint(entry.path().filename().string()))
      fs::remove_all(entry.path(), error);
}

}  // namespace batchscope::replica
