// SPDX-License-Identifier: Apache-2.0
#include "log/last_words.h"

#include <QFile>
#include <algorithm>
#include <utility>
#include <vector>

#include "batchscope/run/log_failure.h"

namespace batchscope::run {
namespace {

constexpr std::size_t kLongest = 300;  // bytes
constexpr std::string_view kBlank = " \t\r";
constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kThrown = "terminate called after throwing an instance of ";
constexpr std::string_view kWhat = "  what():  ";

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

// Returns the lines that are not blank.
std::vector<std::string_view> lines_of(std::string_view log) {
  std::vector<std::string_view> lines;
  while (!log.empty()) {
    const auto end = std::min(log.find('\n'), log.size());
    if (!trimmed(log.substr(0, end)).empty()) lines.push_back(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return lines;
}

// The frames of a traceback are indented; what follows them is the exception. Some launchers begin each line
// with the rank.
std::string exception_after(const std::vector<std::string_view>& lines, std::size_t traceback) {
  const std::size_t margin = lines[traceback].find(kTraceback);
  for (std::size_t i = traceback + 1; i < lines.size(); ++i) {
    const std::string_view line = lines[i].substr(std::min(margin, lines[i].size()));
    if (!line.empty() && kBlank.find(line.front()) == std::string_view::npos)
      return std::string(trimmed(line));
  }
  return {};
}

// "terminate called after throwing an instance of 'std::runtime_error'", and its text in the next line.
std::string exception_at(const std::vector<std::string_view>& lines, std::size_t thrown) {
  std::string_view type = trimmed(lines[thrown].substr(lines[thrown].find(kThrown) + kThrown.size()));
  if (type.size() > 2) type = type.substr(1, type.size() - 2);  // out of its quotes
  std::string text(type);
  if (thrown + 1 < lines.size() && lines[thrown + 1].starts_with(kWhat))
    text += ": " + std::string(trimmed(lines[thrown + 1].substr(kWhat.size())));
  return text;
}

struct Account {
  std::string_view begin;  // its first line
  std::string words;
};

Account find(const std::vector<std::string_view>& lines) {
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (lines[i].find(kThrown) != std::string_view::npos) return {lines[i], exception_at(lines, i)};
    if (lines[i].find(kTraceback) == std::string_view::npos) continue;
    if (std::string found = exception_after(lines, i); !found.empty()) return {lines[i], std::move(found)};
  }
  if (lines.empty()) return {};
  return {lines.back(), std::string(trimmed(lines.back()))};
}

}  // namespace

std::string log_tail(const std::filesystem::path& path, int lines) {
  constexpr qint64 kMost = 32 << 10;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  file.seek(std::max<qint64>(0, file.size() - kMost));
  // Through QString, so that a program's binary output cannot break a JSON message.
  const QString text = QString::fromUtf8(file.read(kMost)).remove(QChar(0)).trimmed();
  return text.section(QLatin1Char('\n'), -lines).toStdString();
}

std::string last_words(std::string_view log) {
  std::string text = find(lines_of(log)).words;
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a letter
  return text.substr(0, end) + "…";
}

std::size_t failure_offset(std::string_view log) {
  const std::string_view begin = find(lines_of(log)).begin;
  return begin.empty() ? 0 : static_cast<std::size_t>(begin.data() - log.data());
}

}  // namespace batchscope::run
