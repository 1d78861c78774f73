// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is known of a trial: a point of the space, and how well it does. A cost is to become least: it is the
/// metric itself, or its negative where the metric is to become greatest.
#pragma once

#include <optional>

#include "batchscope/sweep/space.h"

namespace batchscope::sweep {

/// A point of the space that is being trained, or was.
struct Trial {
  /// State of the trial's life.
  enum class State {
    running,  ///< trains, or is about to
    paused,   ///< waits at a rung; it may go on
    ended,    ///< has had all the training that it gets: to its end, or until it was stopped
    failed    ///< its program did not come to an end
  };

  Point point;                    ///< of the sweep's space
  State state = State::running;   ///< see above
  std::optional<double> cost;     ///< the latest; none: nothing is known; infinite: it diverged
  std::optional<double> reached;  ///< scale-invariant iterations behind it; none: all that a trial may have
};

}  // namespace batchscope::sweep
