// SPDX-License-Identifier: Apache-2.0
#include "batchscope/goodput/noise_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace batchscope::goodput {

namespace {

// AdaptDL's floor under the variance of each parameter group; without it a gain could divide zero by zero.
constexpr double kSmallestVar = 1e-6;

// The memories of NoiseMode::tracking, in batches of the initial size.
constexpr double kVarMemory = 20, kLeastMemory = 100, kMostMemory = 1000, kShareOfAge = 0.2;

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

double clamped_sum(const std::vector<double>& values, double smallest) {
  double sum = 0;
  for (const double value : values) sum += std::max(value, smallest);
  return sum;
}

}  // namespace

bool NormSample::is_finite() const { return all_finite(local_sqr) && all_finite(total_sqr); }

double gain_of(double sqr, double var, double scale) {
  return scale > 0 ? (var + sqr) / (var / scale + sqr) : 0;
}

void NormSample::forget_previous() {
  previous_sqr.clear();
  mean_of_two_sqr.clear();
}

double fairscale_smoothing(int count) { return std::max(1 - count / 1000.0, 0.0); }

NoiseScale::NoiseScale(std::size_t groups, const NoiseOptions& options)
    : options_(options), sqr_(groups), var_(groups), sqr_avg_(groups, 1.0), var_avg_(groups, 0.0) {
  set_smoothing(options.smoothing);
}

void NoiseScale::set_smoothing(std::optional<double> smoothing) {
  if (smoothing && !(*smoothing >= 0 && *smoothing < 1)) {
    throw std::invalid_argument("NoiseScale: smoothing is " + std::to_string(*smoothing) +
                                ", but must be at least 0 and below 1");
  }
  options_.smoothing = smoothing;
}

void NoiseScale::add_group() {
  sqr_.emplace_back();
  var_.emplace_back();
  sqr_avg_.push_back(1);
  var_avg_.push_back(0);
  if (last_sqr_.empty()) return;
  last_sqr_.push_back(0);
  last_var_.push_back(0);
}

void NoiseScale::begin_anew() {
  std::fill(sqr_.begin(), sqr_.end(), Average{});
  std::fill(var_.begin(), var_.end(), Average{});
  age_ = 0;
}

void NoiseScale::rescale_variance(double factor) {
  for (std::size_t group = 0; group < var_.size(); ++group) {
    var_[group].sum *= factor;
    var_avg_[group] *= factor;
    if (tracks()) sqr_[group].sum /= factor;
  }
  error_.rescale(1 / factor);
}

double NoiseScale::theta(double scale, int count) const {
  switch (options_.mode) {
    case NoiseMode::paper: return std::max(1 - scale / 1000, 0.0);
    case NoiseMode::fairscale: return options_.smoothing.value_or(fairscale_smoothing(count));
    case NoiseMode::adaptdl:
    case NoiseMode::tracking: break;
  }
  return std::pow(options_.smoothing.value_or(0.999), scale);
}

// Without a floor the variance before the first estimate is zero, and the gain 1.
double NoiseScale::smallest_var() const {
  return options_.mode == NoiseMode::adaptdl || tracks() ? kSmallestVar : 0;
}

bool NoiseScale::update(const NormSample& sample, int steps) {
  const std::size_t groups = sqr_.size();
  const auto fits = [groups](const std::vector<double>& values) { return values.size() == groups; };
  const bool single = sample.count == 1;
  const bool pair = single && !sample.previous_sqr.empty();
  if (!fits(sample.local_sqr) || !fits(sample.total_sqr) || sample.count < 1 || !(sample.scale > 0) ||
      steps < 1 || (pair && !(fits(sample.previous_sqr) && fits(sample.mean_of_two_sqr)))) {
    throw std::invalid_argument("NoiseScale::update: every norm needs one value for each of the " +
                                std::to_string(groups) +
                                " parameter groups, count, scale and steps must be positive");
  }
  if (!sample.is_finite() ||
      (pair && !(all_finite(sample.previous_sqr) && all_finite(sample.mean_of_two_sqr)))) {
    return false;
  }
  if (!single && difference_ && !tracks()) begin_anew();  // what the difference estimator left is biased
  difference_ = single;
  if ((single && !pair) || groups == 0) return false;

  const double count = single ? 2 : sample.count;
  const double scale = single ? 2 * sample.scale : sample.scale;
  last_sqr_.resize(groups);
  last_var_.resize(groups);
  for (std::size_t group = 0; group < groups; ++group) {
    const double local =
        single ? (sample.previous_sqr[group] + sample.total_sqr[group]) / 2 : sample.local_sqr[group] / count;
    const double total = single ? sample.mean_of_two_sqr[group] : sample.total_sqr[group];
    last_sqr_[group] = (count * total - local) / (count - 1);
    last_var_[group] = (local - total) * scale / (count - 1);
  }
  tracks() ? track(sample.scale, steps) : follow(scale, sample.count, steps);
  return true;
}

