// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reasons against moving a job again, from the moves that it has made.
///
///     Lost time. Moves may cost a job 5 % of its last minutes, the next one included:
///
///         sum of the pauses in the window + pause <= 0.05 window        window = max(600 s, pause / 0.05)
///
///     A job that has spent this is left alone: nothing but somebody's turn (decision.h) moves it.
///     Undone moves. Models are measured, and two of them in a row differ by noise. Two jobs that are worth
///     about the same would change places with each new model. So after n moves of the last hour that undid
///     the move before, fewer devices than it has cost a job 1 + min(0.1 (2^n - 1), 0.9) times as much. A
///     job that waits outweighs that where it can be given devices beside the others, and so does twice the
///     weight.
#pragma once

#include <span>

namespace batchscope::policy {

/// A change of the devices that a job has.
struct Move {
  double time = 0;     ///< s, on any clock
  int devices = 0;     ///< from then on; 0: it waits
  double seconds = 0;  ///< of training lost by it; 0 where only the job itself brought it about
};

/// Moves that began longer ago do not count.
inline constexpr double kRememberedMoves = 3600;  // s

/// Returns whether the moves, in order of time, leave no room for one more that takes `pause` seconds.
bool left_alone(std::span<const Move> moves, double now, double pause);

/// Returns the share by which the job's costs count more with fewer devices than it has, 0 to 0.9.
double reluctance(std::span<const Move> moves, double now);

}  // namespace batchscope::policy
