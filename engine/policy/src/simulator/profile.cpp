// SPDX-License-Identifier: Apache-2.0
//
// Reading between what was measured; the rules are in profile.h, and the arithmetic is that of the published
// simulator (applications.py), so that its seconds come out.
#include "batchscope/policy/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "batchscope/goodput/fit.h"
#include "counted.h"

namespace batchscope::policy {
namespace {

void require(bool holds, const std::string& name, const std::string& what) {
  if (!holds) throw std::invalid_argument(name + ": " + what);
}

}  // namespace

struct Application::Memory {
  std::map<std::pair<std::vector<int>, std::int64_t>, StepTimes> times;
  std::optional<goodput::PerfParams> model;
};

std::vector<int> smallest_rotation(const std::vector<int>& per_node) {
  std::vector<int> smallest = per_node, rotated = per_node;
  for (std::size_t i = 1; i < per_node.size(); ++i) {
    std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
    smallest = std::min(smallest, rotated);
  }
  return smallest;
}

Application::Application(ProfileData data) : data_(std::move(data)), memory_(std::make_unique<Memory>()) {
  const auto need = [this](bool holds, const char* what) { require(holds, data_.name, what); };
  need(!data_.trainings.empty(), "no training was measured");
  need(!data_.placements.empty(), "no placement was measured");
  epochs_ = std::numeric_limits<int>::max();
  for (const auto& [size, epochs] : data_.trainings)
    epochs_ = std::min(epochs_, static_cast<int>(epochs.size()));
  need(epochs_ > 0, "a training has no epochs");
  min_local_ = std::numeric_limits<std::int64_t>::max();
  for (const auto& [placement, steps] : data_.placements) {
    need(!steps.empty(), "a placement has no steps");
    min_local_ = std::min(min_local_, steps.front().local_batch_size);
    max_local_ = std::max(max_local_, steps.back().local_batch_size);
  }
  if (data_.max_local_batch_size > 0) max_local_ = std::min(max_local_, data_.max_local_batch_size);
  need(min_local_ <= max_local_, "the largest local batch size is below the smallest that was measured");
  need(min_local_ <= max_batch_size(), "no local batch size is within the largest batch size of a training");
  need(data_.batch_size <= max_batch_size(), "the batch size is above the largest of a training");
  need(std::isfinite(data_.epoch_rounding) && data_.epoch_rounding >= 0,
       "epochs end in multiples of 0 s or more");
  for (const auto& [where, steps] : data_.between) need(!steps.empty(), "a line of the table has no steps");
  progress_.push_back(0);
  for (int epoch = 0; epoch < epochs_; ++epoch) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [size, epochs] : data_.trainings)
      least = std::min(least, epochs[static_cast<std::size_t>(epoch)].progress);
    need(least > progress_.back(), "progress does not grow from epoch to epoch");
    progress_.push_back(least);
  }
}

Application::~Application() = default;
Application::Application(Application&&) noexcept = default;
Application& Application::operator=(Application&&) noexcept = default;

std::int64_t Application::init_batch_size() const { return data_.trainings.begin()->first; }
std::int64_t Application::max_batch_size() const { return data_.trainings.rbegin()->first; }

int Application::max_replicas(std::int64_t batch_size) const {
  const std::int64_t most = std::clamp<std::int64_t>(batch_size / min_local_, 1, 1 << 20);
  return static_cast<int>(data_.max_replicas > 0 ? std::min<std::int64_t>(most, data_.max_replicas) : most);
}

goodput::Bounds Application::bounds() const {
  return {max_batch_size(), min_local_, max_local_, data_.accumulation, data_.single_gradient};
}

StepTimes Application::step_times(const std::vector<int>& per_node, std::int64_t local_batch_size) const {
  const std::vector<int> placement = smallest_rotation(per_node);
  const auto [known, absent] = memory_->times.try_emplace({placement, local_batch_size});
  if (!absent) return known->second;
  if (const auto found = data_.placements.find(placement); found != data_.placements.end())
    return known->second = measured(found->second, local_batch_size);
  int nodes = 0, count = 0;
  for (const int devices : placement) {
    ++nodes;
    count += devices;
  }
  if (const auto found = data_.between.find({nodes, count}); found != data_.between.end())
    return known->second = measured(found->second, local_batch_size);
  if (data_.measured_only) {
    memory_->times.erase(known);
    throw NotMeasured(data_.name + ": no step on " + counted(count, "replica") + " of " +
                      counted(nodes, "node") + " was measured");
  }
  return known->second = modelled(nodes, count, local_batch_size);
}

