// SPDX-License-Identifier: Apache-2.0
#include "simulated_job.h"

#include <algorithm>
#include <cmath>

#include "batchscope/goodput/noise_scale.h"

namespace batchscope::policy {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// How a fixed batch size is divided: into as few micro-batches as the application's bounds allow, and at
// least two where one replica goes beyond the initial batch size.
struct Division {
  std::int64_t local_batch_size;
  int accumulation_steps;
};
Division divide(const Application& application, std::int64_t batch_size, int num_replicas,
                bool at_least_two_alone) {
  const std::int64_t share = ceil_div(batch_size, num_replicas);
  std::int64_t steps = ceil_div(share, application.max_local_batch_size()) - 1;
  if (num_replicas == 1 && at_least_two_alone) steps = std::max<std::int64_t>(steps, 1);
  const std::int64_t most = application.max_batch_size() / (num_replicas * (steps + 1));
  return {std::max<std::int64_t>(std::min(ceil_div(share, steps + 1), most), 1), static_cast<int>(steps)};
}

}  // namespace

std::vector<int> on_nodes_of(int node, int count) {
  std::vector<int> placement;
  for (int left = count; left > 0; left -= node) placement.push_back(std::min(left, node));
  return placement;
}

double step_seconds(const Application& application, std::int64_t batch_size, int num_replicas, int node,
                    bool at_least_two_alone) {
  const Division division = divide(application, batch_size, num_replicas, at_least_two_alone);
  const StepTimes times = application.step_times(on_nodes_of(node, num_replicas), division.local_batch_size);
  return times.step + (times.step - times.sync) * division.accumulation_steps;
}

SimulatedJob::SimulatedJob(const Submission& submission, const Application& application, bool by_goodput)
    : submission_(submission),
      application_(application),
      fits_(by_goodput),
      fixed_size_(by_goodput ? application.fixed_batch_size() : submission.batch_size) {}

double SimulatedJob::goodput(int num_nodes, int num_replicas) const {
  if (!model_) return -1;
  const auto [known, absent] = goodput_.try_emplace({num_nodes, num_replicas});
  if (absent)
    known->second = goodput::GoodputFunction(*model_, gradient_, application_.init_batch_size())
                        .optimize(num_nodes, num_replicas, application_.bounds())
                        .goodput;
  return known->second;
}

std::vector<int> SimulatedJob::per_node() const {
  std::vector<int> counts;
  for (const Share& share : placement_) counts.push_back(share.devices);
  return counts;
}

void SimulatedJob::tune() {
  const int count = replicas(placement_);
  if (fixed_size_ == 0 && model_) {
    const goodput::Choice choice =
        goodput::GoodputFunction(*model_, gradient_, application_.init_batch_size())
            .optimize(static_cast<int>(placement_.size()), count, application_.bounds());
    if (choice.local_batch_size > 0) {
      local_batch_size_ = choice.local_batch_size;
      accumulation_steps_ = choice.accumulation_steps;
      return;
    }
  }
  const std::int64_t size =
      fixed_size_ > 0 ? fixed_size_
                      : std::max(application_.init_batch_size(), application_.min_local_batch_size() * count);
  const Division division = divide(application_, size, count, size > application_.init_batch_size());
  local_batch_size_ = division.local_batch_size;
  accumulation_steps_ = division.accumulation_steps;
}

void SimulatedJob::advance(double seconds, double interference) {
  const double end = now_ + seconds;
  if (placement_.empty() || completion_) {
    now_ = end;
    return;
  }
  const int count = replicas(placement_);
  const double delay = std::min(pause_, seconds);
  now_ += delay;
  pause_ -= delay;
  while (now_ < end && !completion_) {
    const std::int64_t size = count * local_batch_size_ * (accumulation_steps_ + std::int64_t{1});
    const double scale = static_cast<double>(size) / static_cast<double>(application_.init_batch_size());
    const StepTimes times = application_.step_times(per_node(), local_batch_size_);
    const goodput::GradParams gradient = application_.gradient(size, epoch_);
    measure(local_batch_size_, times, gradient);
    const double gain = goodput::gain_of(gradient.sqr, gradient.var, scale);
    const double speed =
        gain / (times.step + (times.step - times.sync) * accumulation_steps_) * (1 - interference);
    const double next = application_.progress(epoch_ + 1);
    if (progress_ + speed * (end - now_) < next) {
      progress_ += speed * (end - now_);
      now_ = end;
    } else {
      const double left = (next - progress_) / speed, rounding = application_.epoch_rounding();
      now_ = std::min(now_ + (rounding > 0 ? std::nearbyint(left / rounding) * rounding : left), end);
      progress_ = next;
      if (++epoch_ == application_.epochs()) completion_ = now_;
    }
    tune();
  }
  if (completion_) leave();
}

void SimulatedJob::leave() {
  if (!placement_.empty() && now_ > since_) tenures_.push_back({since_, now_, placement_});
}

void SimulatedJob::reallocate(const Placement& placement, double restart) {
  leave();
  placement_ = placement;
  since_ = now_;
  if (placement.empty()) return;
  tune();
  pause_ = restart;
  ++restarts_;
}

void SimulatedJob::measure(std::int64_t local_batch_size, const StepTimes& times,
                           const goodput::GradParams& gradient) {
  if (!fits_) return;
  const auto nodes = static_cast<int>(placement_.size());
  const int count = replicas(placement_);
  most_profiled_ = std::max(most_profiled_, count);
  const bool same_gradient = gradient.sqr == gradient_.sqr && gradient.var == gradient_.var;
  gradient_ = gradient;
  if (!same_gradient) goodput_.clear();
  bool new_count = true, known = false;
  for (const goodput::ProfileRow& row : profile_)
    if (row.num_nodes == nodes && row.num_replicas == count) {
      new_count = false;
      known = known || row.local_batch_size == local_batch_size;
    }
  if (known) return;
  profile_.push_back({nodes, count, local_batch_size, times.step - times.sync, times.step});
  // Further batch sizes tell little, and most of a simulation's time would go to fitting them one by one.
  constexpr double kGrowth = 1.25;
  if (!new_count && static_cast<double>(profile_.size()) < kGrowth * static_cast<double>(fitted_rows_))
    return;
  model_ = goodput::fit(profile_);
  fitted_rows_ = profile_.size();
  goodput_.clear();
}

}  // namespace batchscope::policy
