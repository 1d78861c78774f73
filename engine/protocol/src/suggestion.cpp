// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/suggestion.h"

#include <algorithm>

namespace batchscope::protocol {
namespace {

constexpr std::size_t kLongestName = 64;

// Rows of the classic table; the one before last is kept for transpositions of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> older(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], older[j - 2] + 1);
    }
    older.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest;
  if (word.size() > kLongestName) return nearest;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestName) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < fewest) {
      fewest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  if (nearest.empty()) return {};
  return "; did you mean " + nearest + "?";
}

}  // namespace batchscope::protocol
