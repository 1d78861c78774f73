// SPDX-License-Identifier: Apache-2.0
#include "batchscope/storage/annotation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/text.h"

namespace batchscope::storage {
namespace {

constexpr std::size_t kLongestName = 200, kLongestTag = 64, kLongestNote = 1'000'000;  // bytes

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(protocol::Json(text).dump());
    return true;
  } catch (const protocol::Json::type_error&) {
    return false;
  }
}

// Returns whether the text is one line, with nothing in it that would do something where it is shown.
bool is_one_line(const std::string& text) { return protocol::printable(text) == text; }

// Quotes a text for a message, which is one line itself.
std::string quoted(const std::string& text) {
  if (!is_utf8(text)) return "text that is not UTF-8";
  std::size_t end = std::min(text.size(), kLongestName);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return '"' + protocol::printable(text.substr(0, end)) + '"';
}

[[noreturn]] void refuse(const std::string& text, const std::string& reason) {
  throw Error(ErrorKind::usage, quoted(text) + reason);
}

}  // namespace

void check_name(const std::string& name) {
  if (name.empty() || name.size() > kLongestName || !is_one_line(name))
    refuse(name, fmt::format(" cannot be a name: a name is one line of UTF-8 text, 1 to {} bytes long",
                             kLongestName));
  if (name == "latest") refuse(name, " cannot be a name: it stands for the newest run");
}

void check_tag(const std::string& tag) {
  if (tag.empty() || tag.size() > kLongestTag || tag.find(',') != std::string::npos || !is_one_line(tag))
    refuse(tag, fmt::format(" cannot be a tag: a tag has 1 to {} bytes, without commas and line breaks",
                            kLongestTag));
}

void check_group(const std::string& group) {
  if (group.size() > kLongestName || !is_one_line(group))
    refuse(group, fmt::format(" cannot be a group: a group is one line of UTF-8 text, at most {} bytes long",
                              kLongestName));
}

void check_note(const std::string& note) {
  if (note.size() > kLongestNote)
    throw Error(ErrorKind::usage,
                fmt::format("the note has {} bytes; at most {} are allowed", note.size(), kLongestNote));
  if (!is_utf8(note)) throw Error(ErrorKind::usage, "the note is not UTF-8 text");
}

void check_series(std::string_view series) {
  if (series.empty()) throw Error(ErrorKind::usage, "a series has no name");
  if (series.size() > kLongestSeries)
    refuse(std::string(series),
           fmt::format(" cannot be the name of a series: it has {} bytes; at most {} are allowed",
                       series.size(), kLongestSeries));
}

std::vector<std::string> parse_tags(std::string_view text) {
  std::vector<std::string> tags;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    if (word.empty()) continue;
    check_tag(tags.emplace_back(word));
  }
  return tags;
}

}  // namespace batchscope::storage
