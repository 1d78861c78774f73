// SPDX-License-Identifier: Apache-2.0
#include "trackers/mlflow_metric_reader.h"

#include <cmath>
#include <sstream>
#include <utility>

#include "batchscope/protocol/error.h"
#include "text/say.h"
#include "trackers/number_in.h"

namespace batchscope::cli {

void MlflowMetricReader::feed(std::string_view bytes, Findings& findings) {
  if (!damage_.empty() || bytes.empty()) return;
  try {
    for (const std::string& text : splitter_.feed(bytes)) line(text, findings);
    hasRest_ = bytes.back() != '\n';
  } catch (const Error& error) {
    damage_ = error.what();
  }
}

void MlflowMetricReader::end(Findings& findings) {
  if (std::exchange(hasRest_, false)) feed("\n", findings);
}

void MlflowMetricReader::line(const std::string& text, Findings& findings) {
  std::istringstream words(text);
  std::string time, value, step;
  words >> time >> value >> step;
  if (time.empty()) return;
  const auto milliseconds = numberIn(time), number = numberIn(value);
  const auto at = step.empty() ? std::optional(static_cast<double>(rows_)) : numberIn(step);
  ++rows_;
  if (!milliseconds || !number || !at || *at != std::floor(*at) || !(std::abs(*at) < 0x1p62))
    return findings.leaveOut(say("lines that are not a time, a value and a step"));
  findings.add(name_, static_cast<std::int64_t>(*at), *number);
  findings.time(static_cast<std::int64_t>(*at), *milliseconds / 1000);
}

}  // namespace batchscope::cli
