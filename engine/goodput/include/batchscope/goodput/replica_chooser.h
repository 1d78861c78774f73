// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the number of replicas on which a run learns fastest, each time its model is fitted (Pollux,
/// section 4.2, for one job with a machine to itself). A move to n replicas is worth
///
///     goodput(n) * (horizon - pause) / horizon                 each n at the batch size that it would have
///
/// because nothing is learnt during the pause that it costs. Among counts whose speed-up per replica,
/// (goodput(n) / n) / goodput(1), reaches the efficiency floor, the one worth most is chosen. No move goes
/// beyond twice the largest count profiled (AdaptDL's rule): the model has never seen what lies there.
///
/// Models are noisy and a choice must settle. So the choice must beat the present count by a margin, several
/// models in a row must agree on the direction, and each time a move reverses the one before, the margin
/// doubles. One model is enough where it promises six margins more and a wrong move will be seen and undone.
/// The number of moves is therefore bounded by the noise, and a trend, such as a noise scale that grows while
/// training, is still followed at once.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace batchscope::goodput {

/// Goodput of the run on so many replicas, samples/s, at the best batch size where that is chosen; 0: nothing
/// is feasible.
using BestGoodput = std::function<double(int replicas)>;

/// Limits that a person sets.
struct ChooserLimits {
  int min_replicas = 1;         ///< never fewer
  int max_replicas = 1;         ///< never more; at least min_replicas
  double min_efficiency = 0.5;  ///< speed-up per replica that more replicas must keep up, 0..1
  double horizon = 300;         ///< s, in which a move must have paid its pause
};

/// Inputs of the choice beside the model.
struct RunContext {
  int replicas = 1;               ///< at present
  int max_profiled_replicas = 1;  ///< the largest count that the model has measured
  double pause = 0;               ///< s, that a restart takes, as measured
  double remaining = -1;          ///< s, that the run still takes; negative: unknown
  bool judged = true;             ///< whether a move is measured against what was before, and undone if worse
};

/// One count, as the model sees it.
struct Candidate {
  int replicas = 1;       ///< the count
  double goodput = 0;     ///< samples/s; 0: nothing is feasible
  double efficiency = 0;  ///< its speed-up per replica
};

/// A decision, with the numbers behind it.
struct ReplicaDecision {
  int replicas = 1;                   ///< chosen; the present count where nothing moves
  int missing = 0;                    ///< models that must still agree with this one before it moves
  std::vector<Candidate> candidates;  ///< the present count and all within the limits, ascending
  double pause = 0;                   ///< s, charged
  double horizon = 0;                 ///< s, over which it was charged
  int cap = 1;                        ///< the most replicas considered
};

/// Chooses the number of replicas. Used by one thread at a time.
class ReplicaChooser {
 public:
  /// Throws std::invalid_argument unless 1 <= min_replicas <= max_replicas.
  explicit ReplicaChooser(const ChooserLimits& limits);

  /// Decides by a new model. The choice is within the limits, except that a present count outside them stays
  /// where the model has nothing feasible. A move goes at most to twice the largest count profiled, or to
  /// min_replicas where that is more. A choice that differs from the present count is assumed to be carried
  /// out.
  ReplicaDecision decide(const BestGoodput& goodput, const RunContext& at);

  /// Excludes this count, to which a move has failed, until it is allowed again.
  void refuse(int replicas) { refused_.insert(replicas); }
  void allow(int replicas) { refused_.erase(replicas); }  ///< one that was refused, or not

  /// Sets the number of devices that there are now. A number below min_replicas counts as min_replicas.
  void set_max_replicas(int replicas) { limits_.max_replicas = std::max(limits_.min_replicas, replicas); }

  const ChooserLimits& limits() const { return limits_; }  ///< as given

 private:
  struct Challenger {
    int replicas;
    int models;  // in a row that must agree
  };
  std::optional<Challenger> challenger(const ReplicaDecision& decision, const RunContext& at) const;

  ChooserLimits limits_;
  std::set<int> refused_;
  double margin_;
  int last_direction_ = 0;  // of the last move: -1, 1; 0: none yet
  int agreed_ = 0;          // models in a row for a move ...
  int direction_ = 0;       // ... in this direction
};

}  // namespace batchscope::goodput
