// SPDX-License-Identifier: Apache-2.0
//
// Where a finished step is accounted: the profile of step times per configuration, the fit of the performance
// model (on its own thread, never inside a step), progress, and the rows for telemetry (AdaptDL's
// _metrics.py).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "adapt/batch_shape.h"
#include "adapt/timer.h"
#include "batchscope/goodput/model.h"

namespace batchscope::replica::metrics {

// Batch sizes of the step in flight, over the initial one. The last step of a pass may be short.
struct StepScale {
  double own;      // its real samples
  double nominal;  // a full step
};
// Without a loader a replica's micro-batch is taken for the initial batch: both are `gradients`, those of all
// replicas and micro-batches.
StepScale step_scale(int gradients);

// Results of an optimizer step that AdaptiveDataParallel reports.
struct StepReport {
  double gain = 1;             // averaged, at the step's own samples: progress grows by it
  double nominal_gain = gain;  // the same at a full step, which charts show between 1 and the scale
  bool skipped = false;        // the gradient was not finite: no update was made, nothing was gained
  bool expected = false;       // that, by a gradient scaler that looks for its scale
  double raw_gain = 1;         // of a full step, from this step's estimates alone; NaN where there are none
  double lr_factor = 1;        // first group
  double learning_rate = 0;    // first group, as applied
  goodput::GradParams gradient = {};                                      // averaged, all groups
  std::optional<std::pair<double, double>> gain_interval = std::nullopt;  // of a full step
  std::optional<Timer::Interval> waited = std::nullopt;                   // for other replicas' gradients
};

// Micro-batches: the loader calls begin before it makes a batch and data_ready when it is there,
// AdaptiveDataParallel calls end_micro_step when a micro-batch that is not the last of its step is done, and
// commit_step when an optimizer step is. A loop over data calls leave_steps when it begins: what was before
// it is no part of a step.
void begin_micro_step();
void data_ready();
void end_micro_step();
void commit_step(const StepReport& report);
void leave_steps();

// Where a device computes, a step's times are known, and its row is sent, when the next one is committed.
// This waits for those of the last one: where no other may follow.
void complete_last_step();

// A value for the row of the step in flight; the mean of those that come before it is committed.
void add_recorded(std::string_view name, double value);

void load_metrics_state();  // makes it, and loads it from the checkpoint

double progress();       // scale-invariant iterations; a checkpoint state
std::int64_t steps();    // optimizer steps; a checkpoint state
std::int64_t samples();  // trained on; a checkpoint state

// Steps whose gradient was not finite, but for what a gradient scaler expects: all (a checkpoint state), and
// those in a row up to the last step.
std::int64_t non_finite_steps();
std::int64_t non_finite_in_a_row();

double last_step_time();  // monotonic seconds at which the last optimizer step was committed; 0: none yet

// Sets the bounds of a training loader's batch size, as the model tells them; of several loaders those of one
// whose batch size goodput chooses. suggest sets them, too.
void set_limits(const goodput::Bounds& limits);
// The batch size that goodput prefers for this many replicas, within reach (batch_shape.h) of the step in
// force, of `batch_size` samples (0: none), away from one that was `left`; empty while the profile is too
// thin.
std::optional<Suggestion> suggest(const goodput::Bounds& limits, std::int64_t batch_size, std::int64_t left);
// The same model's goodput for a given configuration; empty while there is no model.
std::optional<double> predict_goodput(std::int64_t local_batch_size, int accumulation_steps);
// Goodput of a shape by its own measured times and the noise scale of now; empty where too few steps were.
std::optional<double> measured_goodput(const BatchShape& shape);

}  // namespace batchscope::replica::metrics
