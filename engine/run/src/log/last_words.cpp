// SPDX-License-Identifier: Apache-2.0
#include "log/last_words.h"

#include <fmt/format.h>

#include <QFile>
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "batchscope/run/log_failure.h"

namespace batchscope::run {
namespace {

constexpr std::size_t kLongest = 300;  // bytes
constexpr std::string_view kBlank = " \t\r";
constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kFrame = "  File \"";
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

bool is_indented(std::string_view line) { return kBlank.find(line.front()) != std::string_view::npos; }

// Python names the place of an error of syntax without a traceback: the log ends with the place, the line and
// the exception. Returns the index of the place, or the number of lines where there is none.
std::size_t syntax_error(const std::vector<std::string_view>& lines) {
  if (lines.empty() || is_indented(lines.back())) return lines.size();
  for (std::size_t i = lines.size() - 1; i-- > 0 && is_indented(lines[i]);)
    if (lines[i].starts_with(kFrame)) return i;
  return lines.size();
}

struct Account {
  std::size_t begin = 0;  // index of its first line
  std::string words;
  bool is_python = false;  // an exception of Python
};

Account find(const std::vector<std::string_view>& lines) {
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (lines[i].find(kThrown) != std::string_view::npos) return {i, exception_at(lines, i)};
    if (lines[i].find(kTraceback) == std::string_view::npos) continue;
    if (std::string found = exception_after(lines, i); !found.empty()) return {i, std::move(found), true};
  }
  if (lines.empty()) return {};
  const std::string last(trimmed(lines.back()));
  if (const std::size_t place = syntax_error(lines); place < lines.size()) return {place, last, true};
  return {lines.size() - 1, last};
}

std::string shortened(std::string text) {
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a letter
  return text.substr(0, end) + "…";
}

// A frame of a traceback: its place, and below it the line of code.
using TracebackFrame = std::vector<std::string_view>;

// Frames of the interpreter, of installed packages and of batchscope's own are not the program's.
bool is_own(const TracebackFrame& frame) {
  constexpr std::array<std::string_view, 5> kOthers{"/site-packages/", "/dist-packages/", "/lib/python",
                                                    "\"<frozen ", "/python/batchscope/"};
  return std::none_of(kOthers.begin(), kOthers.end(), [&](std::string_view part) {
    return frame.front().find(part) != std::string_view::npos;
  });
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

std::string last_words(std::string_view log) { return shortened(find(lines_of(log)).words); }

std::string python_exception(std::string_view log) {
  Account account = find(lines_of(log));
  return account.is_python ? shortened(std::move(account.words)) : std::string();
}

std::size_t failure_offset(std::string_view log) {
  const auto lines = lines_of(log);
  return lines.empty() ? 0 : static_cast<std::size_t>(lines[find(lines).begin].data() - log.data());
}

std::string own_frames(std::string_view log, std::size_t most_lines) {
  const auto lines = lines_of(log);
  const Account account = find(lines);
  if (!account.is_python) return {};
  const std::size_t header = lines[account.begin].find(kTraceback);
  const bool has_header = header != std::string_view::npos;
  std::vector<TracebackFrame> frames;
  for (std::size_t i = account.begin + (has_header ? 1 : 0); i < lines.size(); ++i) {
    const std::string_view line = lines[i].substr(has_header ? std::min(header, lines[i].size()) : 0);
    if (line.empty() || !is_indented(line)) break;
    if (line.starts_with(kFrame)) frames.emplace_back();
    if (!frames.empty()) frames.back().push_back(line);
  }
  if (std::any_of(frames.begin(), frames.end(), is_own))
    std::erase_if(frames, [](const TracebackFrame& frame) { return !is_own(frame); });
  std::string text;
  std::size_t count = 0;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    count += frame->size();
    if (count > most_lines) break;
    text = fmt::format("{}\n{}", fmt::join(*frame, "\n"), text);
  }
  return text;
}

}  // namespace batchscope::run
