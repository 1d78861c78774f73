// SPDX-License-Identifier: Apache-2.0
/// \file
/// One HTTP/1.1 request, read as its bytes arrive: a head of at most 8 KiB, and a body of at most 64 KiB,
/// with its length in the head (RFC 9112, sections 2 to 6). Chunked bodies and folded header lines are
/// refused: a server on loopback does not need them. A connection carries one request.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchscope::http {

/// A request, or the head of one whose body has not come yet.
struct Request {
  std::string method;                                      ///< as it was sent: "GET"
  std::string target;                                      ///< path and query as they were sent
  std::vector<std::string> path;                           ///< segments, decoded; "/a/b%20c" is {"a", "b c"}
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in their order
  std::map<std::string, std::string, std::less<>> fields;  ///< of the head, by their names in lower case
  std::string body;                                        ///< any bytes

  /// Returns the first value of this name in the query; none where there is none.
  std::optional<std::string> value(std::string_view name) const;
  /// Returns a field of the head, by its name in lower case; empty where there is none.
  std::string_view field(std::string_view name) const;
};

/// The reason why a request is refused, as a status code and a sentence. It is thrown.
struct Fault {
  int status;             ///< 400 to 599
  std::string text;       ///< a sentence, the answer's {"error": text}
  std::string page = {};  ///< HTML that is the answer instead, where a person looks at it; empty: none
};

/// Reads one request.
class RequestReader {
 public:
  /// Called with a request whose body may not have come yet; may throw Fault to refuse the request.
  std::function<void(const Request& head)> on_head;

  /// Largest head and body, in bytes.
  static constexpr std::size_t kMostHead = 8u << 10, kMostBody = 64u << 10;

  /// Takes bytes, and returns the request once it is whole; must not be called again then. Throws Fault,
  /// after which nothing can be read.
  std::optional<Request> feed(std::string_view bytes);

 private:
  void read_head(std::string_view head);
  void read_request_line(std::string_view line);
  void read_target(std::string_view target);
  void read_field(std::string_view line);
  void read_length(std::string_view value);

  std::string bytes_;
  std::optional<std::size_t> body_at_;
  std::optional<std::size_t> body_size_;
  Request request_;
};

}  // namespace batchscope::http
