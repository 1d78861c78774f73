// SPDX-License-Identifier: Apache-2.0
//
// Requests to the HTTP servers.
#include "batchscope/http/request.h"
#include "fuzz.h"

using namespace batchscope;
using http::Fault;
using http::Request;
using http::RequestReader;

namespace {

// Outcome of the bytes when they came in pieces of this size.
struct Outcome {
  int status = 0;  // 0: taken, or more is needed
  std::optional<Request> request;
};

Outcome read(std::string_view bytes, std::size_t piece) {
  RequestReader reader;
  Outcome outcome;
  try {
    while (!bytes.empty() && !outcome.request) {
      outcome.request = reader.feed(bytes.substr(0, piece));
      bytes.remove_prefix(std::min(piece, bytes.size()));
    }
  } catch (const Fault& fault) {
    outcome.status = fault.status;
    fuzz::require(fault.status >= 400 && fault.status < 600 && !fault.text.empty(), "a fault is explained");
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text(data, size);
  const Outcome whole = read(bytes, size + 1), single = read(bytes, 1);
  if (whole.request && single.request)
    fuzz::require(
        whole.request->method == single.request->method && whole.request->path == single.request->path &&
            whole.request->query == single.request->query &&
            whole.request->fields == single.request->fields && whole.request->body == single.request->body,
        "a request does not depend on how its bytes arrive");
  if (whole.request) fuzz::require(!whole.request->path.empty(), "a request has a path");
  return 0;
}
