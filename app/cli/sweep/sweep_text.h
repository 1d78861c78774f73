// SPDX-License-Identifier: Apache-2.0
//
// Sweeps and their trials as a person reads them in a terminal.
#pragma once

#include <span>
#include <string>

#include "batchscope/common/sweep_text.h"
#include "batchscope/sweep/sweeps.h"
#include "text/table.h"

namespace batchscope::cli {

// "lr=0.0312 batch-size=64", in the order of the file; what is fixed is left out.
std::string parametersText(const sweep::SweepFile& file, const sweep::Texts& parameters);

// "accuracy 97.42 % by trial 5"; empty where there is no value yet.
std::string bestText(const sweep::SweepView& view);

// "4 min", or "4 min of 2 h 30 min" where there is a budget.
inline std::string deviceTimeText(const sweep::SweepView& view) {
  return common::deviceTimeText(view).toStdString();
}

// Returns a table of the trials of these numbers, in this order.
Table trialTable(const sweep::SweepView& view, std::span<const std::size_t> trials);

// Returns what to do about a running sweep that no process drives; empty for any other.
std::string neglectText(const sweep::SweepView& view, bool driven);

}  // namespace batchscope::cli
