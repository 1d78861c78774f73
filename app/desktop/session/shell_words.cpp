// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/shell_words.h"

#include <string_view>
#include <utility>

#include "batchscope/common/shell_words.h"

namespace batchscope::desktop {

QString shellWords(const std::vector<std::string>& words) {
  return QString::fromStdString(common::shellWords(words));
}

QString commandOf(const protocol::RunSpec& spec) {
  std::vector<std::string> words{spec.program};
  words.insert(words.end(), spec.arguments.begin(), spec.arguments.end());
  return shellWords(words);
}

std::optional<std::vector<std::string>> parseShellWords(const QString& text) {
  std::vector<std::string> words;
  std::string word;
  bool isWord = false;
  char quote = 0;  // that is open
  const std::string bytes = text.toStdString();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    const bool escapes =
        c == '\\' && quote != '\'' && i + 1 < bytes.size() &&
        (quote == 0 || std::string_view("$`\"\\").find(bytes[i + 1]) != std::string_view::npos);
    if (escapes) {
      word += bytes[++i];
      isWord = true;
    } else if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
      isWord = true;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      if (isWord) words.push_back(std::exchange(word, {}));
      isWord = false;
    } else {
      word += c;
      isWord = true;
    }
  }
  if (quote != 0) return {};
  if (isWord) words.push_back(word);
  return words;
}

}  // namespace batchscope::desktop
