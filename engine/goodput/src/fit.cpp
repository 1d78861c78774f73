// SPDX-License-Identifier: Apache-2.0
//
// The fit: contract in fit.h, objective in fit_objective.h. L-BFGS from several starting points, in the
// logarithms of the alphas and betas (they span seven decades; untransformed, a third of the fits fail) and
// gamma as it is. What the rows cannot tell is fixed at AdaptDL's values and left out of the search.
#include "batchscope/goodput/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlopt.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fit_objective.h"
#include "floor.h"

namespace batchscope::goodput {

namespace {

void check(std::span<const ProfileRow> rows, const FirstGuess& guess) {
  if (rows.empty()) throw std::invalid_argument("fit: the profile has no rows");
  if (!(guess.contention >= 0 && guess.contention <= kMostContention))
    throw std::invalid_argument("fit: a first guess of contention of " + std::to_string(guess.contention));
  if (!(guess.sync >= 0 && std::isfinite(guess.sync)))
    throw std::invalid_argument("fit: a first guess of synchronisation of " + std::to_string(guess.sync) +
                                " s");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ProfileRow& row = rows[i];
    const auto positive = [](double time) { return time > 0 && std::isfinite(time); };
    if (row.num_nodes < 1 || row.num_replicas < 1 || row.local_batch_size < 1 || row.cores < 0 ||
        row.neighbours < 0 || !positive(row.accumulation_step_time) || !positive(row.optimizer_step_time) ||
        !positive(row.weight) || !(row.age >= 0 && row.age <= 1)) {
      throw std::invalid_argument("fit: row " + std::to_string(i) +
                                  " of the profile has a count, a time or a weight that is not positive and "
                                  "finite, or an age outside 0 to 1");
    }
  }
}

// Summary of the rows, which decides which parameters can be fitted.
struct Evidence {
  bool one_local_batch_size, nodes, replicas, beyond_two, cores, cores_help, tells_of_overhead;
  double mean_accumulation_time = 0, longest_time = 0, mean_local_batch_size = 0;

  explicit Evidence(std::span<const ProfileRow> rows) {
    const auto any = [rows](auto predicate) { return std::any_of(rows.begin(), rows.end(), predicate); };
    one_local_batch_size = !any([&](auto& row) { return row.local_batch_size != rows[0].local_batch_size; });
    nodes = any([](auto& row) { return row.num_nodes > 1; });
    replicas = any([](auto& row) { return row.num_nodes == 1 && row.num_replicas > 1; });
    cores = any([](auto& row) { return row.cores > 0; });
    beyond_two = any([](auto& row) { return row.num_replicas > 2; });
    const auto ends = std::ranges::minmax_element(rows, {}, &ProfileRow::cores);
    const ProfileRow &fewest = *ends.min, &most = *ends.max;
    cores_help = most.accumulation_step_time < fewest.accumulation_step_time;
    const auto between = [&](auto& row) { return row.cores != fewest.cores && row.cores != most.cores; };
    tells_of_overhead = !one_local_batch_size || any(between);
    for (const ProfileRow& row : rows) {
      mean_accumulation_time += row.accumulation_step_time / static_cast<double>(rows.size());
      mean_local_batch_size += static_cast<double>(row.local_batch_size) / static_cast<double>(rows.size());
      longest_time = std::max({longest_time, row.accumulation_step_time, row.optimizer_step_time});
    }
  }
};

class Fit {
 public:
  Fit(std::span<const ProfileRow> rows, const FirstGuess& guess)
      : objective_(rows, guess.contention), evidence_(rows) {
    best_.fill(kFloor);
    best_[kGamma] = 1;
    best_[kCoreExponent] = best_[kCoreOverhead] = 0;
    best_[kContention] = guess.contention;
    best_[kAlphaR] = std::max(guess.sync, kFloor);
    if (evidence_.one_local_batch_size) {
      // AdaptDL: constant and linear part alike. Cores take nearly as many times as long for as many samples.
      best_[kAlphaC] = evidence_.mean_accumulation_time / (evidence_.cores ? 5 : 2);
    } else {
      free_.push_back(kAlphaC);
    }
    free_.push_back(kBetaC);
    if (evidence_.nodes) free_.push_back(kAlphaN);
    if (evidence_.nodes && evidence_.beyond_two) free_.push_back(kBetaN);
    if (evidence_.replicas) free_.push_back(kAlphaR);
    if (evidence_.replicas && evidence_.beyond_two) free_.push_back(kBetaR);
    free_.push_back(kGamma);
    if (objective_.has_several_cores()) {
      // One size on two numbers of cores tells what cores bring in all, and not how much of it is lost again.
      if (evidence_.tells_of_overhead || evidence_.cores_help) free_.push_back(kCoreExponent);
      if (evidence_.tells_of_overhead || !evidence_.cores_help) free_.push_back(kCoreOverhead);
    }
    if (objective_.has_several_neighbours()) free_.push_back(kContention);
  }

