// SPDX-License-Identifier: Apache-2.0
//
// One HTTP/1.1 request, read as its bytes arrive: a head of at most 8 KiB, and a body of at most 64 KiB whose
// length the head says (RFC 9112, sections 2 to 6). What a supervisor on loopback has no use for is refused:
// chunked bodies, folded header lines. There is one request a connection.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::run {

struct HttpRequest {
  std::string method;
  std::vector<std::string> path;       // its segments, decoded; "/a/b%20c" is {"a", "b c"}
  std::optional<std::string> timeout;  // of the query, the only thing that anybody asks for there
  std::string body;
};

// Why a request is no good, as a status code and a sentence.
struct HttpFault {
  int status;
  std::string text;
};

class HttpRequestReader {
 public:
  // Of a request whose body may not have come yet; may throw HttpFault, for one that is not worth it.
  std::function<void(const HttpRequest& head)> on_head;

  static constexpr std::size_t kMostHead = 8u << 10, kMostBody = 64u << 10;

  // The request once it is whole; not to be called again then. Throws HttpFault, after which nothing can be
  // read.
  std::optional<HttpRequest> feed(std::string_view bytes);

 private:
  void read_head(std::string_view head);
  void read_request_line(std::string_view line);
  void read_field(std::string_view line);

  std::string bytes_;
  std::optional<std::size_t> body_at_;
  std::optional<std::size_t> body_size_;
  HttpRequest request_;
};

}  // namespace batchscope::run
