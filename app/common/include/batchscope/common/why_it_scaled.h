// SPDX-License-Identifier: Apache-2.0
/// \file
/// "Why it scaled": the model's predictions, the run's choices, what replicas and restarts brought and cost,
/// and the accuracy that the run reached, as cards with a figure each. The window and the page show the same.
#pragma once

#include <QString>
#include <vector>

#include "batchscope/common/figure_data.h"
#include "batchscope/common/quality_figures.h"
#include "batchscope/common/run_series.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/step_times.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// The words of a card.
struct ScalingCard {
  const char* name = "";    ///< by which lessons and pages know it
  QString title;            ///< above the figure
  QString unit;             ///< of its vertical axis, beside the title
  QString caption;          ///< says how to read it
  bool isCompared = false;  ///< its figure has a line for each of several runs
};
/// Returns the cards in their order.
std::vector<ScalingCard> scalingCards();

/// The record of a run, as the figures need it.
struct ScaledRun {
  RunSeries* series = nullptr;                   ///< null: nothing is recorded
  const protocol::Model* model = nullptr;        ///< the newest; null: none has been fitted
  std::vector<run::StepTime> measured;           ///< step times, where there is a model
  std::vector<storage::Generation> generations;  ///< in their order
  std::vector<QualityRun> quality;               ///< the run alone, or those it is compared with
};
/// Returns the figure of each card. Throws as the series.
std::vector<FigureData> whyItScaled(const ScaledRun& run);

/// Returns the figures of the cards that compare runs, in their order.
std::vector<FigureData> comparedFigures(const std::vector<QualityRun>& runs);

}  // namespace batchscope::common
