// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes what replicas tell the supervisor.
#include "batchscope/protocol/telemetry.h"
#include "fuzz.h"

using namespace batchscope;
using namespace batchscope::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse_as(
      [&] {
        const std::string sent = encode(decode(fuzz::text(data, size)));
        fuzz::require(fuzz::must_take([&] { return encode(decode(sent)); }) == sent,
                      "a message that is sent on arrives as it was");
      },
      ErrorKind::usage);
  return 0;
}
