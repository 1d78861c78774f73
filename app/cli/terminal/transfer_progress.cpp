// SPDX-License-Identifier: Apache-2.0
#include "terminal/transfer_progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "terminal/interruption.h"
#include "terminal/terminal.h"

namespace batchscope::cli {
namespace {

constexpr int kBarWidth = 30;

}  // namespace

TransferProgress::TransferProgress(std::string label, std::int64_t total)
    : label_(std::move(label)),
      total_(std::max<std::int64_t>(total, 1)),
      isShown_(isTerminal(STDERR_FILENO)) {}

TransferProgress::~TransferProgress() {
  if (shown_ >= 0) fmt::print(stderr, "\r\x1b[K");
}

void TransferProgress::add(std::int64_t done) {
  throwIfInterrupted();
  done_ += done;
  const int percent = static_cast<int>(std::min(done_, total_) * 100.0 / static_cast<double>(total_));
  if (!isShown_ || percent == shown_) return;
  shown_ = percent;
  const Style style = terminalStyle(STDERR_FILENO);
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) {
    const bool isDone = i * 100 < percent * kBarWidth;
    bar += style.utf8 ? (isDone ? "━" : "─") : (isDone ? "#" : "-");
  }
  fmt::print(stderr, "\r{}  {}  {:>3} %\x1b[K", label_, bar, percent);
  std::fflush(stderr);
}

}  // namespace batchscope::cli
