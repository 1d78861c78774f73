// SPDX-License-Identifier: Apache-2.0
//
// One sum over the replicas a step: the weighted gradients, and behind them the squares of each replica's own
// (goodput/noise_scale.h). With a single gradient a step the one before it serves as the second.
#include "batchscope/replica/gradient_average.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "adapt/timer.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/json_state.h"
#include "session/non_finite_step.h"

namespace batchscope {

using namespace replica;
namespace {

double square(const std::vector<double>& numbers) {
  return std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0);
}

}  // namespace

struct GradientAverage::Impl final : JsonState {
  explicit Impl(std::size_t the_size) : JsonState("gradient", Form::binary), size(the_size), sum(the_size) {
    checkpoint::load_state(*this);
  }

  void accumulate(std::span<const double> gradient, double weight) {
    ++micro_steps;
    if (weight == 0) return;  // padding, whatever its gradient is
    for (std::size_t i = 0; i < size; ++i) sum[i] += weight * gradient[i];
    local_sqr += std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0);
  }

  // Returns the average over all replicas and micro-batches; the norms of the step come with it.
  std::vector<double> average(goodput::NormSample& norms) {
    norms.count = num_replicas() * std::exchange(micro_steps, 0);
    std::vector<double> mean = std::exchange(sum, std::vector<double>(size));
    mean.push_back(std::exchange(local_sqr, 0));
    const Timer::Moment began = timer().now();
    mean = collective::sum("gradient", mean);
    report.waited = {began, timer().now()};
    norms.local_sqr = {mean.back()};
    mean.pop_back();
    for (double& number : mean) number /= norms.count;
    norms.total_sqr = {square(mean)};
    if (norms.count == 1 && previous.size() == size) {
      std::vector<double> both(size);
      for (std::size_t i = 0; i < size; ++i) both[i] = (mean[i] + previous[i]) / 2;
      norms.previous_sqr = {square(previous)};
      norms.mean_of_two_sqr = {square(both)};
    }
    previous = norms.count == 1 ? mean : std::vector<double>();
    return mean;
  }

  std::optional<Step> step() {
    const StepContext& context = step_context();
    report = {};
    goodput::NormSample norms;
    Step step{average(norms)};
    const metrics::StepScale scale = metrics::step_scale(norms.count);
    norms.scale = scale.own;
    if (std::exchange(previous_scale, scale.own) != scale.own) norms.forget_previous();
    if (context.even)
      noise.update(norms);
    else
      previous.clear();  // it is of another batch size, which no estimate allows for
    step.gain = report.gain = report.lr_factor = noise.gain(scale.own);
    report.nominal_gain = noise.gain(scale.nominal);
    report.raw_gain = noise.raw_gain(scale.nominal);
    report.gain_interval = noise.gain_interval(scale.nominal);
    report.gradient = noise.params();
    report.skipped = !norms.is_finite();
    if (!report.skipped) return step;
    previous.clear();
    metrics::commit_step(report);
    after_non_finite_step(
        {metrics::steps(), metrics::non_finite_steps(), metrics::non_finite_in_a_row(), false});
    return std::nullopt;
  }

  protocol::Json contents() const override {
    return {{"noise", noise.state()}, {"previous", previous}, {"previous_scale", previous_scale}};
  }
  void restore(const protocol::Json& json) override {
    noise.restore(json.at("noise").get<std::vector<double>>());
    json.at("previous").get_to(previous);
    previous_scale = json.value("previous_scale", previous_scale);
  }

  const std::size_t size;
  goodput::NoiseScale noise{1};
  std::vector<double> sum, previous;  // of the step in flight; of the one before, where it was a single one
  double local_sqr = 0, previous_scale = 0;
  int micro_steps = 0;
  metrics::StepReport report;
};

GradientAverage::GradientAverage(std::size_t size) : impl_(std::make_unique<Impl>(size)) {}
GradientAverage::~GradientAverage() = default;

std::optional<GradientAverage::Step> GradientAverage::add(std::span<const double> gradient) {
  if (gradient.size() != impl_->size)
    throw Error(ErrorKind::usage, fmt::format("a gradient of {} numbers, where GradientAverage is of {}",
                                              gradient.size(), impl_->size));
  const StepContext& context = step_context();
  impl_->accumulate(gradient, context.gradient_weight);
  if (context.optimizer_step) return impl_->step();
  metrics::end_micro_step();
  return std::nullopt;
}

void GradientAverage::finish(double learning_rate) {
  impl_->report.learning_rate = learning_rate;
  metrics::commit_step(impl_->report);
}

}  // namespace batchscope
