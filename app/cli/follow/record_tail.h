// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a run's record as they are appended, from a folder on this machine or by `ssh HOST tail -f`.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace batchscope::cli {

// The place of a run's folder, "[HOST:]DIR".
struct RecordPlace {
  std::string host;  // empty: this machine
  std::string folder;
  std::string id;  // the folder's name

  // Throws Error(usage) for a text that is not a place, or that ssh or tail would take for an option.
  static RecordPlace parse(const std::string& text);
};

class RecordTail {
 public:
  virtual ~RecordTail() = default;

  // Returns the bytes that have come; empty if none have within that time. Throws Error(io) if the record
  // cannot be reached now, and Error(corrupt) if it is not the file that the offset belongs to.
  virtual std::string read(std::chrono::milliseconds patience) = 0;
  // Returns whether everything was read, of a tail that was opened `once`.
  virtual bool isAtEnd() const = 0;
};

// Opens the record from the offset on, which must follow a newline. `once`: only what is there now.
std::unique_ptr<RecordTail> openRecordTail(const RecordPlace& place, std::int64_t offset, bool once);

}  // namespace batchscope::cli
