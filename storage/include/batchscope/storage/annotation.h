// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a person or a program may say about a run, checked before the catalogue takes it: lists, titles and
/// events show these texts, so they must not look like something else. Pure; each call throws Error(usage)
/// that says what is allowed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::storage {

/// Checks a run's name: one line of UTF-8 text, 1 to 200 bytes, and not "latest", which stands for the newest
/// run.
void check_name(const std::string& name);

/// Checks a tag: 1 to 64 bytes of UTF-8 on one line, without commas.
void check_tag(const std::string& tag);

/// Checks a group: as a name, or empty for none.
void check_group(const std::string& group);

/// Checks a note: UTF-8 of at most a million bytes, of any number of lines.
void check_note(const std::string& note);

/// The longest name of a series, in bytes.
inline constexpr std::size_t kLongestSeries = 1024;

/// Checks the name of a series: 1 to 1,024 bytes, otherwise any that the program chooses.
void check_series(std::string_view series);

/// Returns the tags of a text such as "paper, baseline": split at commas, without the blanks around them;
/// empty ones are left out. Each is checked.
std::vector<std::string> parse_tags(std::string_view text);

}  // namespace batchscope::storage
