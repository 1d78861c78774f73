// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace batchscope::run {

// How a part of the supervisor tells people something: a sentence, and its level. "error": the run, or what
// was asked of it, has failed; "warning": something is lost, or not as it was asked for; "info": what whoever
// watches wants to know; "debug": what explains a fault afterwards.
using Tell = std::function<void(const std::string& level, const std::string& text)>;

}  // namespace batchscope::run
