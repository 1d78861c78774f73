// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arguments of a program as one types them in a shell.
#pragma once

#include <span>
#include <string>

namespace batchscope::common {

/// Joins the words with spaces, each in single quotes where a shell would read it as anything else.
std::string shellWords(std::span<const std::string> words);

}  // namespace batchscope::common
