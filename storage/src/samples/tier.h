// SPDX-License-Identifier: Apache-2.0
//
// Tiers: what a zoomed-out chart reads in place of the samples. A summary of level L covers 32^L
// neighbouring samples of a track, and a row of level L holds up to 32 of them; row n of level 1 is the
// detail of chunk n. Sealing a chunk works as a counter carries: it adds a summary to a row of level 2,
// a row that is full with it adds one to level 3, and so on. So any zoom finds a level at which it needs
// few rows, and the whole costs 1.6 bytes a sample.
//
// Tiers can always be had from the chunks again: a row that is missing or fails its check is left out,
// and a reader goes one level down instead.
#pragma once

#include <cstdint>
#include <span>

#include "database/database.h"
#include "samples/summary.h"

namespace batchscope::storage {

inline constexpr std::int64_t kFanOut = 32;  // summaries a row
inline constexpr int kTopLevel = 6;          // 32^6 samples: the most that a 32-bit count can say

// Samples covered by a summary, and by a row, of this level. A sample is a summary of level 0.
constexpr std::int64_t summary_width(int level) { return std::int64_t{1} << (5 * level); }
constexpr std::int64_t row_width(int level) { return summary_width(level + 1); }

// Adds, within the writer's transaction, the full chunk of this number to the tiers.
void seal_chunk(Database& database, std::int64_t track, std::int64_t number, std::span<const Sample> samples);

// The summaries of one level that cover samples [begin, end), both multiples of its width, in order. One
// that is not there has count 0. Adds to `rows_read`.
std::vector<Summary> read_tier(Database& database, std::int64_t track, int level, std::int64_t begin,
                               std::int64_t end, std::int64_t& rows_read);

// Within a transaction: rows that fail their check.
std::int64_t damaged_tier_rows(Database& database);

}  // namespace batchscope::storage
