// SPDX-License-Identifier: Apache-2.0
//
// The order in which columns go through a text of windows. A cut of width C at position s lays what is left,
// R windows in the order of the text, into C columns, the first R mod C of them one longer than the others; a
// row, one window of each column, takes the next C positions. So the micro-batches of a PassPlan are rows,
// rank r of K has columns r, r + K, ..., and the last row is short where R is not a multiple of C. Cutting
// again with the same width changes nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "batchscope/replica/data_pass.h"

namespace batchscope::replica {

// The window at each position of a pass.
std::vector<std::int64_t> column_order(std::int64_t windows, const std::vector<Cut>& cuts);

}  // namespace batchscope::replica
