// SPDX-License-Identifier: Apache-2.0
//
// Step time, throughput, efficiency and goodput of one configuration; formulas and source in model.h. The
// p-norm of compute and synchronisation is taken relative to the larger of the two, so that no power
// overflows for gamma = 10 and no logarithm of zero appears.
#include "batchscope/goodput/model.h"

#include <algorithm>
#include <cmath>

#include "ceil_div.h"
#include "floor.h"

namespace batchscope::goodput {

namespace {

double p_norm(double a, double b, double p) {
  const double larger = std::max(a, b);
  if (!(larger > 0)) return 0;
  const double ratio = std::min(a, b) / larger;
  return larger * std::pow(1 + std::pow(ratio, p), 1 / p);
}

bool defined(const Configuration& at) {
  return at.num_nodes >= 1 && at.num_replicas >= at.num_nodes && at.local_batch_size >= 1 &&
         at.accumulation_steps >= 0;
}

std::int64_t batch_size(const Configuration& at) {
  return at.num_replicas * at.local_batch_size * (at.accumulation_steps + std::int64_t{1});
}

}  // namespace

std::pair<GradParams, GradParams> GradParams::interval() const {
  const double half = kNineOfTen * sqr_error;
  return {{sqr + half, var}, {std::max(sqr - half, 0.0), var}};
}

Configuration initial_configuration(std::int64_t batch_size, int num_replicas, const Bounds& bounds) {
  std::int64_t local = ceil_div(batch_size, num_replicas);
  local = std::max(local, std::min(bounds.min_local, bounds.max_batch_size / num_replicas));
  const std::int64_t micro_batches =
      bounds.max_local > 0 && local > bounds.max_local ? ceil_div(local, bounds.max_local) : 1;
  local = ceil_div(local, micro_batches);
  if (bounds.max_batch_size > 0 && local * micro_batches * num_replicas > bounds.max_batch_size)
    local = std::max<std::int64_t>(1, bounds.max_batch_size / (micro_batches * num_replicas));  // rounded up
  return {1, num_replicas, local, static_cast<int>(micro_batches - 1)};
}

Bounds within_reach(Bounds bounds, std::int64_t largest_local, std::int64_t initial_batch_size,
                    int num_replicas) {
  if (largest_local <= 0) return bounds;
  const std::int64_t reach =
      std::max({2 * largest_local, bounds.min_local, ceil_div(initial_batch_size, num_replicas)});
  bounds.max_local = bounds.max_local > 0 ? std::min(bounds.max_local, reach) : reach;
  return bounds;
}

int Devices::cores(int num_replicas) const {
  return divided ? std::max(1, count / std::max(num_replicas, 1)) : std::max(1, cores_per_replica);
}

int Devices::neighbours(int num_nodes, int num_replicas) const {
  const int at_a_time = count > 0 ? std::min(num_replicas, count) : num_replicas;
  return static_cast<int>(ceil_div(std::max(at_a_time, 1), std::max(num_nodes, 1)));
}

double accumulation_time(const PerfParams& perf, std::int64_t local_batch_size, int cores, int neighbours) {
  const double samples = static_cast<double>(local_batch_size) * std::pow(cores, -perf.core_exponent);
  return (perf.alpha_c + perf.core_overhead * std::log2(cores) + perf.beta_c * samples) *
         (1 + perf.contention * (neighbours - 1));
}

double sync_time(const PerfParams& perf, int num_nodes, int num_replicas) {
  const double beyond_two = std::max(num_replicas - 2.0, kFloor);
  if (num_nodes > 1) return perf.alpha_n + perf.beta_n * beyond_two;
  if (num_replicas > 1) return perf.alpha_r + perf.beta_r * beyond_two;
  return kFloor + kFloor * beyond_two;
}

double sharing(int num_replicas, int devices) {
  return devices > 0 && num_replicas > devices ? static_cast<double>(num_replicas) / devices : 1;
}

int computing_cores(const PerfParams& perf, std::int64_t local_batch_size, const Devices& devices,
                    int num_replicas) {
  int best = devices.cores(num_replicas);
  if (!devices.fastest || num_replicas != 1) return best;
  const auto time = [&](int cores) { return accumulation_time(perf, local_batch_size, cores); };
  for (int fewer = best / 2; fewer > 0; fewer /= 2)
    if (time(fewer) < time(best)) best = fewer;
  return best;
}

double step_time(const PerfParams& perf, const Configuration& at, const Devices& devices) {
  const int cores = computing_cores(perf, at.local_batch_size, devices, at.num_replicas);
  const int neighbours = devices.neighbours(at.num_nodes, at.num_replicas);
  const double compute = accumulation_time(perf, at.local_batch_size, cores, neighbours);
  const double sync = sync_time(perf, at.num_nodes, at.num_replicas);
  return sharing(at.num_replicas, devices.count) *
         (at.accumulation_steps * compute + p_norm(compute, sync, perf.gamma) + perf.update);
}

GoodputFunction::GoodputFunction(const PerfParams& perf, const GradParams& grad, std::int64_t init_batch_size,
                                 const Devices& devices)
    : perf_(perf),
      grad_(grad),
      init_batch_size_(std::max<std::int64_t>(init_batch_size, 1)),
      devices_(devices) {}

double GoodputFunction::throughput(const Configuration& at) const {
  if (!defined(at)) return 0;
  const double samples_per_second = static_cast<double>(batch_size(at)) / step_time(perf_, at, devices_);
  return samples_per_second > 0 && std::isfinite(samples_per_second) ? samples_per_second : 0;
}

double GoodputFunction::efficiency(std::int64_t batch_size) const {
  const double scale = static_cast<double>(batch_size) / static_cast<double>(init_batch_size_);
  if (!(scale > 1)) return 1;
  const double sqr = std::max(grad_.sqr, 0.0);
  const double var = std::max(grad_.var, 0.0);
  const double denominator = var + sqr * scale;
  if (!std::isfinite(denominator) || !(denominator > 0)) return 1 / scale;  // gain 1
  return (var + sqr) / denominator;
}

double GoodputFunction::evaluate(const Configuration& at) const {
  return throughput(at) * efficiency(batch_size(at));
}

}  // namespace batchscope::goodput
