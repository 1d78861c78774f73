// SPDX-License-Identifier: Apache-2.0
#include "terminal/live_block.h"

#include <fmt/core.h>

#include "terminal/standard_output.h"

namespace batchscope::cli {

void LiveBlock::draw(std::vector<std::string> lines) {
  const std::string begin = rewind();
  lines_ = std::move(lines);
  show(begin + drawn());
}

// All of the block is cleared first: the terminal may wrap a line.
void LiveBlock::print(const std::string& lines) { show(rewind() + "\x1b[J" + lines + '\n' + drawn()); }

// Returns the codes that move to the block's first line.
std::string LiveBlock::rewind() const { return lines_.empty() ? "" : fmt::format("\x1b[{}F", lines_.size()); }

std::string LiveBlock::drawn() const {
  std::string text;
  for (const std::string& line : lines_) text += "\x1b[K" + line + '\n';
  return text + "\x1b[J";
}

}  // namespace batchscope::cli
