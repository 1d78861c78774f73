// SPDX-License-Identifier: Apache-2.0
/// \file
/// The charts of a run as JSON, for a page that draws them and for scripts.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/json.h"

namespace batchscope::common {

/// Returns the charts of a run that has recorded these series, those of its devices last:
/// [{"name":"gain","title":"Gain","unit":"between 1 and S","isUsual":true,"base":1,"bound":1,"lines":[
/// {"series":"gain","label":"gain","colour":0,"factor":1,"isSmoothed":true},..]},..]. `isUsual` says whether
/// the chart is shown without being chosen. Other flags are left out where they are false. `isMain` marks the
/// line that the title names. A line's series is recorded, or one of derived_series.h.
protocol::Json chartsJson(const std::vector<std::string>& recorded);

}  // namespace batchscope::common
