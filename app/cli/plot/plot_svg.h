// SPDX-License-Identifier: Apache-2.0
//
// A plot as a picture: an SVG document of lines and texts, in colours that the colour-blind tell apart (Okabe
// and Ito).
#pragma once

#include <string>

#include "plot/plot_data.h"

namespace batchscope::cli {

struct PictureSize {
  int width = 960, height = 540;  // pixels
};

std::string plotSvg(const Plot& plot, const PictureSize& size);

}  // namespace batchscope::cli
