// SPDX-License-Identifier: Apache-2.0
//
// The abilities of the terminal behind a descriptor: its width, whether colours are wanted
// (https://no-color.org) and whether the locale is UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace batchscope::cli {

enum class Colour { none, bold, dim, red, green, yellow, blue };

struct Style {
  int width = 80;
  bool colour = false;
  bool utf8 = true;

  // Returns the text in a colour, if colours are wanted.
  std::string paint(std::string_view text, Colour with) const;
};

bool isTerminal(int descriptor);

// Returns the lines of the terminal; 24 if it does not say.
int terminalHeight(int descriptor);

// Returns COLUMNS, else the terminal's width now, which may change between calls; unbounded if the descriptor
// is not a terminal.
Style terminalStyle(int descriptor);

// Sets the process's locale from the environment and remembers whether that is UTF-8. Call it first in main:
// QCoreApplication replaces any other locale.
void readLocale();

}  // namespace batchscope::cli
