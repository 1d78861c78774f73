// SPDX-License-Identifier: Apache-2.0
/// \file
/// Event files, which TensorBoard reads: records of
///
///     length (u64), masked CRC-32C of the length (u32), data, masked CRC-32C of the data (u32)
///
/// all little-endian, as TFRecord has them. The data is a serialised Event message of TensorFlow's
/// event.proto: the file's version first, then scalars. Each is written at once, so that a program that is
/// killed loses none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace batchscope::protocol {

/// Returns Castagnoli's CRC, rotated and offset, because CRCs of data that holds CRCs are weak.
std::uint32_t masked_crc32c(std::string_view bytes);

/// An event file that is being written.
class EventFile {
 public:
  /// Makes a new file in the directory, which is made where it is missing; its name holds the time, the host
  /// and the process. Throws Error(io).
  explicit EventFile(const std::filesystem::path& directory);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// Adds one event with all of these scalars; wall_time in s since 1970. Values are kept in single
  /// precision, as TensorBoard's scalars are. Does not wait for the disk. Throws Error(io).
  void add(std::int64_t step, double wall_time, const std::map<std::string, double>& scalars);

  const std::filesystem::path& path() const { return path_; }  ///< the file

 private:
  void write(const std::string& event);

  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace batchscope::protocol
