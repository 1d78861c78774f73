// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes what a person scripts on the command line: `--at` triggers, numbers of replicas, and the spec that
// keeps them in the catalogue.
#include "batchscope/protocol/run_spec.h"
#include "fuzz.h"

using namespace batchscope;
using namespace batchscope::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  fuzz::may_refuse_as(
      [&] {
        const Trigger trigger = Trigger::parse(text);
        fuzz::require(fuzz::must_take([&] { return Trigger::parse(trigger.text()); }) == trigger,
                      "a trigger's text is the trigger");
      },
      ErrorKind::usage);
  fuzz::may_refuse_as([&] { fuzz::require(parse_duration(text) >= 0, "a duration is not negative"); },
                      ErrorKind::usage);
  fuzz::may_refuse_as(
      [&] {
        const ReplicaCount count = ReplicaCount::parse(text);
        fuzz::require(count.first(1) >= 1 && count.first(1) <= kMostReplicas,
                      "replicas are within their bounds");
      },
      ErrorKind::usage);
  fuzz::may_refuse_as(
      [&] {
        const Json kept = parse_object(text).get<RunSpec>();
        fuzz::require(fuzz::must_take([&] { return Json(kept.get<RunSpec>()); }) == kept,
                      "a spec comes back as it was");
      },
      ErrorKind::usage);
  return 0;
}
