// SPDX-License-Identifier: Apache-2.0
//
// The progress of an export or import: one line on standard error, if that is a terminal, which vanishes at
// the end.
#pragma once

#include <cstdint>
#include <string>

namespace batchscope::cli {

class TransferProgress {
 public:
  // `total` is in the unit of add().
  TransferProgress(std::string label, std::int64_t total);
  ~TransferProgress();
  TransferProgress(const TransferProgress&) = delete;
  TransferProgress& operator=(const TransferProgress&) = delete;

  void add(std::int64_t done);  // throws Interrupted, see interruption.h

 private:
  std::string label_;
  std::int64_t total_, done_ = 0;
  int shown_ = -1;  // per cent
  bool isShown_;
};

}  // namespace batchscope::cli