// Averages the last estimates, each by itself.
void NoiseScale::follow(double scale, int count, int steps) {
  const double theta = this->theta(scale, count), theta_all = std::pow(theta, steps);
  const bool clips = options_.mode != NoiseMode::adaptdl;
  const bool debiases =
      options_.mode == NoiseMode::adaptdl || (options_.mode == NoiseMode::fairscale && options_.debias);
  const double before = quotient(), share_of_mean = var_.front().share_of_mean(theta, steps);
  const auto add = [&](Average& average, double& value, double estimate) {
    value = debiases ? average.add_debiased(estimate, theta_all)
                     : average.add_to_mean(estimate, theta, value, steps);
  };
  for (std::size_t group = 0; group < sqr_.size(); ++group) {
    if (clips) {
      last_sqr_[group] = std::max(last_sqr_[group], 0.0);
      last_var_[group] = std::max(last_var_[group], kSmallestVar);
    }
    add(sqr_[group], sqr_avg_[group], last_sqr_[group]);
    add(var_[group], var_avg_[group], last_var_[group]);
  }
  const double share = debiases ? (1 - theta_all) / var_.front().weight : share_of_mean;
  error_.add(share, (sum(last_sqr_) - before * sum(last_var_)) / var());
}

// The quotient is by the variance of all groups, as one may have none.
void NoiseScale::track(double scale, int steps) {
  age_ += scale * steps;
  const double memory = std::clamp(kShareOfAge * age_, kLeastMemory, kMostMemory);
  const double all = scale * steps;
  const double theta_sqr = std::pow(1 - 1 / memory, all), theta_var = std::pow(1 - 1 / kVarMemory, all);
  for (std::size_t group = 0; group < sqr_.size(); ++group)
    var_avg_[group] = var_[group].add_debiased(last_var_[group], theta_var);
  const double var = this->var(), before = quotient();
  for (std::size_t group = 0; group < sqr_.size(); ++group)
    sqr_avg_[group] = var * sqr_[group].add_debiased(last_sqr_[group] / var, theta_sqr);
  error_.add((1 - theta_sqr) / sqr_.front().weight, sum(last_sqr_) / var - before);
}

// The estimate of sqr over var that the averages hold.
double NoiseScale::quotient() const {
  if (!tracks()) return var() > 0 ? sum(sqr_avg_) / var() : 0;
  double quotient = 0;
  for (const Average& average : sqr_) quotient += average.weight > 0 ? average.sum / average.weight : 0;
  return quotient;
}

double NoiseScale::Average::add_debiased(double value, double theta) {
  sum = theta * sum + (1 - theta) * value;
  weight = theta * weight + (1 - theta);
  return sum / weight;
}

// Each of the first n values weighs 1/n, so that the average is their mean, later ones 1 - theta.
double NoiseScale::Average::share_of_mean(double theta, int steps) const {
  double kept = 1;
  for (int step = 1; step <= steps; ++step) kept *= 1 - std::max(1 / (weight + step), 1 - theta);
  return 1 - kept;
}

double NoiseScale::Average::add_to_mean(double value, double theta, double average, int steps) {
  const double share = share_of_mean(theta, steps);
  weight += steps;
  return average + share * (value - average);
}

