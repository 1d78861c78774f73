// SPDX-License-Identifier: Apache-2.0
//
// A few lines at the end of a terminal's text that are redrawn in place, while other lines scroll by above
// them.
#pragma once

#include <string>
#include <vector>

namespace batchscope::cli {

class LiveBlock {
 public:
  // Draws the lines in place of those before.
  void draw(std::vector<std::string> lines);
  // Prints lines above the block; the last one comes without its newline.
  void print(const std::string& lines);
  // Ends the block; its last state stays on the terminal.
  void finish() { lines_.clear(); }

 private:
  std::string rewind() const;
  std::string drawn() const;

  std::vector<std::string> lines_;
};

}  // namespace batchscope::cli
