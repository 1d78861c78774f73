// SPDX-License-Identifier: Apache-2.0
/// \file
/// "Did you mean": the known word that is fewest edits away (Levenshtein distance with transpositions).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchscope::protocol {

/// Returns the nearest known word; empty where none is within a third of the length, at least one edit, or
/// the word is longer than any name (64 bytes). Pure; takes time in the product of both lengths.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

/// Returns the end of a sentence: "; did you mean WORD?", or nothing where no known word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace batchscope::protocol
