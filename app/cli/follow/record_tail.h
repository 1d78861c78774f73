// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a run's record as they are appended, from a folder that is seen here or by `ssh HOST tail -f`.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace batchscope::cli {

// "[HOST:]DIR" of a run's folder.
struct RecordPlace {
  std::string host;  // empty: it is seen here
  std::string folder;
  std::string id;  // the folder's name

  // Throws Error(usage) for what is none, or would be an option of ssh or tail.
  static RecordPlace parse(const std::string& text);
};

class RecordTail {
 public:
  virtual ~RecordTail() = default;

  // Returns the bytes that have come; empty where nothing has within that time. Throws Error(io) where there
  // is no way to the record now, and Error(corrupt) where it is another file than the one in which the offset
  // was.
  virtual std::string read(std::chrono::milliseconds patience) = 0;
  // Nothing comes behind what was read: of one that was opened `once`.
  virtual bool isAtEnd() const = 0;
};

// Opens the record from the offset, behind a newline, on. `once`: up to what is there now.
std::unique_ptr<RecordTail> openRecordTail(const RecordPlace& place, std::int64_t offset, bool once);

}  // namespace batchscope::cli
