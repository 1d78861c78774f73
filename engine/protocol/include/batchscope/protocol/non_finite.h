// SPDX-License-Identifier: Apache-2.0
/// \file
/// What becomes of a step whose gradient holds NaN or infinity. The replicas find the same, because they look
/// at what they have averaged; the step is applied on none of them.
#pragma once

#include <string>

namespace batchscope::protocol {

/// The policy, `batchscope run --non-finite`.
enum class NonFinite {
  skip,     ///< training goes on with the next step
  stop,     ///< the run fails, and can be resumed from its last checkpoint
  restore,  ///< the run goes back to its last checkpoint, within its restart budget
};

/// "skip", "stop", "restore".
const char* non_finite_name(NonFinite policy) noexcept;
/// Throws Error(usage) quoting the text.
NonFinite parse_non_finite(const std::string& text);

}  // namespace batchscope::protocol
