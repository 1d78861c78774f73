// SPDX-License-Identifier: Apache-2.0
/// \file
/// The charts of a run as JSON, for a page that draws them and for scripts.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/json.h"

namespace batchscope::common {

/// The charts of a run in which these series are recorded, those of its devices last:
/// [{"name":"gain","title":"Gain","unit":"between 1 and S","isUsual":true,"base":1,"bound":1,"lines":[
/// {"series":"gain","label":"gain","colour":0,"factor":1,"isSmoothed":true},..]},..]. `isUsual` says whether
/// it is shown unasked. What is true of few is left out where it is not. A line may have `minus` or `over`,
/// the series that is taken away from its own, or by which that is divided; a chart with lines that are
/// derived in another way is not there. Of a chart with a subject `isMain` marks that line.
protocol::Json chartsJson(const std::vector<std::string>& recorded);

}  // namespace batchscope::common
