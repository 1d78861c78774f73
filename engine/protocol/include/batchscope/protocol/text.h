// SPDX-License-Identifier: Apache-2.0
/// \file
/// Text that somebody else wrote: a program, a file, another user. It is shown as text and has no other
/// effect.
#pragma once

#include <string>
#include <string_view>

namespace batchscope::protocol {

/// Returns one line with a blank in place of each character that would control a terminal or disorder the
/// line: controls (ASCII's and Unicode's, U+0080 to U+009F), separators of lines and paragraphs, and what
/// turns the direction of writing (U+202A to U+202E, U+2066 to U+2069). Bytes that are not UTF-8 become
/// U+FFFD.
std::string printable(std::string_view text);

/// Returns the same, but keeps the ends of lines.
std::string printable_lines(std::string_view text);

}  // namespace batchscope::protocol
