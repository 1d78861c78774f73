// SPDX-License-Identifier: Apache-2.0
#include "text/program_text.h"

#include <algorithm>

#include "text/format.h"

namespace batchscope::cli {
namespace {

constexpr char kEscape = '\x1b', kBell = '\a';
constexpr std::size_t kTabStop = 8;

// Returns the length of the control sequence at the beginning of a text: ESC [ up to its final byte, ESC ] up
// to BEL or ESC \, else the two bytes of a short one.
std::size_t sequenceLength(std::string_view text) {
  if (text.size() < 2) return text.size();
  std::size_t end = 2;
  if (text[1] == '[') {
    while (end < text.size() && text[end] >= 0x20 && text[end] < 0x40) ++end;
    return std::min(end + 1, text.size());
  }
  if (text[1] != ']') return end;
  while (end < text.size() && text[end] != kBell && text[end] != kEscape) ++end;
  return std::min(end + (end < text.size() && text[end] == kEscape ? 2 : 1), text.size());
}

std::string withoutSequences(std::string_view text) {
  std::string rest;
  for (std::size_t begin = text.find(kEscape); begin != std::string_view::npos; begin = text.find(kEscape)) {
    rest += text.substr(0, begin);
    text.remove_prefix(begin);
    text.remove_prefix(sequenceLength(text));
  }
  return rest += text;
}

}  // namespace

std::string shownLine(std::string_view line) {
  line = line.substr(0, line.find_last_not_of('\r') + 1);
  line = line.substr(line.rfind('\r') + 1);  // of npos: 0
  const std::string text = withoutSequences(line);
  std::string shown;
  std::size_t column = 0;
  for (std::size_t begin = 0;;) {
    const std::size_t tab = text.find('\t', begin);
    const std::string piece = printable(std::string_view(text).substr(begin, tab - begin));
    shown += piece;
    if (tab == std::string::npos) return shown;
    column += static_cast<std::size_t>(displayWidth(piece));
    const std::size_t blanks = kTabStop - column % kTabStop;
    shown.append(blanks, ' ');
    column += blanks;
    begin = tab + 1;
  }
}

}  // namespace batchscope::cli
