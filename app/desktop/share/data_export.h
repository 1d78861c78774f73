// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "batchscope/common/sample_table.h"
#include "figure/figure_data.h"

namespace batchscope::desktop {

// Returns the numbers behind charts, every sample as it was recorded and none thinned. Reads whole series,
// also derived ones, and blocks on the disk meanwhile. Throws as storage::SampleReader does.
common::SampleTable readSamples(const std::filesystem::path& samples, const std::set<std::string>& series);

// Returns the numbers behind a figure, a line a row, the names of the columns first.
std::string toCsv(const FigureTable& table);

}  // namespace batchscope::desktop
