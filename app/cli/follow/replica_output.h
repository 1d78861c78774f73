// SPDX-License-Identifier: Apache-2.0
//
// What replica 0 of a run prints, through restarts. Its log is read, not the program's standard output, so
// that a terminal that is slow never holds training up.
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

// The end of what replica 0 has printed so far.
OutputPosition endOfOutput(const std::string& run);

class ReplicaOutput {
 public:
  // Output that comes faster than a terminal can show it: left out, with a line that says so, or read in
  // portions, so that none is lost.
  enum class Flood { isLeftOut, isKept };

  ReplicaOutput(const std::string& run, OutputPosition from, Flood flood);

  // The lines that were completed since the last call, each with its newline, as a terminal shows them.
  std::string read();
  // The line that is being written, such as a progress bar; empty where there is none.
  std::string unfinished() const;
  // Whether the last read found anything.
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
