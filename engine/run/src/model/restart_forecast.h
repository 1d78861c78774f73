// SPDX-License-Identifier: Apache-2.0
//
// The forecast of a restart: what the model predicted when it was asked for, and what came of it; the trust
// that a prediction deserves. The prediction is that of the model at that moment, for the number of replicas
// that the new generation has in the end. What was obtained is the measured rate (run/measured_rate.h) as
// soon as it is steady, which it is once
//
//     20 steps and 5 s of step time have been measured, the generation's first step left out, and
//     the rates of the four quarters of the newest that make so many differ by less than 15 %
//
// or, where it never becomes so, after 60 s of step time. A batch size that changes meanwhile begins anew.
// A machine that others disturb for seconds is waited for, as a number that is tried is judged by this rate.
// Beside it stands the rate that was measured just before the restart, so that one which does not pay is
// seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/measured_rate.h"
#include "batchscope/run/prediction.h"

namespace batchscope::run {

class RestartForecast {
 public:
  // Where a supervisor goes on, the model that the one before has left.
  void take(const protocol::Model& model) { model_ = model; }

  // A restart is on its way: what is predicted of it is predicted now.
  void ask();
  // Predicts the restart that is on its way, as begin() will.
  std::optional<Prediction> expected(const goodput::Configuration& at, int replicas,
                                     const goodput::Devices& devices, int nodes) const;
  // A generation begins, on so many devices and nodes; the first of a run is not a restart. `at` is the
  // configuration before it. The prediction, where there is one.
  const std::optional<Prediction>& begin(bool is_restart, const goodput::Configuration& at, int replicas,
                                         const goodput::Devices& devices, int nodes = 1);
  void end() { waits_ = false; }

  // Takes steps of the generation. Returns what was obtained, once in a generation.
  std::optional<MeasuredRate> take(const protocol::Steps& steps);
  // Whether what the run does now is measured: before() of a restart that is asked for now.
  bool is_measured() const { return measured_rate(newest_).has_value(); }

  const std::optional<Prediction>& prediction() const { return prediction_; }
  // What the run did when the restart to this generation was asked for; none where it had made too few steps.
  struct Before {
    int replicas = 0;
    MeasuredRate rate;
  };
  const std::optional<Before>& before() const { return before_; }

 private:
  std::optional<protocol::Model> model_, asked_;
  std::optional<Prediction> prediction_;
  bool waits_ = false;                // for the rate to be steady
  bool began_ = false;                // its first step is done
  std::vector<MeasuredStep> steps_;   // of this batch size, while it waits
  std::vector<MeasuredStep> newest_;  // of the generation
  std::optional<MeasuredRate> asked_rate_;
  std::optional<Before> before_;
};

// "Predicted goodput 18,400 (14,700 to 23,000) samples/s on 2 replicas, obtained 17,900 (−3 %)"; of the
// throughput, where nothing is known of efficiency.
std::string forecast_text(const Prediction& predicted, const MeasuredRate& obtained);

}  // namespace batchscope::run
