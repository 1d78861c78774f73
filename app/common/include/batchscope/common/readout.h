// SPDX-License-Identifier: Apache-2.0
/// \file
/// The values of a run that are read out beside its charts, at the cross-hair or at the newest step, the same
/// in window and page.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"

namespace batchscope::common {

/// A value that is read out.
struct ReadoutRow {
  QString label;             ///< "Gain"
  std::string series;        ///< whose value it is
  QString unit = {};         ///< behind the number; empty: none
  double factor = 1;         ///< from the recorded unit to this one
  std::string bound = {};    ///< the series of its bound, which is told behind it; empty: none
  bool isPredicted = false;  ///< has the mark of predicted values
};

/// Returns all of them, from top to bottom.
std::vector<ReadoutRow> readoutRows();

/// Returns "4.2 of 8", "512 samples", "≈ 12 ms"; a dash where `value` is NaN. Both are as recorded; a bound
/// that is NaN is left out.
QString readoutText(const ReadoutRow& row, double value, double bound);

/// Returns the rows as [{"label","series","unit","factor","bound","isPredicted"}]; what has no use is left
/// out.
protocol::Json readoutJson();

}  // namespace batchscope::common
