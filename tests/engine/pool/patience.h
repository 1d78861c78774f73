// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace batchscope::pool {

inline constexpr int kPatience = 20'000;  // ms, for what a busy machine does later

}  // namespace batchscope::pool
