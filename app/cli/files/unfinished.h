// SPDX-License-Identifier: Apache-2.0
//
// A file or folder that is complete under its final name, or does not exist: it is made in a folder beside
// the name, NAME.partial-PID, together with the files that SQLite puts next to it, and moved at the end.
#pragma once

#include <filesystem>

#include "files/output_target.h"

namespace batchscope::cli {

class Unfinished {
 public:
  // Begins a file for a target that has a place (OutputTarget::requirePlace). Throws Error(io).
  explicit Unfinished(const OutputTarget& target);
  ~Unfinished();  // removes what was not finished
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  // Returns the path at which to make it; nothing exists there yet.
  const std::filesystem::path& path() const { return path_; }

  // Moves it to the final name, in place of a file or an empty folder. Throws Error(io).
  void finish();

 private:
  OutputTarget target_;
  std::filesystem::path folder_, path_;
};

}  // namespace batchscope::cli
