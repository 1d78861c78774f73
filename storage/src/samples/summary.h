// SPDX-License-Identifier: Apache-2.0
//
// A stretch of samples in six numbers. Summaries of neighbours merge into the summary of both, which is
// all that tiers and drawing need. Values that are not finite are counted and left out of the rest;
// where none is finite, min, max and mean are NaN.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/storage/samples.h"

namespace batchscope::storage {

struct Summary {
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  std::uint32_t count = 0;
  std::uint32_t finite = 0;
  double min = std::numeric_limits<double>::quiet_NaN();
  double max = std::numeric_limits<double>::quiet_NaN();
  double mean = std::numeric_limits<double>::quiet_NaN();

  void add(const Summary& next);
};

Summary summarize(std::span<const Sample> samples);  // of one at least
Summary summarize(std::span<const Summary> summaries);

// 48 bytes each, as storage/FORMAT.md says.
inline constexpr std::size_t kSummaryBytes = 48;
void put_summary(std::string& bytes, const Summary& summary);
// Throws nothing: the caller has checked the checksum and that the length is a multiple of 48.
std::vector<Summary> get_summaries(std::string_view bytes);

}  // namespace batchscope::storage
