// SPDX-License-Identifier: Apache-2.0
#include "batchscope/sweep/course.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

namespace batchscope::sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<double> cost(const SweepFile& sweep, const Outcome& outcome) {
  if (!outcome.value) return std::nullopt;
  return std::isfinite(*outcome.value) ? cost_of(sweep.goal, *outcome.value) : kInfinity;
}

// The length of a leg, which is the same for all that have no rungs.
double ticks(const StopRule& rule, int rung) {
  const double end = iterations_at(rule, rung).value_or(1);
  return rung > 0 ? end - *iterations_at(rule, rung - 1) : end;
}

// Whether an outcome changes which leg is next.
bool listens(const SweepFile& sweep) {
  return sweep.method == Method::tpe || sweep.stop.kind != StopRule::Kind::none;
}

// The legs so far gone through again, up to what is known.
class Course {
 public:
  Course(const SweepFile& sweep, std::span<const LegRecord> records) : sweep_(sweep), records_(records) {
    for (const LegRecord& record : records) begin(record);
  }

  std::optional<LegRecord> next(std::size_t width) {
    for (;;) {
      if (under_way_.size() < width && hours_ < sweep_.device_hours.value_or(kInfinity))
        if (auto leg = wanted()) return leg;
      if (!can_hear()) return std::nullopt;
      hear();
    }
  }

  // The trials when all was heard whose turn has come.
  const std::vector<Trial>& trials() {
    while (can_hear()) hear();
    return trials_;
  }

 private:
  bool can_hear() const { return !under_way_.empty() && records_[under_way_.top().second].outcome; }

  void begin(const LegRecord& record) {
    while (heard_ < record.heard && can_hear()) hear();
    const auto reached_rung_before = [&](const Leg& leg) {
      return leg.trial == record.trial && leg.rung == record.rung - 1 && leg.cost && !leg.at_end;
    };
    const auto is_known = [&](const Leg& leg) {
      return leg.trial == record.trial && leg.rung == record.rung;
    };
    const bool first = record.rung == 0 && record.trial == trials_.size();
    if (heard_ != record.heard || !(first || std::ranges::any_of(legs_, reached_rung_before)) ||
        std::ranges::any_of(legs_, is_known))
      throw std::invalid_argument("next_leg: a leg that could not have begun");
    if (first) trials_.push_back({record.point, Trial::State::running, {}, {}});
    trials_[record.trial].point = record.point;
    trials_[record.trial].state = Trial::State::running;
    std::erase_if(going_on_, [&](const Leg& leg) { return leg.trial == record.trial; });
    // Where nobody listens, whoever is done is heard at once.
    const double end = listens(sweep_) ? now_ + ticks(sweep_.stop, record.rung) : record.outcome ? 0 : 1;
    under_way_.emplace(end, legs_.size());
    legs_.push_back({record.trial, record.rung, std::nullopt});
  }

  void hear() {
    const auto [end, number] = under_way_.top();
    under_way_.pop();
    now_ = end;
    ++heard_;
    const Outcome& outcome = *records_[number].outcome;
    hours_ += outcome.device_hours;
    Leg& leg = legs_[number];
    leg.cost = cost(sweep_, outcome);
    leg.at_end = outcome.at_end || is_last(sweep_.stop, leg.rung);
    Trial& trial = trials_[leg.trial];
    trial.state = Trial::State::paused;
    if (!leg.cost) {
      trial.state = Trial::State::failed;
    } else if (leg.at_end || (!std::isfinite(*leg.cost) && sweep_.stop.kind != StopRule::Kind::pbt)) {
      trial = {trial.point, Trial::State::ended, leg.cost, std::nullopt};
    } else {
      trial.cost = leg.cost;
      trial.reached = iterations_at(sweep_.stop, leg.rung);
      if (sweep_.stop.kind != StopRule::Kind::median) return;
      if (verdict(sweep_.stop, legs_, leg.trial, leg.rung) == Verdict::go_on)
        going_on_.push_back({leg.trial, leg.rung + 1, std::nullopt});
      else
        trial.state = Trial::State::ended;
    }
  }

  std::optional<LegRecord> wanted() const {
    const auto going_on =
        going_on_.empty() ? promotion(sweep_.stop, legs_) : std::optional(going_on_.front());
    if (going_on)
      return LegRecord{going_on->trial, going_on->rung, heard_, trials_[going_on->trial].point,
                       std::nullopt,    std::nullopt};
    if (!sweep_.trials || trials_.size() < static_cast<std::size_t>(*sweep_.trials))
      if (auto point = suggest(sweep_.method, Space(sweep_.parameters), trials_, sweep_.seed))
        return LegRecord{trials_.size(), 0, heard_, *std::move(point), std::nullopt, std::nullopt};
    if (sweep_.stop.kind == StopRule::Kind::pbt) return of_population();
    return std::nullopt;
  }

