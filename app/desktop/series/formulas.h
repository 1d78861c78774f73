// SPDX-License-Identifier: GPL-3.0-or-later
//
// The meaning of a run's quantities, as a table: each in words and in symbols, how it follows from other
// recorded series, and where that comes from; so that the numbers of a step can be put into the formula and
// seen to give what was recorded.
#pragma once

#include <QString>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "series/series_model.h"

namespace batchscope::desktop {

// A formula with the numbers of one step in it.
struct WorkedFormula {
  QString title;
  QString words;    // what the quantity is
  QString symbols;  // "gain = (σ² + μ²) / (σ²/S + μ²)"
  QString numbers;  // the same with values put in; empty where the step does not have them all
  QString source;
  std::optional<double> computed;  // from the numbers
  std::optional<double> recorded;
};

// Returns the series that have to be read so that this one can be explained.
std::set<std::string> formulaInputs(const std::string& series);

// Returns none where the series has no formula. Where several rules may have made a value, returns the rule
// that gives it.
std::optional<WorkedFormula> workedFormula(const std::string& series, SeriesModel& model, const StepRef& at);

// Returns the same as the text of a tool tip; empty where there is none.
QString formulaTip(const std::string& series, SeriesModel& model, const StepRef& at);

}  // namespace batchscope::desktop
