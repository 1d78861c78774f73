// SPDX-License-Identifier: Apache-2.0
//
// The lines of a run's record (storage/FORMAT.md, "An exported run", "A record that grows"): descriptions,
// blocks of samples, ends. `export` writes each description once, `export --follow` what of it has changed.
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

// Samples, and how many of their series and generation were in the lines before, whether or not they can all
// still be read; -1: the line does not say.
struct RecordBlock : storage::RunFileReader::Block {
  std::int64_t from = -1;
};

// The end of a record, which says that nothing is missing so far.
struct RecordEnd {
  std::int64_t samples = 0;
};

using RecordLine = std::variant<protocol::Json /* a description */, RecordBlock, RecordEnd>;

// Parses a line without its newline. Throws Error(corrupt) for a line that is none of a record; what a
// description holds is for recordFrom and recordPart to judge.
RecordLine parseRecordLine(std::string_view text);

// Each without its newline.
std::string recordText(const protocol::Json& json);
std::string blockText(const std::string& series, int generation, std::int64_t from,
                      std::span<const storage::Sample> samples);
std::string endText(const RecordEnd& end);

}  // namespace batchscope::cli
