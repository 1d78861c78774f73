// SPDX-License-Identifier: Apache-2.0
#include "trackers/findings.h"

#include <utility>

#include "batchscope/protocol/series.h"
#include "batchscope/protocol/text.h"
#include "batchscope/storage/annotation.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr std::int64_t kLastStep = std::int64_t{1} << 53;  // a double can hold all up to it
constexpr double kLastTime = 1e11;                         // s since 1970: in the year 5138

}  // namespace

void Findings::add(std::string_view series, std::int64_t step, double value) {
  const std::string name = protocol::printable(series);
  if (name.empty() || name.size() > storage::kLongestSeries)
    leaveOut(say("values of series without a name, or with one of over 1,024 bytes"));
  else if (step < 0 || step > kLastStep)
    leaveOut(say("values at a step below 0 or beyond 2^53"));
  else if (const auto newest = newest_.find(name); newest != newest_.end() && step < newest->second)
    leaveOut(say("values at a step before one that their series had already"));
  else
    append(name, step, value);
}

void Findings::time(std::int64_t step, double wall) {
  if (step < 0 || step > kLastStep || !(wall > 0 && wall < kLastTime)) return;
  const auto newest = newest_.find(protocol::series::kTime);
  if (newest == newest_.end() || step > newest->second) append(protocol::series::kTime, step, wall);
}

std::map<std::string, std::vector<storage::Sample>> Findings::take() { return std::exchange(samples_, {}); }

void Findings::append(const std::string& series, std::int64_t step, double value) {
  samples_[series].push_back({step, value});
  newest_[series] = step;
}

}  // namespace batchscope::cli
