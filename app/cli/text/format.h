// SPDX-License-Identifier: Apache-2.0
//
// Numbers, times and texts as a person reads them in a terminal.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "batchscope/protocol/text.h"

namespace batchscope::cli {

std::string formatClock(double seconds);     // "0:42", "12:07", "1:03:05"
std::string formatDuration(double seconds);  // "85 ms", "1.24 s", "12 min 7 s", "3 h 5 min"
std::string formatAge(double seconds);       // "just now", "5 min ago", "3 h ago", "2 d ago"
std::string formatTime(double wallSeconds);  // local "2024-05-03 14:07:33"; "unknown" where it is not a time

// "12.3 MB", powers of 1000
std::string formatBytes(double bytes);
std::string formatBytes(std::integral auto bytes) { return formatBytes(static_cast<double>(bytes)); }

// "1 replica", "2 replicas". Translators get "{} replica(s)", for each form of numbers in their language: the
// noun is a literal where it is counted, so that tools/words.py finds it.
std::string plural(std::int64_t count, std::string_view noun);

// Returns the value of a series (protocol/series.h) with its unit: accuracy in percent, sizes as whole
// numbers.
std::string formatSeriesValue(std::string_view series, double value);

// Returns the columns of UTF-8 text on a terminal: two for a wide character, none for a combining one.
int displayWidth(std::string_view utf8);

// Returns at most `width` columns of the text.
std::string cutToWidth(std::string_view utf8, int width);

// Make texts from outside harmless to the terminal. Tables, fields, events, progress and errors call these
// themselves; call them for a text that is printed directly.
using protocol::printable;
using protocol::printable_lines;

}  // namespace batchscope::cli
