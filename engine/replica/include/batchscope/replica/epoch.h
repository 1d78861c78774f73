// SPDX-License-Identifier: Apache-2.0
/// \file
/// Epochs that survive restarts (AdaptDL's epoch.py): `for (int epoch : remaining_epochs_until(30))` goes on
/// at the epoch in which the checkpoint was made. Loops that this epoch had finished are skipped on replay,
/// but code between the loops over data runs again and must allow for that. Leaving an epoch by `break`
/// finishes it; an exception does not. When the last epoch is finished, a checkpoint is written, so that a
/// program that is started again finds that it has finished, and says so.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>

namespace batchscope {

/// The epochs that are left, for a range-based for loop.
class EpochRange {
 public:
  /// Makes the range that remaining_epochs_until returns.
  explicit EpochRange(int until);

  /// A running epoch loop. Copies share it.
  class Iterator {
   public:
    /// Members that std::input_iterator requires.
    ///@{
    using iterator_category = std::input_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int*;
    using reference = int;
    ///@}
    /// The epoch, from 0.
    int operator*() const;
    Iterator& operator++();                          ///< the epoch is finished
    bool operator==(std::default_sentinel_t) const;  ///< no epoch is left

   private:
    friend class EpochRange;
    struct Loop;
    std::shared_ptr<Loop> loop_;
  };
  /// Throws Error(usage) inside another epoch loop. Collective.
  Iterator begin();
  std::default_sentinel_t end() const { return {}; }  ///< of any loop

 private:
  int until_;
};

/// Returns the epochs from the first that is not finished to epoch - 1; none where all are.
EpochRange remaining_epochs_until(int epoch);
int current_epoch();  ///< -1 outside a loop
/// Returns the epochs finished so far, before restarts too. The first call loads the checkpoint, and is
/// collective.
int finished_epochs();

}  // namespace batchscope
