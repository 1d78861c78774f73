// SPDX-License-Identifier: Apache-2.0
//
// Where an export goes: one class a format, each fed with the run's record and then with its samples, block
// by block, so that a run of any length takes the same memory. A file is complete under its name, or not
// there.
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
  virtual ~ExportSink() = default;  // what was not finished leaves nothing behind

  // Samples of one series and generation; those of one come together and in order.
  virtual void add(const std::string& series, int generation, std::span<const storage::Sample> samples) = 0;
  virtual void finish() = 0;
};

// `format` is csv, json, jsonl, sqlite or tensorboard (a folder); the last two need a target that is a file.
// `record` and `samples` (null where the run has none) must outlive it. Throws Error(io | usage).
std::unique_ptr<ExportSink> makeExportSink(const std::string& format, const OutputTarget& target,
                                           const storage::RunRecord& record, storage::SampleReader* samples);

}  // namespace batchscope::cli