bool Application::uses_model() const { return memory_->model.has_value(); }

StepTimes Application::measured(std::span<const MeasuredStep> steps, std::int64_t local_batch_size) const {
  if (steps.size() == 1) return steps[0].times;
  const auto above = std::lower_bound(
      steps.begin(), steps.end(), local_batch_size,
      [](const MeasuredStep& step, std::int64_t size) { return step.local_batch_size < size; });
  const auto last = static_cast<std::ptrdiff_t>(steps.size()) - 1;
  const auto high = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - steps.begin(), 1, last));
  const MeasuredStep &from = steps[high - 1], &to = steps[high];
  const auto size = static_cast<double>(
      std::clamp(local_batch_size, steps.front().local_batch_size, steps.back().local_batch_size));
  const double x0 = static_cast<double>(from.local_batch_size), x1 = static_cast<double>(to.local_batch_size);
  const auto between = [&](double y0, double y1) { return (y1 - y0) / (x1 - x0) * (size - x0) + y0; };
  return {between(from.times.step, to.times.step), between(from.times.sync, to.times.sync)};
}

StepTimes Application::modelled(int num_nodes, int num_replicas, std::int64_t local_batch_size) const {
  if (!memory_->model) {
    std::vector<goodput::ProfileRow> rows;
    const auto add = [&rows](const MeasuredStep& step) {
      rows.push_back({step.num_nodes, step.num_replicas, step.local_batch_size,
                      step.times.step - step.times.sync, step.times.step});
    };
    for (const auto& [placement, steps] : data_.placements)
      for (const MeasuredStep& step : steps) add(step);
    for (const MeasuredStep& step : data_.elsewhere) add(step);
    memory_->model = goodput::fit(rows);
  }
  const double step = goodput::step_time(*memory_->model, {num_nodes, num_replicas, local_batch_size, 0});
  return {step, step - goodput::accumulation_time(*memory_->model, local_batch_size)};
}

std::pair<std::int64_t, std::int64_t> Application::neighbours(std::int64_t batch_size) const {
  const auto above = data_.trainings.lower_bound(batch_size);
  if (above == data_.trainings.end()) return {max_batch_size(), max_batch_size()};
  if (above->first == batch_size || above == data_.trainings.begin()) return {above->first, above->first};
  return {std::prev(above)->first, above->first};
}

goodput::GradParams Application::gradient(std::int64_t batch_size, int epoch) const {
  const auto [low, high] = neighbours(batch_size);
  const auto index = static_cast<std::size_t>(std::clamp(epoch, 0, epochs_ - 1));
  const goodput::GradParams& below = data_.trainings.at(low)[index].gradient;
  if (low == high) return below;
  const goodput::GradParams& above = data_.trainings.at(high)[index].gradient;
  const auto up = static_cast<double>(batch_size - low), down = static_cast<double>(high - batch_size),
             span = static_cast<double>(high - low);
  return {(up * above.sqr + down * below.sqr) / span, (up * above.var + down * below.var) / span};
}

double Application::progress(int epochs) const {
  return progress_[static_cast<std::size_t>(std::clamp(epochs, 0, epochs_))];
}

double Application::iterations(std::int64_t batch_size, int epoch) const {
  const auto [low, high] = neighbours(batch_size);
  const auto index = static_cast<std::size_t>(std::clamp(epoch, 0, epochs_ - 1));
  const double below = data_.trainings.at(low)[index].iteration;
  if (low == high) return below;
  const double above = data_.trainings.at(high)[index].iteration;
  return (static_cast<double>(batch_size - low) * above + static_cast<double>(high - batch_size) * below) /
         static_cast<double>(high - low);
}

}  // namespace batchscope::policy
