// SPDX-License-Identifier: Apache-2.0
#include "trials/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <ranges>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/run_state.h"
#include "batchscope/protocol/series.h"
#include "batchscope/protocol/suggestion.h"
#include "batchscope/storage/samples.h"

namespace batchscope::sweep {
namespace {

using protocol::RunState;
using storage::Run;
using storage::SweepLeg;

namespace series = protocol::series;

constexpr double kHour = 3600;  // s
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kSeriesTold = 8;

// Whether the run's newest checkpoint lies at the rung, or behind it.
bool has_reached(storage::Catalogue& catalogue, const StopRule& rule, int rung, const std::string& run) {
  if (rule.kind == StopRule::Kind::none) return false;
  const double end = iterations_at(rule, rung).value_or(kNever);
  const auto checkpoints = catalogue.checkpoints(run);
  if (checkpoints.empty()) return false;
  const storage::Checkpoint& newest = checkpoints.front();
  return (rule.unit == StopRule::Unit::steps ? static_cast<double>(newest.step) : newest.progress) >= end;
}

// Whether the run has trained beyond the rung: it was killed between its checkpoint there and its pause, or a
// person resumed it.
bool has_passed(const StopRule& rule, int rung, const Run& run) {
  if (rule.kind == StopRule::Kind::none) return false;
  const bool ended = run.state == RunState::finished;
  if (!ended && is_last(rule, rung)) return false;
  const auto progress = run.latest.find(series::kProgress);
  const double now = rule.unit == StopRule::Unit::steps ? static_cast<double>(run.step)
                     : progress == run.latest.end()     ? 0
                                                        : progress->second;
  return now >= iterations_at(rule, ended ? rung : rung + 1).value_or(kNever);
}

// Step at which the run came to the rung; none: that was not recorded.
std::optional<std::int64_t> step_at(storage::SampleReader& samples, const StopRule& rule, int rung) {
  const double end = *iterations_at(rule, rung);
  if (rule.unit == StopRule::Unit::steps) return static_cast<std::int64_t>(std::ceil(end));
  for (const int generation : samples.generations(series::kProgress))
    for (const storage::Sample& sample : samples.read(series::kProgress, generation))
      if (sample.value >= end) return sample.step;
  return std::nullopt;
}

// The metric's newest value when the run came to the leg's end; its newest one where it had none then.
std::optional<double> value_of(const SweepFile& file, int rung, const Run& run) {
  const auto latest = run.latest.find(file.metric);
  if (latest == run.latest.end()) return std::nullopt;
  if (!has_passed(file.stop, rung, run)) return latest->second;
  storage::SampleReader samples(protocol::run_paths(run.id).samples);
  const auto step = step_at(samples, file.stop, rung);
  if (!step) return latest->second;
  for (const int generation : std::views::reverse(samples.generations(file.metric)))
    if (const auto until = samples.read(file.metric, generation, 0, *step); !until.empty())
      return until.back().value;
  return latest->second;
}

// Says which series there are in place of the one that was looked for, the most similar one first.
std::string recorded(const Run& run, const std::string& metric) {
  std::vector<std::string> names;
  for (const auto& [series, value] : run.latest) names.push_back(series);
  if (names.empty()) return "it has recorded nothing";
  if (const std::string near = protocol::nearest_word(metric, names); !near.empty())
    std::iter_swap(names.begin(), std::ranges::find(names, near));
  const bool more = names.size() > kSeriesTold;
  names.resize(std::min(names.size(), kSeriesTold));
  return fmt::format("it has recorded {}{}", fmt::join(names, ", "), more ? " and others" : "");
}

double device_hours(storage::Catalogue& catalogue, const std::vector<std::string>& runs, double since) {
  const double now = storage::now();
  double seconds = 0;
  for (const storage::LeaseEvent& event : catalogue.lease_events(since))
    if (std::ranges::find(runs, event.run) != runs.end())
      seconds += std::max(0.0, (event.until > 0 ? event.until : now) - std::max(event.since, since));
  return seconds / kHour;
}

void fail(Judgement& judgement, const std::string& why) {
  judgement.leg.outcome = SweepLeg::Outcome::failed;
  judgement.leg.message = why;
}

// Adds what one run says; false while it has some way to go.
bool add(storage::Catalogue& catalogue, const SweepFile& file, const Run& run, bool elsewhere,
         Judgement& judgement) {
  SweepLeg& leg = judgement.leg;
  if (run.removed > 0) return fail(judgement, "its run was removed"), true;
  // A run that failed by gradients that are not finite has diverged.
  const auto non_finite = run.latest.find(series::kNonFiniteSteps);
  if (run.state == RunState::failed && non_finite != run.latest.end() && non_finite->second > 0)
    return leg.value = std::numeric_limits<double>::quiet_NaN(), true;
  if (run.state == RunState::failed || run.state == RunState::damaged)
    return fail(judgement, run.message), true;
  if (run.state == RunState::finished) {
    leg.at_end = !has_passed(file.stop, leg.rung, run);
  } else if (run.state != RunState::paused && run.state != RunState::stopped &&
             run.state != RunState::interrupted) {
    return false;
  } else if (!has_reached(catalogue, file.stop, leg.rung, run.id)) {
    if (run.state != RunState::stopped) return false;
    return fail(judgement, run.message.empty() ? "its run was stopped" : run.message), true;
  }
  const auto value = value_of(file, leg.rung, run);
  const bool stops = elsewhere && run.state == RunState::stopped && !is_last(file.stop, leg.rung);
  const bool may_go_on = stops || run.state == RunState::paused || run.state == RunState::interrupted;
  if (!value && may_go_on && run.epoch == 0) {
    const auto job = catalogue.job(run.id);
    if (stops || (job && job->rests)) judgement.early.push_back(run.id);
    return false;
  }
  if (!value) {
    judgement.no_metric = true;
    fail(judgement,
         fmt::format("run {} came {} without a value of '{}': {}", run.id,
                     leg.at_end ? "to its end" : "to its rung", file.metric, recorded(run, file.metric)));
  } else {
    leg.value += *value;
  }
  return true;
}

}  // namespace

Judgement judge(storage::Catalogue& catalogue, const SweepFile& file, const SweepLeg& leg,
                const std::vector<std::string>& runs, bool elsewhere) {
  Judgement judgement{leg, false};
  judgement.leg.outcome = SweepLeg::Outcome::value;
  judgement.leg.value = 0;
  bool under_way = false;
  for (const std::string& id : runs) {
    const auto run = catalogue.run(id);
    if (!run)
      fail(judgement, "its run was removed");
    else if (!add(catalogue, file, *run, elsewhere, judgement))
      under_way = true;
  }
  if (under_way) return {leg, false, std::move(judgement.early)};
  SweepLeg& judged = judgement.leg;
  judged.value /= static_cast<double>(runs.size());
  if (judged.outcome == SweepLeg::Outcome::value && !std::isfinite(judged.value))
    judged.outcome = SweepLeg::Outcome::diverged;
  judged.device_hours = device_hours(catalogue, runs, leg.began);
  return judgement;
}

bool have_reached(storage::Catalogue& catalogue, const StopRule& rule, int rung,
                  const std::vector<std::string>& runs) {
  return std::ranges::all_of(runs,
                             [&](const std::string& run) { return has_reached(catalogue, rule, rung, run); });
}

void for_living_runs(storage::Catalogue& catalogue, const std::string& sweep,
                     const std::function<void(const std::string& run)>& act) {
  std::exception_ptr fault;
  for (const storage::TrialRun& trial : storage::Sweeps(catalogue).runs(sweep)) {
    const auto run = catalogue.run(trial.run);
    const auto over = [](RunState state) {
      return state == RunState::finished || state == RunState::failed || state == RunState::stopped ||
             state == RunState::damaged;
    };
    if (!run || run->removed > 0 || over(run->state)) continue;
    try {
      act(trial.run);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::conflict && error.kind() != ErrorKind::not_found)
        fault = std::current_exception();
    }
  }
  if (fault) std::rethrow_exception(fault);
}

}  // namespace batchscope::sweep
