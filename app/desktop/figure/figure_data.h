// SPDX-License-Identifier: GPL-3.0-or-later
//
// Figures as data (common/figure_data.h), with their colours in the window.
#pragma once

#include "batchscope/common/figure_data.h"
#include "look/theme.h"

namespace batchscope::desktop {

using common::cellOf;
using common::FigureAxis;
using common::FigureCell;
using common::FigureData;
using common::FigureNote;
using common::FigurePart;
using common::FigurePoint;
using common::FigureSeries;
using common::FigureTable;
using common::Ink;
using common::isSame;
using common::Tick;

QColor colourOf(const Ink& ink, const Theme& theme);

}  // namespace batchscope::desktop
