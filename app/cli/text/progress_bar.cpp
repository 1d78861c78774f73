// SPDX-License-Identifier: Apache-2.0
#include "text/progress_bar.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "batchscope/common/recorded.h"
#include "batchscope/common/tone.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/series.h"
#include "text/format.h"
#include "text/progress_line.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace series = protocol::series;
using protocol::RunStatus;

// "epoch 2/4 train"; the epoch that is being worked on, counted from one.
std::string loopLabel(const RunStatus& status) {
  const int current = status.epochs > 0 ? std::min(status.epoch + 1, status.epochs) : status.epoch + 1;
  const std::string epoch =
      status.epochs > 0 ? say("epoch {}/{}", current, status.epochs) : say("epoch {}", current);
  return status.loop.empty() ? epoch : epoch + " " + printable(status.loop);
}

std::string timing(const RunStatus& status) {
  const std::string elapsed = formatClock(status.elapsed);
  return status.remaining < 0 ? elapsed
                              : fmt::format("{}, {}", elapsed, say("{} left", formatClock(status.remaining)));
}

std::string replicasText(const RunStatus& status, const Style& style) {
  if (status.target_replicas <= 0 || status.target_replicas == status.replicas)
    return plural(status.replicas, "replica");
  return fmt::format("{} {} {}", status.replicas, style.utf8 ? "→" : "->",
                     plural(status.target_replicas, "replica"));
}

// Returns whether anything is known about the program's progress.
bool hasBegun(const RunStatus& status) { return status.step > 0 || status.epoch > 0 || !status.loop.empty(); }

// Empty before the first step.
std::string stepText(const RunStatus& status) {
  if (hasBegun(status)) return say("step {}", status.step);
  return common::isUnrecorded(status) ? say("steps {}", tr(common::kNotRecorded).toStdString()) : "";
}

std::string stateText(const RunStatus& status) {
  const char* state = run_state_name(status.state);
  if (status.phase.empty()) return state;
  return fmt::format("{}: {}, {}", state, printable(status.phase), formatPause(status.phase_seconds));
}

std::optional<double> latest(const RunStatus& status, const char* name) {
  const auto found = status.latest.find(name);
  if (found == status.latest.end()) return std::nullopt;
  return found->second;
}

// "batch 512 (2 x 128 x 2)": replicas, samples a replica, micro-batches. Just after a restart the newest
// values are those of the old number of replicas, and the product would not be the batch size.
std::string batchText(const RunStatus& status, double batchSize) {
  const auto local = latest(status, series::kLocalBatchSize);
  if (!local) return say("batch {:.0f}", batchSize);
  const double microBatches = latest(status, series::kAccumulation).value_or(0) + 1;
  const double perSample = status.replicas * microBatches;  // where a batch cannot be shared out evenly
  if (std::abs(perSample * *local - batchSize) >= perSample) return say("batch {:.0f}", batchSize);
  return say("batch {:.0f} ({} x {:.0f} x {:.0f})", batchSize, status.replicas, *local, microBatches);
}

// The most important first.
std::vector<std::string> metrics(const RunStatus& status) {
  std::vector<std::string> texts;
  const auto add = [&](const char* name) {
    if (const auto value = latest(status, name))
      texts.push_back(fmt::format("{} {}", name, formatSeriesValue(name, *value)));
  };
  add(series::kLoss);
  add(series::kAccuracy);
  add(series::kGain);
  if (const auto batchSize = latest(status, series::kBatchSize))
    texts.push_back(batchText(status, *batchSize));
  add(series::kGoodput);
  return texts;
}

}  // namespace

Colour stateColour(const std::string& state) {
  const std::string_view tone = common::toneOf(state);
  return tone == "good"    ? Colour::green
         : tone == "bad"   ? Colour::red
         : tone == "plain" ? Colour::none
                           : Colour::yellow;
}

std::vector<std::string> progressLines(const std::string& name, const RunStatus& status, const Style& style) {
  ProgressLine head(style), values(style);
  head.add(cutToWidth(printable(name), style.width / 2), Colour::bold);
  head.add(stateText(status), stateColour(run_state_name(status.state)));
  head.add(replicasText(status, style));
  if (const std::string step = stepText(status); !step.empty()) head.add(step);
  head.add(say("generation {}", status.generation));
  for (const std::string& metric : metrics(status))
    if (!values.add(metric)) break;
  if (!hasBegun(status)) {
    head.add(timing(status));
    return {head.text()};
  }

  const std::string loop = loopLabel(status), whole = say("whole run");
  const int labelWidth = std::max(displayWidth(loop), displayWidth(whole));
  const std::string loopSuffix = percentColumn(status.loop_fraction);
  std::string wholeSuffix = fmt::format("{}  {}", percentColumn(status.total_fraction), timing(status));
  if (!fitsBar(labelWidth, displayWidth(wholeSuffix), style))
    wholeSuffix = percentColumn(status.total_fraction);
  const int suffixWidth = std::max(displayWidth(loopSuffix), displayWidth(wholeSuffix));

  return {head.text(), barLine(loop, labelWidth, status.loop_fraction, loopSuffix, suffixWidth, style),
          barLine(whole, labelWidth, status.total_fraction, wholeSuffix, suffixWidth, style), values.text()};
}

std::string progressSentence(const RunStatus& status) {
  std::string text = fmt::format("{} {}", formatClock(status.elapsed), stateText(status));
  if (!status.loop.empty())
    text += ", " + say("{} {}, run {}", loopLabel(status), formatPercent(status.loop_fraction),
                       formatPercent(status.total_fraction));
  if (status.remaining >= 0) text += ", " + say("{} left", formatClock(status.remaining));
  text += ", " + plural(status.replicas, "replica");
  if (const std::string step = stepText(status); !step.empty()) text += ", " + step;
  for (const std::string& metric : metrics(status)) text += ", " + metric;
  return text;
}

}  // namespace batchscope::cli
