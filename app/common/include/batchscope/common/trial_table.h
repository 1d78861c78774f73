// SPDX-License-Identifier: Apache-2.0
/// \file
/// The trials of a sweep as a table for other programs, as `sweep export` writes it and a page saves it.
#pragma once

#include <string>

#include "batchscope/sweep/sweeps.h"

namespace batchscope::common {

/// Returns a CSV text with a header and a line for each trial. The columns of parameters are called by the
/// names of their tables in the file, "parameter.lr", which no other column has.
std::string trialsCsv(const sweep::SweepView& view);

}  // namespace batchscope::common
