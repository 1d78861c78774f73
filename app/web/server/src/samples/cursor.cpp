// SPDX-License-Identifier: Apache-2.0
#include "samples/cursor.h"

#include <QByteArray>
#include <algorithm>
#include <charconv>
#include <vector>

namespace batchscope::web {
namespace {

constexpr std::size_t kLongest = 6000;  // of a request's head the most may be a cursor

// Escapes a name, so that it holds neither an id's end nor a separator of ours.
std::string escaped(const std::string& name) {
  return QByteArray::fromStdString(name).toPercentEncoding().toStdString();
}

std::string unescaped(std::string_view text) {
  return QByteArray::fromPercentEncoding(QByteArray(text.data(), static_cast<qsizetype>(text.size())))
      .toStdString();
}

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(';');
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string Cursor::text() const {
  std::map<std::int64_t, int> counts;  // how many series have this place
  for (const auto& [name, place] : places) ++counts[place.count];
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::int64_t usual = most == counts.end() ? 0 : most->first;
  std::int64_t first = INT64_MAX;
  for (const auto& [name, place] : places)
    if (place.count == usual) first = std::min(first, place.first_step);
  if (places.empty()) first = -1;
  std::string text = std::to_string(generation) + ';' + std::to_string(usual) + ';' + std::to_string(first);
  for (const auto& [name, place] : places)
    if (place.count != usual || place.first_step > first)
      text += ';' + escaped(name) + '=' + std::to_string(place.count);
  return text;
}

std::optional<KnownPlaces> KnownPlaces::parse(std::string_view text) {
  if (text.size() > kLongest) return std::nullopt;
  const std::vector<std::string_view> parts = split(text);
  KnownPlaces known;
  if (parts.size() < 3 || !read(parts[0], known.generation_) || !read(parts[1], known.usual_) ||
      !read(parts[2], known.usual_first_))
    return std::nullopt;
  for (std::size_t i = 3; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    std::int64_t count = 0;
    if (equals == std::string_view::npos || !read(parts[i].substr(equals + 1), count)) return std::nullopt;
    known.others_[unescaped(parts[i].substr(0, equals))] = count;
  }
  return known;
}

std::int64_t KnownPlaces::of(const std::string& series, std::int64_t first_step) const {
  const auto found = others_.find(series);
  const std::int64_t count = found != others_.end() ? found->second : first_step <= usual_first_ ? usual_ : 0;
  return std::max<std::int64_t>(count, 0);
}

}  // namespace batchscope::web
