// SPDX-License-Identifier: Apache-2.0
#include "adaptdl/http_request.h"

#include <QUrl>
#include <QUrlQuery>
#include <algorithm>
#include <charconv>

namespace batchscope::run {
namespace {

constexpr std::string_view kEndOfLine = "\r\n", kEndOfHead = "\r\n\r\n";

[[noreturn]] void malformed(const std::string& what) { throw HttpFault{400, what}; }

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

bool same_name(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

std::optional<HttpRequest> HttpRequestReader::feed(std::string_view bytes) {
  bytes_ += bytes;
  if (!body_at_) {
    const auto end = bytes_.find(kEndOfHead);
    if (std::min(end, bytes_.size()) > kMostHead)
      throw HttpFault{431, "the head of a request is at most " + std::to_string(kMostHead) + " bytes"};
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

void HttpRequestReader::read_head(std::string_view head) {
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

void HttpRequestReader::read_request_line(std::string_view line) {
  const auto first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) malformed("no request line: METHOD /PATH HTTP/1.1");
  const std::string_view version = line.substr(last + 1), target = line.substr(first + 1, last - first - 1);
  if (!version.starts_with("HTTP/")) malformed("no request line: METHOD /PATH HTTP/1.1");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") throw HttpFault{505, "this server speaks HTTP/1.1"};
  request_.method = line.substr(0, first);
  const QUrl url =
      QUrl::fromEncoded(QByteArray(target.data(), static_cast<qsizetype>(target.size())), QUrl::StrictMode);
  if (!is_token(request_.method) || !target.starts_with('/') || target.starts_with("//") || !url.isValid())
    malformed("no method, or no path, that could be read");
  for (const QString& segment : url.path(QUrl::FullyEncoded).mid(1).split('/'))
    request_.path.push_back(QUrl::fromPercentEncoding(segment.toLatin1()).toStdString());
  const QUrlQuery query(url);
  if (query.hasQueryItem("timeout")) request_.timeout = query.queryItemValue("timeout").toStdString();
}

void HttpRequestReader::read_field(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
    malformed("a header line is NAME: VALUE");
  const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
  if (same_name(name, "transfer-encoding"))
    throw HttpFault{501, "say Content-Length; no transfer encoding is known here"};
  if (!same_name(name, "content-length")) return;
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
  if (error == std::errc::invalid_argument || end != value.data() + value.size() ||
      (body_size_ && *body_size_ != size))
    malformed("Content-Length is one number of bytes");
  if (error != std::errc() || size > kMostBody)
    throw HttpFault{413, "the body of a request is at most " + std::to_string(kMostBody) + " bytes"};
  body_size_ = size;
}

}  // namespace batchscope::run
