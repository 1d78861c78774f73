// SPDX-License-Identifier: Apache-2.0
//
// Handwritten-looking digits, drawn instead of downloaded. Each digit has a few styles, a style is a few
// strokes, a stroke is a Catmull-Rom spline through control points. An image picks a style, moves every
// control point a little, applies a random affine map (rotation, shear, scale, shift), draws the strokes with
// a round pen of random width, and adds stray strokes and noise.
//
// The same seed gives the same bytes everywhere: std::mt19937_64 is specified exactly, the distributions are
// our own, and the only function of the mathematics library is sqrt, which IEEE 754 rounds exactly.
#pragma once

#include <cstdint>

#include "idx.h"

namespace batchscope::digits {

inline constexpr std::uint32_t kSide = 28;  // pixels

// Draws `count` images of kSide x kSide, ink 255 on background 0. Another `stream` of the same seed gives
// other images.
LabelledImages draw_digits(std::uint64_t seed, std::uint64_t stream, std::uint32_t count);

}  // namespace batchscope::digits
