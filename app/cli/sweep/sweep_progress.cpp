// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "sweep/sweep_text.h"
#include "text/format.h"
#include "text/progress_bar.h"
#include "text/progress_line.h"

namespace batchscope::cli {
namespace {

using Kind = sweep::StopRule::Kind;
using State = sweep::Standing::State;

constexpr char kLabel[] = "whole sweep";
constexpr int kLabelWidth = sizeof kLabel - 1;
constexpr double kLeastShare = 0.02;    // of which more can be foretold
constexpr double kLargestShare = 0.99;  // before the end

// Iterations of a leg: from the rung below to this one.
double iterationsOf(const sweep::StopRule& rule, int rung) {
  const double end = sweep::iterations_at(rule, rung).value_or(0);
  return rung == 0 ? end : end - sweep::iterations_at(rule, rung - 1).value_or(0);
}

// All that the rule will let so many trials have: with asha every rung lets the best of every eta go on, a
// population is trained whole. 0: that is not known.
double iterationsWanted(const sweep::StopRule& rule, std::size_t trials) {
  double sum = 0, left = static_cast<double>(trials);
  if (rule.kind == Kind::pbt) return left * rule.max.value_or(0);
  if (rule.kind != Kind::asha) return 0;
  for (int rung = 0; left >= 1; ++rung) {
    sum += left * iterationsOf(rule, rung);
    if (sweep::is_last(rule, rung)) break;
    left = std::floor(left / rule.eta);
  }
  return sum;
}

double shareOf(const sweep::SweepView& view, const SweepProgress& progress) {
  if (view.sweep.state == storage::SweepState::finished) return 1;
  const sweep::StopRule& rule = view.file.stop;
  double share = static_cast<double>(progress.done) / static_cast<double>(progress.wanted);
  if (const double wanted = iterationsWanted(rule, progress.wanted); wanted > 0) {
    double behind = 0;
    for (const sweep::LegRecord& leg : view.legs)
      if (leg.outcome) behind += iterationsOf(rule, leg.rung);
    share = behind / wanted;
  }
  if (view.file.device_hours) share = std::max(share, view.device_hours / *view.file.device_hours);
  return std::min(share, kLargestShare);
}

// Legs began in this order; what two of them share counts once.
double trainedTime(const std::vector<storage::SweepLeg>& legs, bool running, double now) {
  double sum = 0, until = 0;
  for (const storage::SweepLeg& leg : legs) {
    const double end = leg.ended > 0 ? leg.ended : running ? now : leg.began;
    sum += std::max(0.0, end - std::max(until, leg.began));
    until = std::max(until, end);
  }
  return sum;
}

std::string timing(const SweepProgress& progress) {
  const std::string elapsed = formatClock(progress.elapsed);
  return progress.remaining < 0 ? elapsed
                                : fmt::format("{}, {} left", elapsed, formatClock(progress.remaining));
}

}  // namespace

SweepProgress progressOf(const sweep::SweepView& view, double now) {
  SweepProgress progress;
  progress.wanted = sweep::trials_wanted(view.file);
  for (const sweep::TrialView& trial : view.trials) {
    const State state = trial.standing.state;
    ++(state == State::running ? progress.running : progress.done);
    progress.pending += trial.waits;
    progress.failed += state == State::failed;
    progress.diverged += state == State::diverged;
  }
  const bool running = view.sweep.state == storage::SweepState::running;
  progress.share = shareOf(view, progress);
  progress.elapsed = trainedTime(view.rows, running, now);
  if (running && progress.share >= kLeastShare)
    progress.remaining = progress.elapsed * (1 - progress.share) / progress.share;
  return progress;
}

std::string countsText(const sweep::SweepView& view, const SweepProgress& progress) {
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

std::vector<std::string> sweepLines(const sweep::SweepView& view, const SweepProgress& progress,
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

std::string sweepSentence(const sweep::SweepView& view, const SweepProgress& progress) {
  std::string text = fmt::format("{} {}, {}", formatClock(progress.elapsed),
                                 storage::sweep_state_name(view.sweep.state), countsText(view, progress));
  if (view.best) text += ", best " + printable(bestText(view));
  if (progress.remaining >= 0) text += fmt::format(", {} left", formatClock(progress.remaining));
  return text;
}

}  // namespace batchscope::cli
