// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the known word that is fewest edits away (Levenshtein distance with transpositions).
#pragma once

#include <string>
#include <vector>

namespace batchscope::cli {

// Empty where no known word is within a third of the length, at least one edit.
std::string nearestWord(const std::string& word, const std::vector<std::string>& known);

}  // namespace batchscope::cli
