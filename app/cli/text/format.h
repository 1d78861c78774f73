// SPDX-License-Identifier: Apache-2.0
//
// Numbers, times and texts as a person reads them in a terminal: numbers as the other faces write them
// (batchscope/common/number_text.h), except where what a terminal prints is kept in files, stands in columns,
// or stands beside the engine's messages.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "batchscope/common/number_text.h"
#include "batchscope/protocol/text.h"

namespace batchscope::cli {

// The same, in UTF-8.
inline std::string formatClock(double seconds) { return common::formatClock(seconds).toStdString(); }
inline std::string formatDuration(double seconds) { return common::formatDuration(seconds).toStdString(); }
inline std::string formatPause(double seconds) { return common::formatPause(seconds).toStdString(); }
std::string formatBytes(std::integral auto bytes) {
  return common::formatBytes(static_cast<std::int64_t>(bytes)).toStdString();
}

std::string formatAge(double seconds);       // "just now", "5 min ago", "3 h ago", "2 d ago"
std::string formatTime(double wallSeconds);  // local "2024-05-03 14:07:33"; "unknown" where it is not a time

// "1 replica", "2 replicas". Translators get "{} replica(s)", for each form of numbers in their language: the
// noun is a literal where it is counted, so that tools/words.py finds it.
std::string plural(std::int64_t count, std::string_view noun);

// Returns the value of a series (protocol/series.h) with its unit: accuracy in percent, sizes as whole
// numbers. Percents have two decimals, so that those of a column stand below each other. Other numbers have
// the four digits that events have (run::number_text), which stand beside them.
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
