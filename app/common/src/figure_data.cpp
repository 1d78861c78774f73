// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/figure_data.h"

namespace batchscope::common {

FigureTable::Cell cellOf(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

}  // namespace batchscope::common
