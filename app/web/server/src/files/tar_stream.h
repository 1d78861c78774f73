// SPDX-License-Identifier: Apache-2.0
//
// A folder's files as one, in the form of POSIX.1-1988's ustar, made as it is read. Sizes from 8 GiB on are
// in base 256, as GNU tar has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "files/plain_file.h"

namespace batchscope::web {

class TarStream {
 public:
  struct Entry {
    std::string name;
    std::filesystem::path path;
    std::int64_t bytes;
  };

  // The archive has the entries below `folder`. Throws Error(io) for a name of more than 100 bytes.
  TarStream(std::string folder, std::vector<Entry> entries);

  // Returns the size of the archive, in bytes.
  static std::int64_t size(const std::vector<Entry>& entries);

  // Returns the next piece, of about so many bytes at most; empty at the end. Throws Error(io) where a file
  // is not as large as its entry says.
  std::string read(std::size_t most);

 private:
  void open_next();

  const std::string folder_;
  const std::vector<Entry> entries_;
  std::size_t next_ = 0;             // entry
  std::unique_ptr<PlainFile> file_;  // that is being sent; null: none
  std::int64_t from_ = 0;            // what of it was sent
  bool is_over_ = false;
};

}  // namespace batchscope::web
