// SPDX-License-Identifier: Apache-2.0
//
// How large a step is: samples per replica and micro-batch, and micro-batches. Chosen at the boundary of a
// pass, and in it after 30, 60, 120 .. steps: what goodput prefers, if it promises at least 1.05 of the
// goodput of what is in force. Both the model of a step's time and the noise scale only guess what they have
// not seen.
//   A step more than doubles only as far as it would with the smallest noise scale that nine of ten cases
//   leave, and shrinks only as far as it would with the largest. What such a first part of the way promises
//   counts as the whole way does.
//   One replica without accumulation sees the noise as the difference between a step and the next, and the
//   weights move in between: early in training the noise seems many times what it is. On several replicas
//   such a run goes on with steps as large as before, and chooses after ten of them.
//   While one local batch size was measured on so many replicas, nothing tells how much of its time is the
//   same for every size. Whatever share promises most is believed then, so that a second size is measured.
//   A choice reaches no farther than twice the largest local batch size that was measured (AdaptDL's rule for
//   replicas, ours for batch sizes), and four times the step in force: one replica has two micro-batches
//   where it had one, and twice as large. What was chosen is compared, as both were measured, with what was
//   in force before it: where it brings clearly less it is left, and for some time no choice comes as near to
//   it again.
#pragma once

#include <cstdint>
#include <optional>

#include "batchscope/goodput/model.h"

namespace batchscope::replica {

struct BatchShape {
  std::int64_t local_batch_size = 0;  // 0: not chosen yet
  int accumulation_steps = 0;
  bool operator==(const BatchShape&) const = default;

  std::int64_t batch_size(int replicas) const {
    return local_batch_size * (accumulation_steps + 1) * replicas;
  }
};

inline constexpr double kSpeedupThreshold = 1.05;
inline constexpr double kClearlyMore = 1.1;     // of measured goodput: what was before is taken again
inline constexpr std::int64_t kFirstLook = 30;  // steps after a pass was cut; then twice as many, and so on
inline constexpr std::int64_t kEarlyLook = 10;  // the same where replicas go on with the step of a lone one

// The knowledge that a choice may count on.
struct Seen {
  std::int64_t local_batch_size = 0;  // the largest measured; 0: none
  std::int64_t batch_size = 0;        // of the step in force; 0: none
  std::int64_t left = 0;              // a larger step that brought less; 0: none
  std::int64_t sure = 0;              // the best step if the noise is as small as it may be; 0: nobody knows
  std::int64_t only = 0;              // local batch size measured on so many replicas; 0: none, or several
};

// A step, and the goodput of the one that it is on the way to, which the noise does not support yet.
struct Suggestion {
  goodput::Choice choice;
  double promise = 0;  // at least choice.goodput
};

// The model by which a step is chosen.
struct StepModel {
  goodput::PerfParams perf = {};
  goodput::GradParams gradient = {};
  std::int64_t initial_batch_size = 1;
  goodput::Devices devices = {};
  int nodes = 1, replicas = 1;
};

// Returns the step that goodput prefers, as far as may be reached of what was seen (of which `sure` follows
// from the model) and as far as the noise supports; empty where no step is feasible, or a smaller one is not
// supported.
std::optional<Suggestion> suggestion(const StepModel& model, const goodput::Bounds& limits, const Seen& seen);

// Returns the limits as far as a choice may reach. The initial batch size stays within them.
goodput::Bounds within_reach(goodput::Bounds limits, const Seen& seen, std::int64_t initial_batch_size,
                             int replicas);

// goodput::initial_configuration.
BatchShape initial_shape(std::int64_t batch_size, int replicas, const goodput::Bounds& limits);

// Returns the shape in force, or the one that goodput suggests: the first suggestion, and later ones that are
// better than the present shape and promise more than kSpeedupThreshold times the goodput predicted of it.
// current: {} before the first.
BatchShape preferred_shape(const BatchShape& current, const BatchShape& initial,
                           const std::optional<Suggestion>& suggestion, std::optional<double> goodput);

}  // namespace batchscope::replica
