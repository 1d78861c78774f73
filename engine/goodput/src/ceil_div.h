// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace batchscope::goodput {

// a / b rounded up, of what is not negative.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace batchscope::goodput
