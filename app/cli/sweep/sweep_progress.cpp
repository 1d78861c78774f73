// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_progress.h"

#include <fmt/core.h>

#include "sweep/sweep_text.h"
#include "text/format.h"
#include "text/progress_bar.h"
#include "text/progress_line.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

std::string timing(const common::SweepProgress& progress) {
  const std::string elapsed = formatClock(progress.elapsed);
  return progress.remaining < 0 ? elapsed : say("{}, {} left", elapsed, formatClock(progress.remaining));
}

}  // namespace

std::string countsText(const sweep::SweepView& view, const common::SweepProgress& progress) {
  const bool running = view.sweep.state == storage::SweepState::running;
  std::string text = say("{} of {}", progress.done, plural(progress.wanted, "trial"));
  const auto begun = progress.running - progress.pending;
  if (begun > 0) text += running ? say(", {} training", begun) : say(", {} interrupted", begun);
  if (progress.pending > 0) text += say(", {} pending", progress.pending);
  if (progress.failed > 0) text += say(", {} failed", progress.failed);
  if (progress.diverged > 0) text += say(", {} diverged", progress.diverged);
  return text;
}

std::vector<std::string> sweepLines(const sweep::SweepView& view, const common::SweepProgress& progress,
                                    const Style& style) {
  ProgressLine head(style), best(style);
  const std::string state = storage::sweep_state_name(view.sweep.state);
  head.add(cutToWidth(printable(view.sweep.name), style.width / 2), Colour::bold);
  head.add(state, stateColour(state));
  head.add(countsText(view, progress));
  head.add(say("device time {}", deviceTimeText(view)));
  best.add(view.best ? say("best {}", printable(bestText(view))) : say("no value yet"));
  if (view.best) best.add(printable(parametersText(view.file, view.trials[*view.best].parameters)));
  const std::string percent = percentColumn(progress.share);
  std::string suffix = percent + "  " + timing(progress);
  const std::string label = say("whole sweep");
  if (!fitsBar(displayWidth(label), displayWidth(suffix), style)) suffix = percent;
  return {head.text(),
          barLine(label, displayWidth(label), progress.share, suffix, displayWidth(suffix), style),
          best.text()};
}

std::string sweepSentence(const sweep::SweepView& view, const common::SweepProgress& progress) {
  std::string text = fmt::format("{} {}, {}", formatClock(progress.elapsed),
                                 storage::sweep_state_name(view.sweep.state), countsText(view, progress));
  if (view.best) text += say(", best {}", printable(bestText(view)));
  if (progress.remaining >= 0) text += say(", {} left", formatClock(progress.remaining));
  return text;
}

}  // namespace batchscope::cli
