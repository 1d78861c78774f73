// SPDX-License-Identifier: Apache-2.0
//
// The hints that a program for AdaptDL puts to the supervisor.
#include "batchscope/protocol/sched_hints.h"
#include "fuzz.h"

using namespace batchscope;
using namespace batchscope::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse_as(
      [&] {
        const Json hints = parse_object(fuzz::text(data, size));
        fuzz::require(hinted_batch_size(hints) >= 0, "a batch size is not negative");
        const Json sent = sched_hints(model_from_sched_hints(hints));
        fuzz::require(fuzz::must_take([&] { return sched_hints(model_from_sched_hints(sent)); }) == sent,
                      "hints that are sent on arrive as they were");
      },
      ErrorKind::usage);
  return 0;
}
