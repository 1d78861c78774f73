// SPDX-License-Identifier: Apache-2.0
//
// A few lines at the end of a terminal's text that are drawn over again in place, and above which others
// scroll by.
#pragma once

#include <string>
#include <vector>

namespace batchscope::cli {

class LiveBlock {
 public:
  // In the place of what was drawn before.
  void draw(std::vector<std::string> lines);
  // Lines above the block, without the last one's newline.
  void print(const std::string& lines);
  // The last drawing stays where it is.
  void finish() { lines_.clear(); }

 private:
  std::string rewind() const;
  std::string drawn() const;

  std::vector<std::string> lines_;
};

}  // namespace batchscope::cli
