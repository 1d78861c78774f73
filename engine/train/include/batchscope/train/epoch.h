// SPDX-License-Identifier: Apache-2.0
/// \file
/// Epochs that survive restarts (AdaptDL's epoch.py): `for (int epoch : remaining_epochs_until(30))` goes on
/// at the epoch in which the checkpoint was made; what that epoch had finished is skipped on replay, so code
/// between the loops over data runs again and has to bear that. Leaving an epoch by `break` finishes it; an
/// exception does not. When the last epoch is finished, a checkpoint is written: a program that is started
/// again finds itself finished and says so.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>

namespace batchscope {

class EpochRange {
 public:
  explicit EpochRange(int until);

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int*;
    using reference = int;
    int operator*() const;
    Iterator& operator++();  ///< the epoch is finished
    bool operator==(std::default_sentinel_t) const;

   private:
    friend class EpochRange;
    struct Loop;
    std::shared_ptr<Loop> loop_;
  };
  /// Throws Error(usage) inside another epoch loop. Collective.
  Iterator begin();
  std::default_sentinel_t end() const { return {}; }

 private:
  int until_;
};

EpochRange remaining_epochs_until(int epoch);
int current_epoch();  ///< -1 outside a loop
int finished_epochs();

}  // namespace batchscope
