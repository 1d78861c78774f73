// SPDX-License-Identifier: Apache-2.0
//
// The output of replica 0 of a run, through restarts. It is read from the log, not from the program's
// standard output, so that a slow terminal never delays training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "files/log_tail.h"

namespace batchscope::cli {

// A place in the logs of replica 0.
struct OutputPosition {
  int generation = 0;
  std::int64_t offset = 0;  // bytes
};

// Returns the end of what replica 0 has printed so far.
OutputPosition endOfOutput(const std::string& run);

class ReplicaOutput {
 public:
  // Handling of output that comes faster than a terminal can show it: leave it out, with a line that says so,
  // or read it in portions, so that none is lost.
  enum class Flood { isLeftOut, isKept };

  ReplicaOutput(const std::string& run, OutputPosition from, Flood flood);

  // Returns the lines that were completed since the last call, each with its newline, as a terminal shows
  // them.
  std::string read();
  // Returns the line that is being written, such as a progress bar; empty if there is none.
  std::string unfinished() const;
  // Returns whether the last read found anything.
  bool hasGrown() const { return hasGrown_; }

 private:
  bool openNext();

  std::string run_;
  OutputPosition from_;
  Flood flood_;
  std::optional<LogTail> tail_;
  int generation_ = 0;  // of the tail
  bool hasGrown_ = false;
};

}  // namespace batchscope::cli
