// SPDX-License-Identifier: Apache-2.0
/// \file
/// The unit in which a series is shown. Series that programs name themselves are plain numbers.
#pragma once

#include <string_view>

namespace batchscope::common {

/// The kind of a series' values.
enum class SeriesKind {
  number,    ///< no more is known
  fraction,  ///< of 1, shown in percent
  whole,     ///< a number of things, few enough to be counted
  count,     ///< a number of things, maybe of millions
  duration,  ///< s, shown in ms on an axis
  rate,      ///< samples a second
  time,      ///< s since 1970
};

SeriesKind kindOf(std::string_view series) noexcept;  ///< by its name (protocol/series.h)

/// A value times `factor` is in the unit of this name.
struct Unit {
  const char* name = "";  ///< "": none
  double factor = 1;      ///< of the recorded value
};

Unit unitOf(std::string_view series) noexcept;  ///< on an axis

}  // namespace batchscope::common
