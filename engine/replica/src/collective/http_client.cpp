// SPDX-License-Identifier: Apache-2.0
#include "collective/http_client.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "batchscope/protocol/error.h"
#include "collective/socket.h"

namespace batchscope::replica {
namespace {

constexpr std::string_view kScheme = "http://", kEndOfHead = "\r\n\r\n";
constexpr std::size_t kMostBytes = 64 << 10;

struct Url {
  std::string authority;  // as written
  std::string address;    // "tcp:HOST:PORT"
  std::string path;       // empty, or from its slash on
};

Url parse(const std::string& text) {
  const auto slash = text.find('/', kScheme.size());
  Url url;
  if (text.starts_with(kScheme)) url.authority = text.substr(kScheme.size(), slash - kScheme.size());
  if (url.authority.empty() || text.find_first_of(" \r\n?#") != std::string::npos)
    throw Error(ErrorKind::usage, "'" + text + "': expected http://HOST:PORT/PATH");
  if (slash != std::string::npos) url.path = text.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  const bool has_port = url.authority.find(':') != std::string::npos;
  url.address = "tcp:" + url.authority + (has_port ? "" : ":80");
  return url;
}

[[noreturn]] void silent(const std::string& url) {
  throw Error(ErrorKind::timeout, url + " does not answer");
}

// All that comes before the connection ends. By the byte: an answer is a line or two.
std::string receive_all(Socket& socket, Deadline deadline, const std::string& url) {
  std::string text;
  for (char byte = 0;;) {
    const Transfer got = socket.receive(&byte, 1, deadline);
    if (got == Transfer::timed_out) silent(url);
    if (got == Transfer::closed) return text;
    if (text.size() == kMostBytes) throw Error(ErrorKind::io, url + " answers without an end");
    text += byte;
  }
}

HttpAnswer read_answer(const std::string& text, const std::string& url) {
  constexpr std::string_view kVersion = "HTTP/1.x ";
  HttpAnswer answer;
  const auto head = text.find(kEndOfHead);
  if (text.empty()) throw Error(ErrorKind::io, url + " closed the connection");
  const std::string_view status = std::string_view(text).substr(std::min(text.size(), kVersion.size()));
  if (head == std::string::npos || !text.starts_with("HTTP/1.") ||
      std::from_chars(status.begin(), status.end(), answer.status).ptr != status.begin() + 3)
    throw Error(ErrorKind::io, url + " does not answer in HTTP");
  answer.body = text.substr(head + kEndOfHead.size());
  return answer;
}

}  // namespace

HttpAnswer http_request(const std::string& method, const std::string& url, const std::string& path,
                        const std::string& json, std::chrono::milliseconds timeout) {
  const Url to = parse(url);
  const Deadline deadline = std::chrono::steady_clock::now() + timeout;
  std::string head = method + " " + to.path + path + " HTTP/1.0\r\nHost: " + to.authority + "\r\n";
  if (!json.empty())
    head += "Content-Type: application/json\r\nContent-Length: " + std::to_string(json.size()) + "\r\n";
  Socket socket = connect_to(to.address, deadline);
  if (socket.send(head + "\r\n" + json, deadline) == Transfer::timed_out) silent(url);
  return read_answer(receive_all(socket, deadline, url), url);
}

}  // namespace batchscope::replica
