// SPDX-License-Identifier: Apache-2.0
//
// The findings of a reader in the files of another experiment tracker: values, facts about the run, and what
// the reader left out. Readers are pure: they get bytes and add to the findings. A series' steps never go
// back, so that reading a file again gives the same samples in the same order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/protocol/run_state.h"
#include "batchscope/storage/samples.h"

namespace batchscope::cli {

// Facts about the run. Texts may be anything; they are checked before they are stored.
struct RunFacts {
  std::string name, group, note, program;
  std::vector<std::string> tags;
  std::map<std::string, std::string> hyperparameters;
  std::map<std::string, double> summary;    // last values, perhaps without a history
  std::optional<protocol::RunState> state;  // finished, failed, stopped; none: the files do not say
  double started = 0, ended = 0;            // s since 1970; 0: not said
};

class Findings {
 public:
  // Adds a value of a series. Leaves out and counts: a step below 0, beyond 2^53, or before the series'
  // newest one, and a name that no series can have.
  void add(std::string_view series, std::int64_t step, double value);
  // Sets the wall time of a step, s since 1970. Ignores other numbers, and older steps.
  void time(std::int64_t step, double wall);
  // Counts a thing that was not read; `what` is in the plural: "images".
  void leaveOut(const std::string& what, std::int64_t count = 1) { leftOut[what] += count; }

  // Returns the samples since the last call, by their series.
  std::map<std::string, std::vector<storage::Sample>> take();

  RunFacts run;
  std::map<std::string, std::int64_t> leftOut;  // how many of what

 private:
  void append(const std::string& series, std::int64_t step, double value);

  std::map<std::string, std::vector<storage::Sample>> samples_;
  std::map<std::string, std::int64_t> newest_;  // step of each series
};

// Reads one file, which may still grow.
class FileReader {
 public:
  virtual ~FileReader() = default;
  // Reads the next bytes. Leaves out what is damaged, or ends the reading of this file; never throws for it.
  virtual void feed(std::string_view bytes, Findings& findings) = 0;
  // Ends the file: a last line without its newline is complete.
  virtual void end(Findings& findings) {}
  // Returns why the file was not read to its end, "damaged at byte 120"; empty if it was.
  virtual std::string trouble() const = 0;
};

}  // namespace batchscope::cli
