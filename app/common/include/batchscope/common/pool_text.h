// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pool's policies in words, the same in window and page.
#pragma once

#include <QString>
#include <string>
#include <vector>

namespace batchscope::common {

/// A policy by which the pool shares its devices.
struct PolicyText {
  std::string name;  ///< one of protocol::kPoolPolicies
  QString title;     ///< "Fair"
  QString meaning;   ///< whom it favours, in a sentence without a full stop
};

/// Returns the policies that window and page offer. The others are for comparisons.
std::vector<PolicyText> usualPolicies();

}  // namespace batchscope::common
