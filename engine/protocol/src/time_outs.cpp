// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/time_outs.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

constexpr double kLongest = 1e6;  // s: in milliseconds it fits a timer of Qt's

std::string days(double seconds) { return fmt::format("{} days", static_cast<int>(seconds / 86400)); }

struct TimeOut {
  const char* flag;
  double seconds;
};

std::string text(const TimeOut& time_out) {
  std::ostringstream out;
  out << time_out.flag << " (" << time_out.seconds << " s)";
  return out.str();
}

void in_order(const TimeOut& shorter, const TimeOut& longer, const char* why) {
  if (shorter.seconds < longer.seconds) return;
  throw Error(ErrorKind::usage, fmt::format("{} must be below {}, {}: lower {} or raise {}", text(shorter),
                                            text(longer), why, shorter.flag, longer.flag));
}

}  // namespace

double TimeOuts::meeting() const {
  constexpr double kMeeting = std::chrono::duration<double>(time_out::kMeeting).count();
  return std::max(collective, std::min(kMeeting, 0.9 * rescale));
}

void TimeOuts::check() const {
  const TimeOut c{"--collective-timeout", collective}, s{"--hang-timeout", step},
      r{"--rescale-timeout", rescale}, k{"--checkpoint-timeout", checkpoint};
  for (const TimeOut& one : {c, r, k})
    if (!(one.seconds > 0 && one.seconds <= kLongest))
      throw Error(ErrorKind::usage, text(one) + ": expected a time above 0, and at most " + days(kLongest));
  if (!(step >= 0 && step <= kLongest))
    throw Error(ErrorKind::usage,
                text(s) + ": expected a time above 0, and at most " + days(kLongest) + ", or 0 for never");
  in_order(c, r, "because the first step of a restart contains collectives");
  in_order(c, k, "because replicas agree on a checkpoint before they write it");
  if (step == 0) return;
  in_order(c, s, "because the replica that waits for another one knows best whom it waits for");
  in_order(s, r, "because a restart contains a step");
  in_order(s, k, "because a checkpoint waits for the step in flight");
}

}  // namespace batchscope::protocol
