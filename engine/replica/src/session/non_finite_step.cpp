// SPDX-License-Identifier: Apache-2.0
#include "session/non_finite_step.h"

#include <cstdio>
#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/replica/process_group.h"
#include "process/process.h"
#include "report/failure.h"
#include "report/telemetry_client.h"
#include "session/leave.h"

namespace batchscope::replica {
namespace {

constexpr std::int64_t kMostInARow = 100;

bool power_of_ten(std::int64_t number) {
  while (number % 10 == 0) number /= 10;
  return number == 1;
}

[[noreturn]] void leave_for_checkpoint(const std::string& why) {
  tell_failure("non_finite", why);
  if (replica_rank() == 0 && !telemetry_connected())
    std::fprintf(stderr, "batchscope: %s; run the program again to go on from the last checkpoint\n",
                 why.c_str());
  leave(kExitFailure);
}

}  // namespace

void after_non_finite_step(const NonFiniteStep& step) {
  const std::string message = "step " + std::to_string(step.step) +
                              ": the gradient holds NaN or infinity, and was not applied on any replica";
  if (process().environment.non_finite != protocol::NonFinite::skip) leave_for_checkpoint(message);
  if (step.buffers_spoilt)
    leave_for_checkpoint(message + "; but NaN is now in buffers of the model, such as running statistics");
  if (step.in_a_row >= kMostInARow)
    leave_for_checkpoint(message + "; the same happened in all of the last " + std::to_string(step.in_a_row) +
                         " steps");
  if (replica_rank() != 0 || !power_of_ten(step.count)) return;
  notice("warning",
         message + (step.count == 1 ? std::string("; reported again at the 10th, 100th, ... such step")
                                    : "; it is the " + std::to_string(step.count) + "th such step"));
}

}  // namespace batchscope::replica
