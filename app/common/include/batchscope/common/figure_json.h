// SPDX-License-Identifier: Apache-2.0
/// \file
/// A figure as JSON, for a page that draws it (app/web/server/API.md).
#pragma once

#include "batchscope/common/figure_data.h"
#include "batchscope/protocol/json.h"

namespace batchscope::common {

/// Returns the figure without its table. Numbers that are not finite are null, fields that have their default
/// value are left out.
protocol::Json figureJson(const FigureData& figure);

}  // namespace batchscope::common
