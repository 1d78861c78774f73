// SPDX-License-Identifier: Apache-2.0
#include "corpus.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::examples {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    for (std::string word; in >> word;) words.push_back(word);
    words.emplace_back("<eos>");
  }
  return words;
}

}  // namespace

Corpus make_corpus(const std::string& text, std::size_t vocabulary, const std::string& name) {
  const auto words = words_of(text);
  if (words.size() < 20)
    throw Error(ErrorKind::corrupt, name + ": a text of at least 20 words is needed, this one has " +
                                        std::to_string(words.size()));
  std::map<std::string, std::size_t> counts;
  for (const auto& word : words) ++counts[word];
  std::vector<std::pair<std::string, std::size_t>> by_count(counts.begin(), counts.end());
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });

  Corpus corpus{{"<unk>"}, {}, {}};
  std::map<std::string, std::int64_t> numbers;
  for (const auto& [word, count] : by_count) {
    if (corpus.vocabulary.size() > vocabulary) break;
    numbers[word] = static_cast<std::int64_t>(corpus.vocabulary.size());
    corpus.vocabulary.push_back(word);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto known = numbers.find(words[i]);
    (i < words.size() / 10 * 9 ? corpus.train : corpus.validation)
        .push_back(known == numbers.end() ? 0 : known->second);
  }
  return corpus;
}

Corpus read_corpus(const std::filesystem::path& file, std::size_t vocabulary) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw Error(ErrorKind::not_found, file.string() + ": cannot be read: name a text file");
  return make_corpus({std::istreambuf_iterator<char>(in), {}}, vocabulary, file.string());
}

}  // namespace batchscope::examples