double NoiseScale::gain(double scale) const { return gain_of(sqr(), var(), scale); }

std::optional<std::pair<double, double>> NoiseScale::gain_interval(double scale) const {
  const GradParams at = params();
  if (!(at.sqr_error > 0)) return {};
  const auto [least, most] = at.interval();
  return std::pair(gain_of(least.sqr, least.var, scale), gain_of(most.sqr, most.var, scale));
}

double NoiseScale::raw_gain(double scale) const {
  if (last_sqr_.empty()) return std::numeric_limits<double>::quiet_NaN();
  return gain_of(clamped_sum(last_sqr_, 0), clamped_sum(last_var_, kSmallestVar), scale);
}

double NoiseScale::sqr() const { return clamped_sum(sqr_avg_, 0); }
double NoiseScale::var() const { return clamped_sum(var_avg_, smallest_var()); }
GradParams NoiseScale::params() const { return {sqr(), var(), error_.standard_error().value_or(0) * var()}; }
const std::vector<double>& NoiseScale::sqr_by_group() const { return sqr_avg_; }
const std::vector<double>& NoiseScale::var_by_group() const { return var_avg_; }
bool NoiseScale::biased() const { return difference_; }

// The mode and two flags, then eight numbers a group; then the age of what tracks, and the sums of the error.
std::vector<double> NoiseScale::state() const {
  const bool estimated = !last_sqr_.empty();
  std::vector<double> state{static_cast<double>(options_.mode), difference_ ? 1.0 : 0.0,
                            estimated ? 1.0 : 0.0};
  for (std::size_t group = 0; group < sqr_.size(); ++group) {
    state.insert(state.end(),
                 {sqr_[group].sum, sqr_[group].weight, sqr_avg_[group], var_[group].sum, var_[group].weight,
                  var_avg_[group], estimated ? last_sqr_[group] : 0, estimated ? last_var_[group] : 0});
  }
  if (tracks()) state.push_back(age_);
  const auto error = error_.state();
  state.insert(state.end(), error.begin(), error.end());
  return state;
}

void NoiseScale::restore(const std::vector<double>& state) {
  const std::size_t groups = sqr_.size();
  const bool tracked = !state.empty() && state[0] == static_cast<double>(NoiseMode::tracking);
  const std::size_t without = 3 + 8 * groups + (tracked ? 1 : 0);  // the error, which older states lack
  const std::size_t size = without + error_.state().size();
  if ((state.size() != size && state.size() != without) || !all_finite(state)) {
    throw std::invalid_argument("NoiseScale::restore: " + std::to_string(size) +
                                " finite numbers are needed for " + std::to_string(groups) +
                                " parameter groups; the state has " + std::to_string(state.size()));
  }
  const bool same_mode = state[0] == static_cast<double>(options_.mode);
  difference_ = state[1] != 0;
  last_sqr_.assign(state[2] != 0 ? groups : 0, 0);
  last_var_ = last_sqr_;
  age_ = same_mode && tracked ? state[without - 1] : 0;
  auto error = AverageError().state();
  if (state.size() == size)
    std::copy(state.begin() + static_cast<std::ptrdiff_t>(without), state.end(), error.begin());
  error_.restore(error);
  for (std::size_t group = 0; group < groups; ++group) {
    const double* numbers = state.data() + 3 + 8 * group;
    sqr_[group] = {numbers[0], numbers[1]};
    sqr_avg_[group] = numbers[2];
    var_[group] = {numbers[3], numbers[4]};
    var_avg_[group] = numbers[5];
    if (last_sqr_.empty()) continue;
    last_sqr_[group] = numbers[6];
    last_var_[group] = numbers[7];
  }
  if (same_mode || last_sqr_.empty()) return;
  const double unit = tracks() ? var() : 1;
  for (std::size_t group = 0; group < groups; ++group) {
    sqr_[group] = {sqr_avg_[group] / unit, 1};
    var_[group] = {var_avg_[group], 1};
  }
}

}  // namespace batchscope::goodput
