// SPDX-License-Identifier: Apache-2.0
//
// A text to learn from, generated instead of downloaded: sentences of a small grammar over invented words. It
// has short dependencies (articles, adjectives and nouns), longer ones (a verb agrees with its subject across
// a clause) and long ones (a paragraph keeps to one of a few subjects, each with its own words). Words of a
// kind are drawn by their rank, the first ones most often, as in real texts.
//
// The same seed gives the same text everywhere: std::mt19937_64 is specified exactly, and only whole numbers
// are made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace batchscope::examples {

// Returns a text of at least so many words, a sentence a line.
std::string written_text(std::uint64_t seed, std::size_t words);

}  // namespace batchscope::examples
