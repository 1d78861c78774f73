// SPDX-License-Identifier: Apache-2.0
//
// A file that is read for a client: a regular one; what a link leads to is none of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace batchscope::web {

class PlainFile {
 public:
  // One that is not there, or is not a regular file, is empty.
  explicit PlainFile(const std::filesystem::path& path);
  // Takes an open descriptor; below 0: nothing is there.
  explicit PlainFile(int descriptor);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  bool is_there() const { return is_there_; }
  // In bytes, when it was opened.
  std::int64_t size() const { return size_; }
  // In seconds since 1970.
  std::int64_t modified() const { return modified_; }
  // Reads at most so many bytes from there on; none behind the end.
  std::string read(std::int64_t from, std::size_t most) const;

 private:
  const int fd_;
  bool is_there_ = false;
  std::int64_t size_ = 0, modified_ = 0;
};

// Returns what reads the file, a piece after another, empty at the end. It throws Error(io) where the file
// is cut meanwhile.
std::function<std::string()> pieces_of(std::shared_ptr<const PlainFile> file);

}  // namespace batchscope::web
