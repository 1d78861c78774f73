// SPDX-License-Identifier: Apache-2.0
/// \file
/// Why a run scaled, as figures: the model's prediction for every batch size and number of replicas with the
/// run's path through them, chosen against best batch sizes, and what more replicas brought. Predictions are
/// those of the newest fit (goodput_prediction.h); measured values have marks of their own. A model may be
/// null: none has been fitted.
#pragma once

#include <vector>

#include "batchscope/common/figure_data.h"
#include "batchscope/common/run_history.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/step_times.h"

namespace batchscope::common {

/// Returns the predicted goodput over batch size and replicas as shades, the configurations that were
/// measured as rings, and the run's path from one to the next.
FigureData goodputMap(const protocol::Model* model, const std::vector<Moment>& moments,
                      const std::vector<run::StepTime>& measured);

/// Returns the batch size over time, and the best one by the newest fit with the gradient noise of that
/// moment.
FigureData batchChoice(const protocol::Model* model, const std::vector<Moment>& moments);

/// Returns the predicted best goodput of every number of replicas, and the median that each generation
/// measured.
FigureData goodputOverReplicas(const protocol::Model* model, const std::vector<Moment>& moments);

/// Returns the learning rate over the batch size, paler the earlier; dotted what linear and square-root
/// scaling of the first would have given.
FigureData rateOverBatch(const std::vector<Moment>& moments);

}  // namespace batchscope::common
