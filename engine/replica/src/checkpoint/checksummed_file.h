// SPDX-License-Identifier: Apache-2.0
//
// A new file of a checkpoint: what is written through its stream goes straight to the descriptor, and its
// size and CRC-32 are counted on the way, so that a state is never held twice and never read back. A file in
// memory has no checksum, because somebody waits for it, and no more than its share of the room.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <streambuf>

#include "batchscope/protocol/manifest.h"

namespace batchscope::replica {

class ChecksummedFile : private std::streambuf {
 public:
  // Throws Error(io) when it cannot be made; it must not exist.
  explicit ChecksummedFile(const std::filesystem::path& path);
  // Makes a file in memory. Takes what it writes from the room, which is bytes; Error(io) when that is used
  // up.
  ChecksummedFile(const std::filesystem::path& path, std::int64_t& room);
  ~ChecksummedFile() override;
  ChecksummedFile(const ChecksummedFile&) = delete;
  ChecksummedFile& operator=(const ChecksummedFile&) = delete;

  // Throws Error(io) from within the writing call when the disk refuses.
  std::ostream& stream() { return stream_; }
  void finish();  // all bytes are with the operating system
  void fsync();   // and on disk

  protocol::StateFile entry() const;

 private:
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  int sync() override;
  void write(const char* bytes, std::size_t count);
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  int fd_ = -1;
  std::int64_t bytes_ = 0;
  std::optional<std::uint32_t> crc_ = 0;
  std::int64_t* room_ = nullptr;
  std::array<char, 1 << 16> buffer_;  // in use from the first write on, which finds no room
  std::ostream stream_;
};

}  // namespace batchscope::replica
