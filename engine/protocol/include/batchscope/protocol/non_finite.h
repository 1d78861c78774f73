// SPDX-License-Identifier: Apache-2.0
/// \file
/// The policy for a step with NaN or infinity in its gradient. All replicas find the same, because they look
/// at the averaged gradient; the step is not applied on any of them.
#pragma once

#include <string>

namespace batchscope::protocol {

/// The policy, `batchscope run --non-finite`.
enum class NonFinite {
  skip,     ///< training goes on with the next step
  stop,     ///< the run fails, and can be resumed from its last checkpoint
  restore,  ///< the run goes back to its last checkpoint, within its restart budget
};

/// Returns "skip", "stop" or "restore".
const char* non_finite_name(NonFinite policy) noexcept;
/// Reads a policy's name. Throws Error(usage) quoting the text.
NonFinite parse_non_finite(const std::string& text);

}  // namespace batchscope::protocol
