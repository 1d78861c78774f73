// SPDX-License-Identifier: Apache-2.0
//
// The lines of a run's record (storage/FORMAT.md, "An exported run", "A record that grows"): descriptions,
// blocks of samples, ends. `export` writes one description, `export --follow` each change of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/run_file.h"

namespace batchscope::cli {

inline constexpr std::size_t kLongestRecordLine = 256u << 20;  // bytes
inline constexpr std::int64_t kBlockSamples = 16'384;          // in a line, at most

// Samples, and the number of samples of their series and generation in the lines before, readable or not; -1:
// the line does not say.
struct RecordBlock : storage::RunFileReader::Block {
  std::int64_t from = -1;
};

// The end of a record: nothing is missing so far.
struct RecordEnd {
  std::int64_t samples = 0;
};

using RecordLine = std::variant<protocol::Json /* a description */, RecordBlock, RecordEnd>;

// Parses a line without its newline. Throws Error(corrupt) for a line that does not belong to a record;
// recordFrom and recordPart check the content of a description.
RecordLine parseRecordLine(std::string_view text);

// Return the text of a line, without its newline.
std::string recordText(const protocol::Json& json);
std::string blockText(const std::string& series, int generation, std::int64_t from,
                      std::span<const storage::Sample> samples);
std::string endText(const RecordEnd& end);

}  // namespace batchscope::cli
