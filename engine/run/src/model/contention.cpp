// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/contention.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "batchscope/goodput/model.h"
#include "batchscope/run/model.h"

namespace batchscope::run {
namespace {

constexpr std::size_t kNewest = 5;  // runs of a program

// The numbers of replicas that computed at a time: more replicas than devices take turns. None where the
// model was not fitted here, but told by another's fit.
std::set<int> measured_together(const storage::MachineModel& one) {
  std::set<int> at_a_time;
  if (!one.model.perf || !(one.model.residual >= 0)) return at_a_time;
  for (const int replicas : one.replicas)
    at_a_time.insert(one.model.devices > 0 ? std::min(replicas, one.model.devices) : replicas);
  return at_a_time;
}

// A replica's neighbours compute beside it.
std::optional<double> contention_of(const storage::MachineModel& one) {
  const double share = one.model.contention;
  if (measured_together(one).size() < 2 || !std::isfinite(share) || share < 0) return {};
  return share;
}

// How much longer two replicas take for their largest micro-batch than without synchronisation, which
// overlaps with it.
std::optional<double> sync_time_of(const storage::MachineModel& one) {
  const std::int64_t samples = one.model.max_profiled_local_batch_size;
  const std::set<int> together = measured_together(one);
  if (together.empty() || *together.rbegin() < 2 || samples < 1) return {};
  goodput::PerfParams perf = perf_params(one.model);
  perf.update = 0;
  const int cores = std::max(one.model.cores, 1);
  const double whole = goodput::step_time(perf, {1, 2, samples, 0}, {.cores_per_replica = cores});
  const double longer = whole - goodput::accumulation_time(perf, samples, cores, 2);
  return std::isfinite(longer) ? std::optional(longer) : std::nullopt;
}

// Returns what the newest runs of each program tell.
template <typename Tell>
std::map<std::string, std::vector<double>> by_program(std::span<const storage::MachineModel> models,
                                                      bool on_gpus, Tell tell) {
  std::map<std::string, std::vector<double>> told;
  for (const storage::MachineModel& one : models) {
    if ((one.model.cores == 0) != on_gpus) continue;
    const std::optional<double> value = tell(one);
    if (value && told[one.program].size() < kNewest) told[one.program].push_back(*value);
  }
  return told;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

std::optional<Contention> shown_contention(std::span<const storage::MachineModel> models, bool on_gpus,
                                           const std::string& program) {
  auto told = by_program(models, on_gpus, contention_of);
  if (told.empty()) return std::nullopt;
  Contention shown;
  if (const auto same = told.find(program); same != told.end()) told = {*same};
  std::vector<double> all, medians;
  for (const auto& [name, shares] : told) {
    all.insert(all.end(), shares.begin(), shares.end());
    medians.push_back(median(shares));
  }
  shown.share = median(medians);
  shown.least = *std::min_element(all.begin(), all.end());
  shown.most = *std::max_element(all.begin(), all.end());
  shown.runs = static_cast<int>(all.size());
  return shown;
}

std::optional<double> shown_sync_time(std::span<const storage::MachineModel> models, bool on_gpus,
                                      const std::string& program) {
  const auto told = by_program(models, on_gpus, sync_time_of);
  if (const auto same = told.find(program); same != told.end()) return median(same->second);
  std::optional<double> least;
  for (const auto& [name, times] : told)
    if (const double middle = median(times); !least || middle < *least) least = middle;
  return least;
}

}  // namespace batchscope::run
