// SPDX-License-Identifier: Apache-2.0
//
// Appends samples to a store in stretches of consecutive steps, which takes less time than one by one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "batchscope/storage/samples.h"

namespace batchscope::cli {

// Throws as SampleWriter::append; the samples before the refused stretch are appended.
void appendStretches(storage::SampleWriter& writer, const std::string& series, int generation,
                     std::span<const storage::Sample> samples);

// Returns how many samples a store has of each series in each generation; none if there is no such file. A
// source that is read from its beginning again skips as many.
std::map<std::pair<std::string, int>, std::int64_t> storedCounts(const std::filesystem::path& samples);

}  // namespace batchscope::cli
