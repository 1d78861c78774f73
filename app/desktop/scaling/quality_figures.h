// SPDX-License-Identifier: GPL-3.0-or-later
//
// How good a run got by what it cost, as figures: the validation accuracy over samples, seconds and epochs,
// and when targets were reached; of the open run, or of those that are compared.
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
