// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/text.h"

#include <cstddef>

namespace batchscope::protocol {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // bytes; 0: no UTF-8
};

// The first character of a text that is not empty (RFC 3629).
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return {};
  char32_t code = byte(0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (is_overlong || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return {};
  return {code, length};
}

bool does_something(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string cleaned(std::string_view text, bool keeps_lines) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.length == 0)
      clean += kReplacement;
    else if (does_something(character.code) && !(keeps_lines && character.code == U'\n'))
      clean += ' ';
    else
      clean += text.substr(0, character.length);
    text.remove_prefix(character.length == 0 ? 1 : character.length);
  }
  return clean;
}

}  // namespace

std::string printable(std::string_view text) { return cleaned(text, false); }

std::string printable_lines(std::string_view text) { return cleaned(text, true); }

}  // namespace batchscope::protocol
