// SPDX-License-Identifier: Apache-2.0
#include "batchscope/http/request.h"

#include <QByteArray>
#include <QUrl>
#include <algorithm>
#include <charconv>

namespace batchscope::http {
namespace {

constexpr std::string_view kEndOfLine = "\r\n", kEndOfHead = "\r\n\r\n";

[[noreturn]] void malformed(const std::string& what) { throw Fault{400, what}; }

// A method or a field's name: what RFC 9110 calls a token.
bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > ' ' && c < 127 &&
           std::string_view("\"(),/:;<=>?@[\\]{}").find(static_cast<char>(c)) == std::string_view::npos;
  });
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string decoded(std::string_view text) {
  return QByteArray::fromPercentEncoding(QByteArray(text.data(), static_cast<qsizetype>(text.size())))
      .toStdString();
}

// Decodes a value of a query, in which forms write a blank as "+".
std::string decoded_value(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return decoded(text);
}

// Calls take(part) for each part between the separators.
template <class Take>
void for_each_part(std::string_view text, char separator, Take&& take) {
  for (;;) {
    const std::size_t end = text.find(separator);
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::string> Request::value(std::string_view name) const {
  const auto found =
      std::find_if(query.begin(), query.end(), [&](const auto& item) { return item.first == name; });
  return found == query.end() ? std::nullopt : std::optional(found->second);
}

std::string_view Request::field(std::string_view name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : found->second;
}

std::optional<Request> RequestReader::feed(std::string_view bytes) {
  bytes_ += bytes;
  if (!body_at_) {
    const auto end = bytes_.find(kEndOfHead);
    if (std::min(end, bytes_.size()) > kMostHead)
      throw Fault{431, "the head of a request must be at most " + std::to_string(kMostHead) + " bytes"};
    if (end == std::string::npos) return std::nullopt;
    read_head(std::string_view(bytes_).substr(0, end));
    if (on_head) on_head(request_);
    body_at_ = end + kEndOfHead.size();
  }
  const std::size_t size = body_size_.value_or(0);
  if (bytes_.size() - *body_at_ < size) return std::nullopt;
  request_.body = bytes_.substr(*body_at_, size);
  return std::move(request_);
}

void RequestReader::read_head(std::string_view head) {
  const auto line_end = [&] { return std::min(head.find(kEndOfLine), head.size()); };
  const auto cut = [&](std::size_t end) {
    head.remove_prefix(std::min(end + kEndOfLine.size(), head.size()));
  };
  const std::size_t end = line_end();
  read_request_line(head.substr(0, end));
  for (cut(end); !head.empty();) {
    const std::size_t field_end = line_end();
    read_field(head.substr(0, field_end));
    cut(field_end);
  }
}

void RequestReader::read_request_line(std::string_view line) {
  const auto first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    malformed("the first line must be METHOD /PATH HTTP/1.1");
  const std::string_view version = line.substr(last + 1);
  if (!version.starts_with("HTTP/")) malformed("the first line must be METHOD /PATH HTTP/1.1");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") throw Fault{505, "this server speaks HTTP/1.1"};
  request_.method = line.substr(0, first);
  if (!is_token(request_.method)) malformed("the method cannot be read");
  read_target(line.substr(first + 1, last - first - 1));
}

void RequestReader::read_target(std::string_view target) {
  const QUrl url =
      QUrl::fromEncoded(QByteArray(target.data(), static_cast<qsizetype>(target.size())), QUrl::StrictMode);
  if (!target.starts_with('/') || target.starts_with("//") || !url.isValid())
    malformed("the path cannot be read");
  request_.target = target;
  for_each_part(url.path(QUrl::FullyEncoded).mid(1).toStdString(), '/',
                [&](std::string_view segment) { request_.path.push_back(decoded(segment)); });
  for_each_part(url.query(QUrl::FullyEncoded).toStdString(), '&', [&](std::string_view item) {
    const std::size_t equals = std::min(item.find('='), item.size());
    if (!item.empty())
      request_.query.emplace_back(decoded_value(std::string(item.substr(0, equals))),
                                  decoded_value(std::string(item.substr(std::min(equals + 1, item.size())))));
  });
}

void RequestReader::read_field(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
    malformed("a header line must be NAME: VALUE");
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "transfer-encoding")
    throw Fault{501, "send Content-Length: this server knows no transfer encoding"};
  if (name == "content-length") return read_length(value);
  const auto [field, is_first] = request_.fields.emplace(name, value);
  if (is_first) return;
  if (name == "host") malformed("a request must have exactly one Host");
  field->second.append(name == "cookie" ? "; " : ", ").append(value);
}

void RequestReader::read_length(std::string_view value) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
  if (error == std::errc::invalid_argument || end != value.data() + value.size() ||
      (body_size_ && *body_size_ != size))
    malformed("Content-Length must be one number of bytes");
  if (error != std::errc() || size > kMostBody)
    throw Fault{413, "the body of a request must be at most " + std::to_string(kMostBody) + " bytes"};
  body_size_ = size;
}

}  // namespace batchscope::http
