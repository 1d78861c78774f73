// SPDX-License-Identifier: Apache-2.0
//
// The smallest HTTP client that does for AdaptDL's scheduler: one request a connection, in HTTP/1.0, so that
// the answer ends with the connection and comes in no chunks.
#pragma once

#include <chrono>
#include <string>

namespace batchscope::replica {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// `path` goes behind the URL, from its slash on; `json` is sent with it where there is any. Blocks for at
// most the time-out. Throws Error(usage) for a URL that is not http://HOST[:PORT][/PATH], Error(io | timeout)
// naming the URL where nobody answers, or with what is not HTTP or longer than 64 KiB.
HttpAnswer http_request(const std::string& method, const std::string& url, const std::string& path,
                        const std::string& json, std::chrono::milliseconds timeout);

}  // namespace batchscope::replica
