// SPDX-License-Identifier: Apache-2.0
//
// Samples on their way into a store: stretches of consecutive steps take it less than samples one by one.
#pragma once

#include <span>
#include <string>

#include "batchscope/storage/samples.h"

namespace batchscope::cli {

// Throws as SampleWriter::append; what stands before the stretch that it refuses is appended.
void appendStretches(storage::SampleWriter& writer, const std::string& series, int generation,
                     std::span<const storage::Sample> samples);

}  // namespace batchscope::cli