  // AdaptDL's, and three at the scale of the measured times: cheap links with little overlap, dear ones with
  // much, dear ones that further replicas do not slow.
  std::vector<ParamVector> starts() const {
    const double alpha = evidence_.mean_accumulation_time / 2;
    const double beta = alpha / evidence_.mean_local_batch_size;
    const double cheap = alpha / 5, dear = 2 * alpha;
    return {{0.1, 0.01, 0.1, 0.01, 0.1, 0.01, 1.001, 0.5, 0.01, 0.1},
            {alpha, beta, cheap, cheap / 10, cheap, cheap / 10, 1.5, 1, 0, 0},
            {alpha, beta, dear, dear / 10, dear, dear / 10, 3, 1, alpha / 10, 0.1},
            {alpha, beta, 2 * dear, dear / 1000, 2 * dear, dear / 1000, 2, 0.2, alpha, 0.2}};
  }

  void search_from(ParamVector start) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      if (std::find(free_.begin(), free_.end(), i) == free_.end()) start[i] = best_[i];
    }
    minimise(start, kSmoothing, 1e-7);
  }

  // Sharpens the kinks, from the best point so far, for as long as that gains anything.
  void polish() {
    double before = std::numeric_limits<double>::infinity();
    for (double smoothing = kSmoothing / 10; smoothing >= 1e-8 && before - least_ > 1e-9; smoothing /= 10) {
      before = least_;
      minimise(best_, smoothing, 1e-12);
    }
  }

  // The best point, and between nodes, where nothing was seen, a link dearer than within one. AdaptDL takes
  // alpha_n = 1.1 alpha_r; the larger of alpha_r and beta_r keeps the regulariser at most where the search
  // had it.
  PerfParams result() const {
    PerfParams perf = to_params(best_);
    if (!evidence_.nodes) {
      perf.alpha_n = 1.1 * std::max(perf.alpha_r, perf.beta_r);
      perf.beta_n = 1.1 * perf.beta_r;
    }
    return perf;
  }

 private:
  static constexpr double kSmoothing = 1e-3;

  // Times are searched by their logarithms, the others as they are.
  static bool is_time(std::size_t index) { return index < kGamma; }
  static double inner(std::size_t index, double value) { return is_time(index) ? std::log(value) : value; }
  static double outer(std::size_t index, double value) {
    return is_time(index) ? std::max(std::exp(value), kFloor) : value;  // the logarithm rounds
  }
  std::pair<double, double> bounds(std::size_t index) const {
    switch (index) {
      case kGamma: return {1, 10};
      case kCoreExponent: return {0, 1};
      case kCoreOverhead: return {0, 1e3 * evidence_.longest_time};
      case kContention: return {0, kMostContention};
      default: return {std::log(kFloor), std::log(std::max(1e3 * evidence_.longest_time, 1.0))};
    }
  }

  void minimise(const ParamVector& start, double smoothing, double tolerance) {
    const auto dimensions = static_cast<unsigned>(free_.size());
    std::vector<double> x(dimensions), low(dimensions), high(dimensions);
    for (unsigned i = 0; i < dimensions; ++i) {
      const std::size_t index = free_[i];
      std::tie(low[i], high[i]) = bounds(index);
      x[i] = std::clamp(inner(index, start[index]), low[i], high[i]);
    }
    at_ = start;
    smoothing_ = smoothing;
    nlopt::opt optimiser(nlopt::LD_LBFGS, dimensions);
    optimiser.set_min_objective(&Fit::value, this);
    optimiser.set_lower_bounds(low);
    optimiser.set_upper_bounds(high);
    optimiser.set_ftol_rel(tolerance);
    optimiser.set_maxeval(100);
    double unused = 0;
    try {
      optimiser.optimize(x, unused);
    } catch (const std::runtime_error&) {
      // A line search that found nothing lower; the best point so far stands.
    }
  }

  static double value(unsigned dimensions, const double* x, double* gradient, void* self) {
    Fit& fit = *static_cast<Fit*>(self);
    for (unsigned i = 0; i < dimensions; ++i) fit.at_[fit.free_[i]] = outer(fit.free_[i], x[i]);
    ParamVector slope;
    const FitObjective::Value found = fit.objective_(fit.at_, fit.smoothing_, gradient ? &slope : nullptr);
    if (gradient) {
      for (unsigned i = 0; i < dimensions; ++i) {
        const std::size_t index = fit.free_[i];
        gradient[i] = slope[index] * (is_time(index) ? fit.at_[index] : 1);
      }
    }
    if (found.exact < fit.least_) {
      fit.least_ = found.exact;
      fit.best_ = fit.at_;
    }
    return found.smoothed;
  }

  FitObjective objective_;
  Evidence evidence_;
  std::vector<std::size_t> free_;
  ParamVector best_;
  double least_ = std::numeric_limits<double>::infinity();
  ParamVector at_{};
  double smoothing_ = 0;
};

