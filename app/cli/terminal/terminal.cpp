// SPDX-License-Identifier: Apache-2.0
#include "terminal/terminal.h"

#include <fmt/core.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <clocale>
#include <cstdlib>
#include <cstring>

namespace batchscope::cli {
namespace {

constexpr int kDefaultWidth = 80;  // of a terminal that does not say
constexpr int kDefaultHeight = 24;
constexpr int kUnbounded = 1 << 20;

bool localeIsUtf8 = true;

// Renditions by Colour (ECMA-48, "select graphic rendition").
constexpr std::array kRenditions{"0", "1", "2", "31", "32", "33", "34"};

int widthOf(int descriptor) {
  if (const char* columns = std::getenv("COLUMNS"))
    if (const int width = std::atoi(columns); width > 0) return width;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return isTerminal(descriptor) ? kDefaultWidth : kUnbounded;
}

bool wantsColour(int descriptor) {
  const char* noColour = std::getenv("NO_COLOR");
  if (noColour != nullptr && *noColour != '\0') return false;
  const char* term = std::getenv("TERM");
  return isTerminal(descriptor) && term != nullptr && std::strcmp(term, "dumb") != 0;
}

}  // namespace

std::string Style::paint(std::string_view text, Colour with) const {
  if (!colour || with == Colour::none || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kRenditions.at(static_cast<std::size_t>(with)), text);
}

bool isTerminal(int descriptor) { return isatty(descriptor) == 1; }

int terminalHeight(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : kDefaultHeight;
}

Style terminalStyle(int descriptor) { return {widthOf(descriptor), wantsColour(descriptor), localeIsUtf8}; }

void readLocale() {
  std::setlocale(LC_CTYPE, "");
  localeIsUtf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

}  // namespace batchscope::cli
