// SPDX-License-Identifier: Apache-2.0
#include "nodes/checkpoint_transfer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "nodes/messages.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;
using protocol::kManifestFile;

constexpr std::int64_t kPiece = 1 << 20;  // bytes of a frame

[[noreturn]] void fail_at(const char* verb, const fs::path& file) {
  throw Error(ErrorKind::io, fmt::format("cannot {} {}: {}", verb, file.string(), std::strerror(errno)));
}

}  // namespace

CheckpointSender::CheckpointSender(const fs::path& checkpoint) : name_(checkpoint.filename().string()) {
  const protocol::CheckpointFolder folder(checkpoint);
  const protocol::Manifest manifest = protocol::read_manifest(checkpoint);
  const protocol::CheckpointFolder::File first = folder.file(kManifestFile);
  manifest_bytes_ = first.bytes;
  open_file(first.path, kManifestFile, first.bytes);
  for (const protocol::StateFile& state : manifest.files)
    open_file(folder.file(state.name).path, state.name, state.bytes);
}

CheckpointSender::~CheckpointSender() {
  for (const File& file : files_) close(file.descriptor);
}

void CheckpointSender::open_file(const fs::path& path, const std::string& name, std::int64_t bytes) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_at("open", name);
  files_.push_back({descriptor, bytes, name});
}

std::string CheckpointSender::announcement() const {
  return encode(AnnouncedCheckpoint{name_, manifest_bytes_});
}

std::string CheckpointSender::next() {
  const auto file = std::find_if(files_.begin(), files_.end(), [](const File& one) { return one.left > 0; });
  if (file == files_.end()) return {};
  std::string bytes(static_cast<std::size_t>(std::min(file->left, kPiece)), '\0');
  const ssize_t count = TEMP_FAILURE_RETRY(read(file->descriptor, bytes.data(), bytes.size()));
  if (count < 0) fail_at("read", file->name);
  if (count == 0) throw Error(ErrorKind::corrupt, file->name + " is shorter than its manifest says");
  bytes.resize(static_cast<std::size_t>(count));
  file->left -= count;
  return bytes;
}

CheckpointReceiver::CheckpointReceiver(fs::path folder, std::string_view announcement, bool on_disk)
    : folder_(std::move(folder)), on_disk_(on_disk) {
  const AnnouncedCheckpoint announced = decode_announced(announcement);
  name_ = announced.name;
  partial_ = protocol::partial_checkpoint(folder_ / name_);
  std::error_code error;
  fs::remove_all(partial_, error);  // of somebody who was killed
  if (!fs::create_directory(partial_, error))
    throw Error(ErrorKind::io, fmt::format("cannot make {}: {}", partial_.string(), error.message()));
  files_.push_back({kManifestFile, announced.manifest_bytes});
  open_next();
}

CheckpointReceiver::~CheckpointReceiver() {
  for (const File& file : files_)
    if (file.descriptor >= 0) close(file.descriptor);
  std::error_code error;
  if (!whole_) fs::remove_all(partial_, error);
}

void CheckpointReceiver::open_next() {
  File& file = files_[at_];
  const fs::path path = partial_ / file.name;
  file.descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file.descriptor < 0) fail_at("make", path);
}

bool CheckpointReceiver::take(std::string_view bytes) {
  while (!whole_) {
    File& file = files_[at_];
    if (file.left == 0) {
      if (at_ == 0) read_names();
      if (++at_ == files_.size())
        finish();
      else
        open_next();
      continue;
    }
    if (bytes.empty()) return false;
    const auto most = std::min(static_cast<std::int64_t>(bytes.size()), file.left);
    const ssize_t count =
        TEMP_FAILURE_RETRY(write(file.descriptor, bytes.data(), static_cast<std::size_t>(most)));
    if (count < 0) fail_at("write", partial_ / file.name);
    file.left -= count;
    file.crc32 = protocol::bytes_crc32(bytes.substr(0, static_cast<std::size_t>(count)), file.crc32);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (!bytes.empty()) throw Error(ErrorKind::usage, name_ + " is longer than its manifest says");
  return true;
}

void CheckpointReceiver::read_names() {
  for (const protocol::StateFile& state : protocol::read_manifest(partial_).files) {
    if (state.bytes < 0)
      throw Error(ErrorKind::corrupt,
                  fmt::format("{}: {} is to have {} bytes", name_, state.name, state.bytes));
    files_.push_back({state.name, state.bytes, state.crc32});
  }
}

void CheckpointReceiver::finish() {
  // The manifest has a checksum of its own.
  for (auto file = files_.begin() + 1; file != files_.end(); ++file)
    if (file->crc32 != file->crc32_to_be)
      throw Error(ErrorKind::corrupt, fmt::format("{} of {} does not match its checksum", file->name, name_));
  // One after the other only now: the first fsync takes most of the others' work with it.
  for (const File& file : files_)
    if (on_disk_ && fsync(file.descriptor) != 0) fail_at("fsync", partial_ / file.name);
  if (on_disk_) protocol::fsync_path(partial_);
  if (std::rename(partial_.c_str(), (folder_ / name_).c_str()) != 0) fail_at("rename", partial_);
  if (on_disk_) protocol::fsync_path(folder_);
  whole_ = true;
}

}  // namespace batchscope::run
