// SPDX-License-Identifier: Apache-2.0
/// \file
/// The quality of a run against its cost, as figures: the validation accuracy over samples, seconds and
/// epochs, and when targets were reached; of one run, or of several that are compared.
#pragma once

#include <QString>
#include <vector>

#include "batchscope/common/figure_data.h"
#include "batchscope/common/run_series.h"

namespace batchscope::common {

/// The accuracy at a validation, and what it has cost.
struct QualityPoint {
  double samples = 0;   ///< that were trained on
  double seconds = 0;   ///< of the run's clock
  double epoch = 0;     ///< statistical epochs
  double accuracy = 0;  ///< 0 to 1
};

/// A run among those of a figure.
struct QualityRun {
  QString name;                      ///< in the legend
  Ink ink;                           ///< of its line
  std::vector<QualityPoint> points;  ///< by time, without what a restart threw back
};

/// Returns a run's validations. Throws as the series.
std::vector<QualityPoint> qualityOf(RunSeries& series);

/// The horizontal axis of a figure of accuracy.
enum class Cost { Samples, Seconds, Epochs };
/// Returns the accuracy over that cost, a line for each run.
FigureData accuracyOver(Cost cost, const std::vector<QualityRun>& runs);

/// Returns when each run first reached an accuracy: of several runs the highest that all of them reached, of
/// one a few.
FigureData timeToTarget(const std::vector<QualityRun>& runs);

}  // namespace batchscope::common