  // Returns, with pbt, the next leg of a trial that waits at the lowest rung where anybody is; none while one
  // is on its way there.
  std::optional<LegRecord> of_population() const {
    const auto alive = [](const Trial& trial) {
      return trial.state == Trial::State::running || trial.state == Trial::State::paused;
    };
    std::vector<int> rungs(trials_.size(), -1);
    for (const Leg& leg : legs_) rungs[leg.trial] = std::max(rungs[leg.trial], leg.rung);
    int rung = std::numeric_limits<int>::max();
    for (std::size_t trial = 0; trial < trials_.size(); ++trial)
      if (alive(trials_[trial])) rung = std::min(rung, rungs[trial]);
    std::vector<std::size_t> waiting;
    for (std::size_t trial = 0; trial < trials_.size(); ++trial) {
      if (!alive(trials_[trial]) || rungs[trial] != rung) continue;
      if (trials_[trial].state == Trial::State::running) return std::nullopt;
      waiting.push_back(trial);
    }
    if (waiting.empty() || is_last(sweep_.stop, rung)) return std::nullopt;
    return from_rung(rung, waiting);
  }

  LegRecord from_rung(int rung, const std::vector<std::size_t>& waiting) const {
    std::vector<Member> population;
    std::vector<std::size_t> numbers;  // of its trials
    for (std::size_t i = 0; i < legs_.size(); ++i)
      if (legs_[i].rung == rung && legs_[i].cost && !legs_[i].at_end) {
        population.push_back({records_[i].point, *legs_[i].cost});
        numbers.push_back(legs_[i].trial);
      }
    const Space space(sweep_.parameters);
    for (std::size_t i = 0; i < population.size(); ++i)
      if (std::ranges::find(waiting, numbers[i]) != waiting.end())
        if (auto better = exploit(space, population, i, static_cast<std::size_t>(rung), sweep_.seed,
                                  sweep_.stop.population))
          return {numbers[i],           rung + 1, heard_, std::move(better->point), std::nullopt,
                  numbers[better->from]};
    return {waiting.front(), rung + 1, heard_, trials_[waiting.front()].point, std::nullopt, std::nullopt};
  }

  using End = std::pair<double, std::size_t>;  // tick, number of the leg

  const SweepFile& sweep_;
  const std::span<const LegRecord> records_;
  std::vector<Trial> trials_;  // as far as they were heard
  std::vector<Leg> legs_;      // the same
  std::vector<Leg> going_on_;  // that the rule lets go on at once
  std::priority_queue<End, std::vector<End>, std::greater<>> under_way_;
  double now_ = 0;    // tick
  double hours_ = 0;  // of what was heard
  std::size_t heard_ = 0;
};

}  // namespace

std::optional<LegRecord> next_leg(const SweepFile& sweep, std::size_t width,
                                  std::span<const LegRecord> legs) {
  if (width == 0) throw std::invalid_argument("next_leg: a width of 0");
  return Course(sweep, legs).next(width);
}

const char* standing_name(Standing::State state) noexcept {
  switch (state) {
    case Standing::State::running: return "running";
    case Standing::State::paused: return "paused";
    case Standing::State::stopped: return "stopped";
    case Standing::State::finished: return "finished";
    case Standing::State::diverged: return "diverged";
    case Standing::State::failed: return "failed";
  }
  return "";
}

std::vector<Standing> standings(const SweepFile& sweep, std::span<const LegRecord> legs) {
  using State = Standing::State;
  std::vector<Standing> standings;
  Course course(sweep, legs);
  for (const Trial& trial : course.trials()) standings.emplace_back().point = trial.point;
  for (const LegRecord& leg : legs) {
    Standing& standing = standings[leg.trial];
    standing.state = State::running;
    if (!leg.outcome) continue;
    standing.device_hours += leg.outcome->device_hours;
    if (!leg.outcome->value) {
      standing.state = State::failed;
      continue;
    }
    standing.rung = leg.rung;
    standing.value = leg.outcome->value;
    if (!std::isfinite(*standing.value))
      standing.state = State::diverged;
    else if (leg.outcome->at_end || is_last(sweep.stop, leg.rung))
      standing.state = State::finished;
    else if (sweep.stop.kind == StopRule::Kind::asha || sweep.stop.kind == StopRule::Kind::pbt)
      standing.state = State::paused;
    else if (course.trials()[leg.trial].state == Trial::State::ended)
      standing.state = State::stopped;
  }
  return standings;
}

std::vector<std::size_t> ranking(Goal goal, std::span<const Standing> standings) {
  std::vector<std::size_t> trials;
  for (std::size_t trial = 0; trial < standings.size(); ++trial)
    if (standings[trial].value && std::isfinite(*standings[trial].value)) trials.push_back(trial);
  std::ranges::stable_sort(trials, {}, [&](std::size_t trial) {
    return std::pair(-standings[trial].rung, cost_of(goal, *standings[trial].value));
  });
  return trials;
}

std::optional<std::size_t> best_trial(const SweepFile& sweep, std::span<const LegRecord> legs) {
  const std::vector<std::size_t> trials = ranking(sweep.goal, standings(sweep, legs));
  return trials.empty() ? std::nullopt : std::optional(trials.front());
}

}  // namespace batchscope::sweep
