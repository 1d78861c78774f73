// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decides which trial goes on. Trials are compared at rungs, after
///
///     min * eta^k    scale-invariant iterations, k = 0, 1, .. ; max is the last rung, where there is one
///
/// (with pbt: min * (k + 1)), which are worth the same at every batch size. The past of a trial is a list of
/// legs, each from one rung to the next, and every rule is a function of the legs of all trials in the order
/// in which they began: of nothing else, so that a sweep that was killed goes on from the catalogue.
///
///     none      every trial is trained to its end
///     median    at a rung a trial is stopped if its best cost up to there is worse than the median, over the
///               others that came to this rung, of their mean costs up to there, and five others came
///               (Golovin et al., "Google Vizier", KDD 2017, 3.2.2)
///     asha      asynchronous successive halving (Li et al., MLSys 2020, algorithm 2): at a rung every
///               trial pauses. Of the n that came to a rung the best floor(n / eta) may go on to the next.
///               Whenever there is a device, the best trial that may go on, at the highest rung with such a
///               trial, goes on from its checkpoint; where there is none, a new trial begins
///     pbt       population based training: at a rung all trials wait for one another; then the worst go on
///               from checkpoints of the best, with other parameters (population.h), and the others as they
///               were
///
/// Of trials with equal costs the one of the lower number counts as the better; one that diverged never goes
/// on.
#pragma once

#include <optional>
#include <span>

#include "batchscope/sweep/population.h"

namespace batchscope::sweep {

/// How trials are stopped.
struct StopRule {
  /// See above.
  enum class Kind { none, median, asha, pbt };

  /// Unit of rungs: scale-invariant iterations, or the optimizer steps of a program that has none.
  enum class Unit { iterations, steps };

  Kind kind = Kind::none;          ///< none: the other fields do not count
  double min = 1;                  ///< scale-invariant iterations of rung 0, above 0
  std::optional<double> max;       ///< the same of the last rung, at least min; none: a trial's own end
  double eta = 3;                  ///< above 1
  Unit unit = Unit::iterations;    ///< of min and max
  PopulationRule population = {};  ///< of pbt

  bool operator==(const StopRule&) const = default;  ///< of all fields
};

/// The training of a trial up to a rung.
struct Leg {
  std::size_t trial = 0;       ///< number
  int rung = 0;                ///< its end
  std::optional<double> cost;  ///< at its end, infinite where the trial diverged; none: under way, or failed
  bool at_end = false;         ///< whether the trial came to its own end, and cannot go on

  bool operator==(const Leg&) const = default;  ///< of all fields
};

/// Returns the scale-invariant iterations that a trial has done at the rung; none: it is trained to its end.
std::optional<double> iterations_at(const StopRule& rule, int rung);
/// Returns whether no rung comes behind it.
bool is_last(const StopRule& rule, int rung);

/// Decision about a trial.
enum class Verdict {
  go_on,  ///< to the next rung
  pause,  ///< with a checkpoint; it may go on later
  stop    ///< for good
};

/// Decides about a trial that has come to this rung, which is not the last: its leg is among these.
Verdict verdict(const StopRule& rule, std::span<const Leg> legs, std::size_t trial, int rung);

/// Returns the leg to begin before any new trial, without a cost; none: no paused trial may go on.
std::optional<Leg> promotion(const StopRule& rule, std::span<const Leg> legs);

}  // namespace batchscope::sweep
