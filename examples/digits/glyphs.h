// SPDX-License-Identifier: Apache-2.0
//
// The strokes with which people write the ten digits: control points in a box of width and height 1, y
// downwards. A corner is a point at which the pen stops and turns.
#pragma once

#include <vector>

namespace batchscope::digits {

struct ControlPoint {
  double x, y;
  bool corner = false;
};
using Stroke = std::vector<ControlPoint>;
using Glyph = std::vector<Stroke>;

// The styles of each digit, digits in order.
const std::vector<std::vector<Glyph>>& glyphs();

}  // namespace batchscope::digits
