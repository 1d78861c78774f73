// SPDX-License-Identifier: Apache-2.0
#include "state/run_board.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "batchscope/protocol/series.h"

namespace batchscope::run {

using namespace protocol;

std::int64_t whole(double value) {
  constexpr double kMost = 1e15;
  return std::abs(value) < kMost ? static_cast<std::int64_t>(value) : 0;
}

RunBoard::RunBoard(std::int64_t step, int epoch, int epochs, double fraction,
                   std::map<std::string, double> latest)
    : step_(step), epoch_(epoch), epochs_(epochs), fraction_(fraction), latest_(std::move(latest)) {}

void RunBoard::take(const Message& message) {
  std::visit(
      [this](const auto& m) {
        using T = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<T, Steps>) {
          for (const auto& [name, values] : m.columns) {
            if (values.empty()) continue;
            if (name == series::kMono) {
              last_progress_ = values.back();
              step_ = m.first_step + static_cast<std::int64_t>(values.size()) - 1;
            } else {
              latest_[name] = values.back();
            }
          }
        } else if constexpr (std::is_same_v<T, Scalar>) {
          latest_[m.name] = m.value;
        } else if constexpr (std::is_same_v<T, Restored>) {
          if (m.rank == 0) step_ = m.step;
        } else if constexpr (std::is_same_v<T, Position>) {
          epoch_ = m.epoch;
          epochs_ = m.epochs;
          loop_ = m.loop;
          loop_fraction_ = std::clamp(m.fraction, 0.0, 1.0);
          progress_ = m.progress;
          if (loop_ == "validate") last_progress_ = m.mono;
          // Validation comes at the end of its epoch: the training of that epoch is done.
          const double of_epoch = loop_ == "train" ? loop_fraction_ : loop_.empty() ? 0 : 1;
          if (epochs_ > 0) fraction_ = std::clamp((epoch_ + of_epoch) / epochs_, 0.0, 1.0);
          remaining_.add(m.mono, fraction_);
        } else if constexpr (std::is_same_v<T, EpochMark>) {
          // After the last epoch no position follows.
          if (!m.begin) epoch_ = m.epoch + 1;
        }
      },
      message);
}

std::int64_t RunBoard::newest(const char* series) const {
  const auto found = latest_.find(series);
  return found == latest_.end() ? 0 : whole(found->second);
}

std::int64_t RunBoard::local_batch_size() const { return newest(series::kLocalBatchSize); }

goodput::Configuration RunBoard::configuration() const {
  return {1, static_cast<int>(newest(series::kReplicas)), local_batch_size(),
          static_cast<int>(newest(series::kAccumulation))};
}

void RunBoard::interrupted() { remaining_.interrupted(); }

void RunBoard::fill(RunStatus& status) const {
  status.step = step_;
  status.epoch = epoch_;
  status.epochs = epochs_;
  status.loop = loop_;
  status.loop_fraction = loop_fraction_;
  status.total_fraction = fraction_;
  status.progress = progress_;
  status.remaining = epochs_ > 0 ? remaining_.estimate() : -1;
  status.latest = latest_;
}

}  // namespace batchscope::run
