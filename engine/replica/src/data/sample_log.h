// SPDX-License-Identifier: Apache-2.0
//
// The samples this replica used, one JSON line a micro-batch, in
// BATCHSCOPE_SAMPLE_LOG/samples-g<generation>-r<rank>.jsonl:
// {"loader":"train-0","epoch":0,"pass":0,"step":12,"ids":[..]}. Lines are written when their optimizer step
// is done; tests compare them with the ledger.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace batchscope::replica {

class SampleLog {
 public:
  explicit SampleLog(std::string loader) : loader_(std::move(loader)) {}

  static bool wanted();  // nothing is logged where it is not
  void add(int epoch, std::int64_t pass, std::vector<std::int64_t> ids);
  void write(std::int64_t step);  // what was added, as samples of this step. Throws Error(io).
  void forget() { waiting_.clear(); }

 private:
  struct Line {
    int epoch;
    std::int64_t pass;
    std::vector<std::int64_t> ids;
  };
  std::string loader_;
  std::vector<Line> waiting_;
};

}  // namespace batchscope::replica
