// SPDX-License-Identifier: Apache-2.0
//
// Amounts as events say them.
#pragma once

#include <string>

namespace batchscope::run {

std::string on_replicas(int count);        // "1 replica", "3 replicas"
std::string seconds_text(double seconds);  // "0.62 s", "5 s", "120 s"

}  // namespace batchscope::run
