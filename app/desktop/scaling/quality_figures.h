// SPDX-License-Identifier: GPL-3.0-or-later
//
// The quality of a run against its cost, as figures: the validation accuracy over samples, seconds and
// epochs, and when targets were reached; for the open run, or for the compared runs.
#pragma once

#include <QString>
#include <vector>

#include "figure/figure_data.h"

namespace batchscope::desktop {

class SeriesModel;

struct QualityPoint {
  double samples = 0, seconds = 0, epoch = 0;
  double accuracy = 0;  // 0 to 1
};

struct QualityRun {
  QString name;
  Ink ink;
  std::vector<QualityPoint> points;  // by time, without what a restart threw back
};

std::vector<QualityPoint> qualityOf(SeriesModel& series);

enum class Cost { Samples, Seconds, Epochs };
FigureData accuracyOver(Cost cost, const std::vector<QualityRun>& runs);

// When it first reached an accuracy: of several runs the highest that all of them reached, of one a few.
FigureData timeToTarget(const std::vector<QualityRun>& runs);

}  // namespace batchscope::desktop
