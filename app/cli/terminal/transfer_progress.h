// SPDX-License-Identifier: Apache-2.0
//
// How far an export or import has come: one line on standard error, where that is a terminal, that vanishes
// at the end.
#pragma once

#include <cstdint>
#include <string>

namespace batchscope::cli {

class TransferProgress {
 public:
  // `total` in whatever add() counts.
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
