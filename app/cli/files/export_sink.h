// SPDX-License-Identifier: Apache-2.0
//
// Targets of an export, one class for each format. Each gets the run's record and then its samples, block by
// block, so that a run of any length takes the same memory. A file under its final name is complete, or does
// not exist.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "batchscope/storage.h"
#include "files/output_target.h"

namespace batchscope::cli {

class ExportSink {
 public:
  virtual ~ExportSink() = default;  // removes an unfinished file

  // Takes samples of one series and generation; all samples of one come together and in order.
  virtual void add(const std::string& series, int generation, std::span<const storage::Sample> samples) = 0;
  virtual void finish() = 0;
};

// Makes the sink for a format: csv, json, jsonl, sqlite or tensorboard (a folder). The last two need a target
// with a place of its own. `record` and `samples` (null if the run has none) must outlive the sink. Throws
// Error(io | usage).
std::unique_ptr<ExportSink> makeExportSink(const std::string& format, const OutputTarget& target,
                                           const storage::RunRecord& record, storage::SampleReader* samples);

}  // namespace batchscope::cli
