// SPDX-License-Identifier: Apache-2.0
/// \file
/// The times at which the lines of a replica's log were written. Replicas write their logs themselves,
/// without the supervisor in between, so it notes once a second how long each has become: `<log>.times`, 16
/// bytes an entry, the seconds since 1970 as a double and the log's size in bytes as a 64-bit integer, both
/// little-endian. A second in which nothing was written has no entry.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace batchscope::run {

/// Returns where in the log the lines begin that were written at `time` (s since 1970) or later, within a
/// second: an offset in bytes, always the start of a line. The log's size where there are no such lines yet;
/// 0 where no times were noted. Blocks on the disk alone.
std::int64_t log_offset(const std::filesystem::path& log, double time);

/// Returns when the bytes at the offset were written, in s since 1970, up to a second late; none where no
/// times were noted that far. Blocks on the disk alone.
std::optional<double> log_time(const std::filesystem::path& log, std::int64_t offset);

}  // namespace batchscope::run
