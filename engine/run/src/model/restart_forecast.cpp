// SPDX-License-Identifier: Apache-2.0
#include "model/restart_forecast.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "batchscope/protocol/series.h"
#include "batchscope/run/number_text.h"
#include "words.h"

namespace batchscope::run {
namespace {

namespace series = protocol::series;

constexpr std::size_t kLeastSteps = 20, kMostSteps = 100'000;
constexpr double kLeastSeconds = 5, kMostSeconds = 60;  // of step time
constexpr double kSteady = 0.15;                        // by which the quarters differ
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Replicas whose number stays go on as they are; others choose anew.
std::optional<Prediction> predicted(const protocol::Model& model, goodput::Configuration at, int replicas,
                                    int nodes) {
  const bool stays = at.num_replicas == replicas && at.local_batch_size > 0;
  at.num_nodes = nodes;
  std::optional<Prediction> prediction = stays ? predict(model, at) : predict(model, replicas, nodes);
  if (!prediction || !(prediction->throughput > 0)) return {};
  if (!(model.grad_var > 0)) prediction->efficiency = prediction->goodput = kUnknown;
  return prediction;
}

bool is_enough(std::size_t steps, double seconds) {
  return (steps >= kLeastSteps && seconds >= kLeastSeconds) || steps >= kMostSteps;
}

// Returns the rate of the newest steps that are enough; none where it is not steady.
std::optional<MeasuredRate> steady_rate(std::span<const MeasuredStep> steps) {
  std::size_t count = 0;
  double seconds = 0;
  while (count < steps.size() && !is_enough(count, seconds)) seconds += steps[steps.size() - ++count].seconds;
  if (!is_enough(count, seconds)) return {};
  const auto newest = steps.last(count);
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    const auto rate = measured_rate(newest.subspan(quarter * count / 4, count / 4));
    if (!rate) return {};
    least = std::min(least, rate->throughput);
    most = std::max(most, rate->throughput);
  }
  return most < (1 + kSteady) * least ? measured_rate(newest) : std::nullopt;
}

bool has_waited(std::span<const MeasuredStep> steps) {
  double seconds = 0;
  for (const MeasuredStep& step : steps) seconds += step.seconds;
  return steps.size() >= kMostSteps || (steps.size() >= kLeastSteps && seconds >= kMostSeconds);
}

}  // namespace

void RestartForecast::ask() {
  asked_ = model_;
  asked_rate_ = measured_rate(newest_);
}

std::optional<Prediction> RestartForecast::expected(const goodput::Configuration& at, int replicas,
                                                    const goodput::Devices& devices, int nodes) const {
  std::optional<protocol::Model> model = asked_ ? asked_ : model_;
  if (!model) return std::nullopt;
  model->devices = devices.count;
  model->divides_cores = false;  // they are divided already
  if (model->cores > 0) model->cores = devices.cores_per_replica;
  return predicted(*model, at, replicas, nodes);
}

const std::optional<Prediction>& RestartForecast::begin(bool is_restart, const goodput::Configuration& at,
                                                        int replicas, const goodput::Devices& devices,
                                                        int nodes) {
  prediction_ = is_restart ? expected(at, replicas, devices, nodes) : std::nullopt;
  before_.reset();
  if (asked_rate_) before_ = Before{at.num_replicas, *asked_rate_};
  asked_rate_.reset();
  asked_.reset();
  steps_.clear();
  newest_.clear();
  began_ = false;
  waits_ = prediction_.has_value();
  return prediction_;
}

std::optional<MeasuredRate> RestartForecast::take(const protocol::Steps& steps) {
  const auto column = [&](const char* name) -> std::span<const double> {
    const auto found = steps.columns.find(name);
    return found == steps.columns.end() ? std::span<const double>() : found->second;
  };
  const auto times = column(series::kStepTime), sizes = column(series::kBatchSize),
             efficiencies = column(series::kEfficiency), throughputs = column(series::kThroughput);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::exchange(began_, true) || i >= sizes.size() || !(times[i] > 0) || !(sizes[i] > 0)) continue;
    newest_.push_back({times[i], sizes[i], i < efficiencies.size() ? efficiencies[i] : kUnknown,
                       i < throughputs.size() ? std::round(throughputs[i] * times[i]) : kUnknown});
    if (!waits_) continue;
    if (!steps_.empty() && steps_.back().batch_size != sizes[i]) steps_.clear();
    steps_.push_back(newest_.back());
  }
  if (std::ssize(newest_) > 2 * kMeasuredSteps)
    newest_.erase(newest_.begin(), newest_.end() - kMeasuredSteps);
  if (!waits_) return {};
  std::optional<MeasuredRate> rate = steady_rate(steps_);
  if (!rate && has_waited(steps_)) rate = measured_rate(steps_);
  waits_ = !rate;
  return rate;
}

std::string forecast_text(const Prediction& predicted, const MeasuredRate& obtained) {
  const bool is_goodput = std::isfinite(predicted.goodput) && std::isfinite(obtained.goodput);
  const double before = is_goodput ? predicted.goodput : predicted.throughput;
  const double after = is_goodput ? obtained.goodput : obtained.throughput;
  return fmt::format("Predicted {} {} samples/s on {}, obtained {} ({})",
                     is_goodput ? "goodput" : "throughput", range_text(before, predicted.error),
                     replica_count_text(predicted.at.num_replicas), number_text(after),
                     change_text(after / before - 1));
}

}  // namespace batchscope::run
