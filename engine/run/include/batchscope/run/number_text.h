// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers as events and commands write them: few digits, thousands grouped, powers of ten where a number is
/// very large or very small.
#pragma once

#include <string>

namespace batchscope::run {

/// Returns a number with four significant digits: "18,410", "941.4", "0.02134", "1.5 × 10⁻⁵", "nan", "-inf".
/// Never throws.
std::string number_text(double value);

/// Returns a number with the range in which it is expected, by the error of a prediction (prediction.h):
/// "18,410 (14,700 to 23,060)"; the number alone where the error is not positive. Never throws.
std::string range_text(double value, double error);

/// Returns the relative change of an amount as text: "−3 %", "+12 %", "0 %". Never throws.
std::string change_text(double share);

}  // namespace batchscope::run