// The error of the logarithm of the row's whole step.
double step_error(const PerfParams& perf, const ProfileRow& row) {
  const double modelled = step_time(perf, {row.num_nodes, row.num_replicas, row.local_batch_size, 0},
                                    {.cores_per_replica = std::max(row.cores, 1)});
  return std::log(modelled / row.optimizer_step_time);
}

// Returns the rows with the weights w / (1 + age (error / 10 %)^2)^2, for rows that newer ones may
// contradict: those of Geman and McClure for robust regression (Bull. Int. Stat. Inst. 52, 1987).
std::vector<ProfileRow> without_trust_in_old(const PerfParams& perf, std::span<const ProfileRow> rows) {
  constexpr double kTrusted = 0.1;
  std::vector<ProfileRow> doubted(rows.begin(), rows.end());
  for (ProfileRow& row : doubted)
    row.weight /= square(1 + row.age * square(step_error(perf, row) / kTrusted));
  return doubted;
}

constexpr int kDoubts = 6;  // times: old rows have drawn the first fits to themselves

}  // namespace

PerfParams fit(std::span<const ProfileRow> rows, const FirstGuess& guess) {
  check(rows, guess);
  Fit search(rows, guess);
  for (const ParamVector& start : search.starts()) search.search_from(start);
  search.polish();
  PerfParams perf = search.result();
  const bool all_new = std::ranges::all_of(rows, [](const ProfileRow& row) { return row.age == 0; });
  for (int i = 1; i <= kDoubts && !all_new; ++i) {
    const std::vector<ProfileRow> doubted = without_trust_in_old(perf, rows);
    Fit again(doubted, guess);
    again.search_from(to_vector(perf));
    if (i == kDoubts) again.polish();
    perf = again.result();
  }
  return perf;
}

double fit_residual(const PerfParams& perf, std::span<const ProfileRow> rows) {
  double squares = 0, weights = 0;
  for (const ProfileRow& row : rows) {
    squares += row.weight * square(step_error(perf, row));
    weights += row.weight;
  }
  return std::sqrt(squares / weights);
}

double fit_objective(const PerfParams& perf, std::span<const ProfileRow> rows) {
  return FitObjective(rows)(to_vector(perf), 0, nullptr).exact;
}

}  // namespace batchscope::goodput
