// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint on its way over a line between nodes: the frame `checkpoint` announces it, and the bytes of
// its manifest and of the states' files follow in frames `state`, one file behind the other in the manifest's
// order. No name of a file goes over the line but in the manifest, which is read as one on a disk is. Neither
// side holds more of it in memory than a frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::run {

class CheckpointSender {
 public:
  // Opens all its files, so that it may be removed while it is sent. Throws Error for one that is not good.
  explicit CheckpointSender(const std::filesystem::path& checkpoint);
  ~CheckpointSender();
  CheckpointSender(const CheckpointSender&) = delete;
  CheckpointSender& operator=(const CheckpointSender&) = delete;

  // Returns the bytes of the frame `checkpoint`.
  std::string announcement() const;
  // Returns the bytes of the next frame `state`; none: that was all. Throws Error(io | corrupt).
  std::string next();

 private:
  struct File {
    int descriptor;
    std::int64_t left;  // bytes
    std::string name;
  };
  void open_file(const std::filesystem::path& path, const std::string& name, std::int64_t bytes);

  std::string name_;
  std::vector<File> files_;  // the manifest first
  std::int64_t manifest_bytes_ = 0;
};

class CheckpointReceiver {
 public:
  // Makes the checkpoint that is announced in this folder, beside its name. `on_disk`: it counts as whole
  // once a power cut would leave it. Throws Error(usage) for an announcement that is none, Error(io).
  CheckpointReceiver(std::filesystem::path folder, std::string_view announcement, bool on_disk);
  ~CheckpointReceiver();  // removes what is not whole
  CheckpointReceiver(const CheckpointReceiver&) = delete;
  CheckpointReceiver& operator=(const CheckpointReceiver&) = delete;

  const std::string& name() const { return name_; }
  // Takes the bytes of a frame `state`. Returns whether the checkpoint is whole and good, and has its name.
  // Throws Error.
  bool take(std::string_view bytes);

 private:
  struct File {
    std::string name;
    std::int64_t left;                           // bytes
    std::optional<std::uint32_t> crc32_to_be{};  // as the manifest says
    std::uint32_t crc32 = 0;                     // of what has come
    int descriptor = -1;                         // until the checkpoint is whole
  };
  void open_next();
  void read_names();
  void finish();

  const std::filesystem::path folder_;
  const bool on_disk_;
  std::string name_;
  std::filesystem::path partial_;
  std::vector<File> files_;  // the manifest first, and the others once it is there
  std::size_t at_ = 0;
  bool whole_ = false;
};

}  // namespace batchscope::run
