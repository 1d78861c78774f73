// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/sweep_progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "batchscope/common/shell_words.h"
#include "batchscope/sweep/importance.h"

namespace batchscope::common {
namespace {

using Kind = sweep::StopRule::Kind;
using State = sweep::Standing::State;

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

// Returns a trial as the methods see it (trial.h).
sweep::Trial trialOf(const sweep::SweepFile& file, const sweep::Standing& standing) {
  sweep::Trial trial;
  trial.point = standing.point;
  switch (standing.state) {
    case State::running: trial.state = sweep::Trial::State::running; break;
    case State::paused: trial.state = sweep::Trial::State::paused; break;
    case State::failed: trial.state = sweep::Trial::State::failed; return trial;
    default: trial.state = sweep::Trial::State::ended;
  }
  if (!standing.value) return trial;
  trial.cost = std::isfinite(*standing.value) ? sweep::cost_of(file.goal, *standing.value)
                                              : std::numeric_limits<double>::infinity();
  const bool hasAll = standing.state == State::finished || standing.state == State::diverged;
  if (!hasAll) trial.reached = sweep::iterations_at(file.stop, standing.rung);
  return trial;
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

std::string trialState(const sweep::SweepView& view, std::size_t trial) {
  const State state = view.trials[trial].standing.state;
  if (state == State::paused && view.sweep.ended > 0) return sweep::standing_name(State::stopped);
  if (state == State::running && view.sweep.state != storage::SweepState::running)
    return protocol::run_state_name(protocol::RunState::interrupted);
  if (view.trials[trial].waits) return protocol::run_state_name(protocol::RunState::pending);
  return sweep::standing_name(state);
}

std::string bestCommandLine(const sweep::SweepView& view) {
  const std::string command = shellWords(sweep::best_command(view));
  const std::string& folder = view.sweep.spec.working_directory;
  const bool mayNameFiles = view.file.recipe.empty() || !view.file.arguments.empty();
  if (command.empty() || folder.empty() || !mayNameFiles) return command;
  return "cd " + shellWords(std::array{folder}) + " && " + command;
}

std::vector<double> importanceOf(const sweep::SweepView& view) {
  std::vector<sweep::Trial> trials;
  for (const sweep::TrialView& trial : view.trials) trials.push_back(trialOf(view.file, trial.standing));
  return sweep::importance(sweep::Space(view.file.parameters), trials);
}

}  // namespace batchscope::common
