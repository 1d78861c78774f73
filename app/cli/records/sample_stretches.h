// SPDX-License-Identifier: Apache-2.0
//
// Samples on their way into a store: stretches of consecutive steps take it less than samples one by one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "batchscope/storage/samples.h"

namespace batchscope::cli {

// Throws as SampleWriter::append; what stands before the stretch that it refuses is appended.
void appendStretches(storage::SampleWriter& writer, const std::string& series, int generation,
                     std::span<const storage::Sample> samples);

// How many samples a store has of each series in each generation; none where there is no such file. Who reads
// a source from its beginning again passes over as many.
std::map<std::pair<std::string, int>, std::int64_t> storedCounts(const std::filesystem::path& samples);

}  // namespace batchscope::cli
