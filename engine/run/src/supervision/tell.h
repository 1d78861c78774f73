// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace batchscope::run {

// How a part of the supervisor tells people something: "info", "warning" or "error", and a sentence.
using Tell = std::function<void(const std::string& level, const std::string& text)>;

}  // namespace batchscope::run
