// SPDX-License-Identifier: Apache-2.0
/// \file
/// The course of a sweep: which leg of which trial begins next. It is a function of the file and of the legs
/// so far, as a catalogue keeps them, and of nothing else: neither a clock nor the order of the answers. So
/// the same seed gives the same sweep on one device and on eight, and a sweep that was killed goes on as
/// though it had not been.
///
/// This needs an order in which outcomes are heard. At most `width` legs are under way, and a clock of the
/// sweep's own lets each of them take as many ticks as it has scale-invariant iterations (one, where that is
/// not known):
///
///     a leg begins at the tick at which there is room for it, and ends after its iterations
///     outcomes are heard in the order of these ends; of equal ones the leg that began first is heard first
///     whenever one was heard, or there is room at the beginning, legs begin as long as there is room:
///       first the trial that has just come to a rung and goes on (the rule `median`),
///       then one that paused and may go on (`asha`), then a new one
///       with `pbt`, once all have come to a rung: first those that go on from another one's checkpoint, as
///       long as that lies where it was, then the others
///
/// An outcome that is there before its turn waits to be heard; the pool may give devices that idle meanwhile
/// to others. Where legs take times in proportion to their iterations, no outcome waits. Where neither the
/// method nor the rule asks for outcomes (`grid`, `random` or `sobol` with `none`), they are heard as they
/// come.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "batchscope/sweep/sweep_file.h"

namespace batchscope::sweep {

/// Outcome of a leg.
struct Outcome {
  std::optional<double>
      value;  ///< of the metric at its end, not finite where the trial diverged; none: it failed
  double device_hours = 0;  ///< that it took
  bool at_end = false;      ///< whether the program came to its own end, at this rung or before
};

/// A leg as a catalogue keeps it, in the order in which legs began.
struct LegRecord {
  std::size_t trial = 0;  ///< 0, 1, .. in the order in which trials began
  int rung = 0;           ///< that the leg leads to; 0: it begins at the trial's start, else at a checkpoint
  std::size_t heard = 0;  ///< outcomes that had been heard when it began
  Point point;            ///< of the trial
  std::optional<Outcome> outcome;          ///< none: it is under way
  std::optional<std::size_t> origin = {};  ///< trial at whose checkpoint it begins; none: as `rung` says
};

/// Returns the leg to begin now, which is to be kept at once; none: a leg that is under way has to end first,
/// or the sweep is at its end. Ask again until there is none. `legs` are this sweep's, though `trials`, the
/// budget and the width may have been changed since. Throws std::invalid_argument for legs that cannot be a
/// sweep's or a width of 0.
std::optional<LegRecord> next_leg(const SweepFile& sweep, std::size_t width, std::span<const LegRecord> legs);

/// How a trial stands.
struct Standing {
  /// State of the trial's life.
  enum class State {
    running,   ///< a leg of it is under way, or about to be
    paused,    ///< waits at a rung for others
    stopped,   ///< for good, by the rule
    finished,  ///< has had all the training that a trial may have
    diverged,  ///< its metric was not finite
    failed     ///< its program did not come to an end
  };

  Point point;                  ///< of the sweep's space
  State state = State::paused;  ///< see above
  int rung = -1;                ///< that it has come to; -1: none yet
  std::optional<double> value;  ///< of the metric there
  double device_hours = 0;      ///< of all its legs
};

/// Returns the enumerator's own name.
const char* standing_name(Standing::State state) noexcept;

/// Returns the standing of each trial, by its number. Throws as next_leg.
std::vector<Standing> standings(const SweepFile& sweep, std::span<const LegRecord> legs);

/// Returns the numbers of the trials that have a finite value, the best first: by the higher rung, then by
/// the better value, then the earlier one.
std::vector<std::size_t> ranking(Goal goal, std::span<const Standing> standings);

/// Returns the number of the best trial, the first of that ranking; none: there is no value. Throws as
/// next_leg.
std::optional<std::size_t> best_trial(const SweepFile& sweep, std::span<const LegRecord> legs);

}  // namespace batchscope::sweep
