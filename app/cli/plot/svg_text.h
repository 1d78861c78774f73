// SPDX-License-Identifier: Apache-2.0
//
// Any text as it may stand in an SVG.
#pragma once

#include <string>

#include "text/format.h"

namespace batchscope::cli {

inline std::string svgText(const std::string& text) {
  std::string safe;
  for (const char c : printable(text)) switch (c) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  return safe;
}

}  // namespace batchscope::cli
