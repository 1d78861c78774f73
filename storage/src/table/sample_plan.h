// SPDX-License-Identifier: Apache-2.0
//
// The planning of SQLite over the table `sample`: which conditions it uses, in which order rows come, and
// what that costs. What it says is counted from the tracks that are there, so that of two plans the one that
// visits fewer samples wins; a plan is carried to the scan by the index's number and text.
#pragma once

#include <sqlite3.h>

#include "table/sample_scan.h"

namespace batchscope::storage {

enum SampleColumn { kRunColumn, kSeriesColumn, kGenerationColumn, kStepColumn, kValueColumn };

// Plans as xBestIndex.
int plan_samples(SampleSet& set, sqlite3_index_info* info);

// Returns what a plan's scan wants, from the values of its conditions; as xFilter.
Wanted wanted_samples(int number, const char* text, sqlite3_value** values);

}  // namespace batchscope::storage
