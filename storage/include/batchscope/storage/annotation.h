// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a person or a program may say about a run, judged before the catalogue is given it: lists, titles and
/// events show these texts, so they are what they look like. Pure; each throws Error(usage) that says what is
/// allowed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::storage {

/// A run's name: one line of UTF-8 text, 1 to 200 bytes, and not "latest", which stands for the newest run.
void check_name(const std::string& name);

/// A tag: 1 to 64 bytes of UTF-8 on one line, without commas.
void check_tag(const std::string& tag);

/// A group: as a name, or empty for none.
void check_group(const std::string& group);

/// A note: UTF-8 of at most a million bytes, of any number of lines.
void check_note(const std::string& note);

/// A series' name is no longer, in bytes.
inline constexpr std::size_t kLongestSeries = 1024;

/// A series: 1 to 1,024 bytes. What a program calls its values is its own affair otherwise.
void check_series(std::string_view series);

/// The tags of "paper, baseline": split at commas, without the blanks around them; empty ones are left out.
/// Each is checked.
std::vector<std::string> parse_tags(std::string_view text);

}  // namespace batchscope::storage
