// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes what comes over a run's control socket: lines, requests, replies and the status they carry.
#include "batchscope/protocol/control.h"
#include "fuzz.h"
#include "socket/request_id.h"

using namespace batchscope;
using namespace batchscope::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line = fuzz::text(data, size);
  fuzz::may_refuse([&] {
    const Request request = Request::parse(line);
    const std::string sent = request.line();
    fuzz::require(fuzz::must_take([&] { return Request::parse(sent).line(); }) == sent,
                  "a request that is sent on arrives as it was");
  });
  {
    const Json id = run::request_id(line);
    fuzz::require(id.is_null() || id.is_number() || id.is_string(), "an id is plain");
    fuzz::may_refuse([&] {
      const Json asked = parse_object(line).value("id", Json());
      fuzz::require(id.is_null() || id == asked, "the id of a request is its own");
    });
  }
  fuzz::may_refuse([&] { reply_result(parse_object(line)); });
  fuzz::may_refuse([&] {
    const Json sent = parse_object(line).get<RunStatus>();
    fuzz::require(fuzz::must_take([&] { return Json(sent.get<RunStatus>()); }) == sent,
                  "a status that is sent on arrives as it was");
  });
  fuzz::may_refuse([&] {
    constexpr std::size_t kLimit = 200;
    std::vector<std::string> whole = LineSplitter(kLimit).feed(line), parts;
    LineSplitter splitter(kLimit);
    for (const char byte : line)
      for (std::string& found : splitter.feed({&byte, 1})) parts.push_back(std::move(found));
    fuzz::require(whole == parts, "lines do not depend on how their bytes arrive");
  });
  return 0;
}
