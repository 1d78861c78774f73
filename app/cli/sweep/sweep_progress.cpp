// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_progress.h"

#include <fmt/core.h>

#include "sweep/sweep_text.h"
#include "text/format.h"
#include "text/progress_bar.h"
#include "text/progress_line.h"

namespace batchscope::cli {
namespace {

constexpr char kLabel[] = "whole sweep";
constexpr int kLabelWidth = sizeof kLabel - 1;

std::string timing(const common::SweepProgress& progress) {
  const std::string elapsed = formatClock(progress.elapsed);
  return progress.remaining < 0 ? elapsed
                                : fmt::format("{}, {} left", elapsed, formatClock(progress.remaining));
}

}  // namespace

std::string countsText(const sweep::SweepView& view, const common::SweepProgress& progress) {
  const bool running = view.sweep.state == storage::SweepState::running;
  std::string text = fmt::format("{} of {}", progress.done, plural(progress.wanted, "trial"));
  for (const auto& [count, what] :
       {std::pair(progress.running - progress.pending, running ? "training" : "interrupted"),
        {progress.pending, "pending"},
        {progress.failed, "failed"},
        {progress.diverged, "diverged"}})
    if (count > 0) text += fmt::format(", {} {}", count, what);
  return text;
}

std::vector<std::string> sweepLines(const sweep::SweepView& view, const common::SweepProgress& progress,
                                    const Style& style) {
  ProgressLine head(style), best(style);
  const std::string state = storage::sweep_state_name(view.sweep.state);
  head.add(cutToWidth(printable(view.sweep.name), style.width / 2), Colour::bold);
  head.add(state, stateColour(state));
  head.add(countsText(view, progress));
  head.add("device time " + deviceTimeText(view));
  best.add(view.best ? "best " + printable(bestText(view)) : "no value yet");
  if (view.best) best.add(printable(parametersText(view.file, view.trials[*view.best].parameters)));
  const std::string percent = percentColumn(progress.share);
  std::string suffix = percent + "  " + timing(progress);
  if (!fitsBar(kLabelWidth, displayWidth(suffix), style)) suffix = percent;
  return {head.text(), barLine(kLabel, kLabelWidth, progress.share, suffix, displayWidth(suffix), style),
          best.text()};
}

std::string sweepSentence(const sweep::SweepView& view, const common::SweepProgress& progress) {
  std::string text = fmt::format("{} {}, {}", formatClock(progress.elapsed),
                                 storage::sweep_state_name(view.sweep.state), countsText(view, progress));
  if (view.best) text += ", best " + printable(bestText(view));
  if (progress.remaining >= 0) text += fmt::format(", {} left", formatClock(progress.remaining));
  return text;
}

}  // namespace batchscope::cli
