// SPDX-License-Identifier: Apache-2.0
//
// A text as numbers. Words are split at white space; the end of a line is a word, too. The most frequent
// words have a number of their own, the others are <unk>. The last tenth is for validation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::examples {

struct Corpus {
  std::vector<std::string> vocabulary;  // by number, most frequent first, after <unk>
  std::vector<std::int64_t> train, validation;
};

// Throws Error(corrupt) for a text of fewer than 20 words; the message names `name`.
Corpus make_corpus(const std::string& text, std::size_t vocabulary, const std::string& name);

// Reads any text file. Throws as above, and Error(not_found).
Corpus read_corpus(const std::filesystem::path& file, std::size_t vocabulary);

}  // namespace batchscope::examples
