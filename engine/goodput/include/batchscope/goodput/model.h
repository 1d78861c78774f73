// SPDX-License-Identifier: Apache-2.0
/// \file
/// The goodput model of Pollux (Qiao et al., OSDI 2021, section 3; AdaptDL's goodput.py):
///
///     micro-batch       T_grad = (alpha_c + omega * log2(t) + beta_c * m * t^-p) * (1 + kappa * (k - 1))
///                                                                      m: local batch size
///                                                                      t: cores of a replica
///                                                                      k: replicas on its node at a time
///     synchronisation   T_sync = alpha_n + beta_n * max(K - 2, 0)      K replicas on several nodes
///                                alpha_r + beta_r * max(K - 2, 0)      K >= 2 replicas on one node
///                                0                                     one replica
///     step              T = c * (s * T_grad + (T_grad^gamma + T_sync^gamma)^(1 / gamma) + T_update)
///                                                                      s: accumulation steps
///     sharing           c = max(1, K / D)                              D devices, cores or GPUs
///     throughput        M / T                                          M = K * m * (s + 1)
///     efficiency        gain(M / M0) / (M / M0)                        M0: the initial batch size
///     goodput           throughput * efficiency
///
/// Four terms are ours; where nothing is known of them, the model is AdaptDL's:
///
///   - Cores: replicas on cores divide them, so that each computes with fewer threads the more replicas there
///     are. p, the core exponent, is 1 where twice the cores halve the time of a sample, 0 where they are
///     idle. omega, the core overhead, is what threads that wait for one another cost; it can make a small
///     micro-batch slower on several cores than on one. A lone replica that keeps the fastest of its cores
///     has the t of all, half, a quarter .. 1 of them at which T_grad is the least.
///   - Contention: neighbours on one machine slow one another down (memory, frequency, hyperthreads), each by
///     the share kappa.
///   - Sharing: replicas beyond the devices take turns on them, so that a step takes K / D times as long at
///     the least. AdaptDL never places more replicas than devices. Parameters are those of replicas with a
///     device each.
///   - Update: the optimizer works once a step, however many micro-batches it has. AdaptDL has this time in
///     T_grad where a step is one micro-batch, and not where it is several.
///
/// As in AdaptDL the zeros of T_sync are 1e-8, which matters only where times are that small. Nothing here
/// asserts or divides by zero: where the model is undefined (no samples, zero statistics) the documented
/// value is returned.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace batchscope::goodput {

/// The performance model's parameters, as fit finds them.
struct PerfParams {
  double alpha_c = 0;        ///< s, of a micro-batch whatever its size
  double beta_c = 0;         ///< s per sample of a micro-batch, on one core
  double alpha_n = 0;        ///< s, of synchronisation between nodes
  double beta_n = 0;         ///< s per replica beyond two, between nodes
  double alpha_r = 0;        ///< s, of synchronisation within one node
  double beta_r = 0;         ///< s per replica beyond two, within one node
  double gamma = 1;          ///< 1: no overlap, 10: full overlap of compute and synchronisation
  double core_exponent = 0;  ///< p, 0..1; 0: how many cores a replica has changes nothing
  double core_overhead = 0;  ///< omega, s, that each doubling of a replica's cores adds to a micro-batch
  double contention = 0;     ///< kappa, the share of time that each further replica on a node costs
  double update = 0;         ///< T_update, s, of the optimizer, once a step; 0: unknown, and in T_grad
};

/// Standard deviations on either side of the mean that nine of ten values of a normal distribution are
/// within.
inline constexpr double kNineOfTen = 1.645;

/// The gradient's statistics, in squared units of the gradient; only their ratio counts.
struct GradParams {
  double sqr = 0;        ///< |true gradient|^2
  double var = 0;        ///< trace of the gradient's covariance at the initial batch size
  double sqr_error = 0;  ///< standard error of sqr where var is taken as exact; 0: unknown

  /// Returns the statistics at the ends of the interval in which nine of ten true noise scales are: the
  /// smallest of them, where sqr is largest, and the largest of them. Twice the same where the error is
  /// unknown.
  std::pair<GradParams, GradParams> interval() const;
};

/// The devices that the replicas of a run compute on.
struct Devices {
  int count = 0;              ///< that all replicas share; 0: one each
  bool divided = false;       ///< they are cores, which replicas divide evenly among themselves
  int cores_per_replica = 1;  ///< where they are not divided
  bool fastest = false;       ///< a lone replica computes with as many of its cores as are the fastest

  /// Returns t: the cores of each of so many replicas; 1 for GPUs.
  int cores(int num_replicas) const;
  /// Returns the same where all replicas keep so many cores.
  Devices with_cores(int cores) const { return {count, false, cores}; }
  /// Returns k: how many of so many replicas on so many nodes compute on one node at a time.
  int neighbours(int num_nodes, int num_replicas) const;
};

/// One way to run a step.
struct Configuration {
  int num_nodes = 1;                  ///< machines
  int num_replicas = 1;               ///< over all machines
  std::int64_t local_batch_size = 1;  ///< samples of one replica's micro-batch
  int accumulation_steps = 0;         ///< micro-batches beyond the first
};

/// Bounds of what optimize may choose.
struct Bounds {
  std::int64_t max_batch_size = 0;  ///< samples of a step, all replicas; 0: the initial batch size
  std::int64_t min_local = 0;       ///< samples of one replica's micro-batch; 0: none
  std::int64_t max_local = 0;       ///< the same from above; 0: none
  bool accumulation = false;        ///< several micro-batches a step are allowed
  /// One replica may exceed the initial batch size with a single micro-batch per step, from which the
  /// statistics are inaccurate: see optimize.
  bool single_gradient = false;
};

/// Returns the bounds without micro-batches of more than twice the samples of the largest that was measured
/// (AdaptDL's rule for replicas, ours for batch sizes): the model has never seen what lies there. The initial
/// batch size, in one micro-batch a replica, and min_local stay within them. largest_local is 0 where nothing
/// was measured; the bounds are the same then.
Bounds within_reach(Bounds bounds, std::int64_t largest_local, std::int64_t initial_batch_size,
                    int num_replicas);

/// The configuration that optimize has chosen.
struct Choice {
  double goodput = 0;                 ///< samples/s; 0: no feasible configuration
  std::int64_t local_batch_size = 0;  ///< samples of one replica's micro-batch
  int accumulation_steps = 0;         ///< micro-batches beyond the first
};

/// Shares a batch size evenly among replicas of one node, rounded up, within the local bounds as far as
/// max_batch_size allows. The samples that a local maximum excludes are accumulated, whatever
/// bounds.accumulation says. Batch size and counts are at least 1; never throws.
Configuration initial_configuration(std::int64_t batch_size, int num_replicas, const Bounds& bounds);

/// Returns T_grad, s: a micro-batch without synchronisation, on so many cores, with so many replicas on the
/// node, its own included.
double accumulation_time(const PerfParams& perf, std::int64_t local_batch_size, int cores = 1,
                         int neighbours = 1);
/// Returns t: the cores that each of so many replicas computes with; of a lone one that keeps the fastest,
/// those.
int computing_cores(const PerfParams& perf, std::int64_t local_batch_size, const Devices& devices,
                    int num_replicas);
/// Returns T_sync, s: synchronisation alone.
double sync_time(const PerfParams& perf, int num_nodes, int num_replicas);
/// Returns c: how many times as long a step takes on so many devices as with a device for each replica. No
/// devices stand for one each, and give 1.
double sharing(int num_replicas, int devices);
/// Returns T, s: a whole optimizer step.
double step_time(const PerfParams& perf, const Configuration& at, const Devices& devices = {});

/// Goodput as a function of the configuration. Immutable, so any number of threads may share one.
class GoodputFunction {
 public:
  /// An init_batch_size (M0, samples) below 1 counts as 1.
  GoodputFunction(const PerfParams& perf, const GradParams& grad, std::int64_t init_batch_size,
                  const Devices& devices = {});

  /// Samples/s; 0 for counts that make no sense (1 <= num_nodes <= num_replicas, at least one sample) and
  /// where the parameters give no positive, finite step time.
  double throughput(const Configuration& at) const;
  /// Statistical efficiency of a total batch size: 0..1; 1 at and below the initial batch size.
  double efficiency(std::int64_t batch_size) const;
  /// Goodput, samples/s: throughput times efficiency.
  double evaluate(const Configuration& at) const;

  /// Returns the best local batch size and accumulation for this many replicas: never above
  /// bounds.max_batch_size, at or above the initial batch size where the bounds allow it and the best below
  /// it otherwise. A Choice of zeros where no local batch size is feasible, or the counts are not 1 <=
  /// num_nodes <= num_replicas.
  ///
  /// Above the initial batch size a step has at least two gradients, of two replicas or two micro-batches
  /// (AdaptDL's rule): with a single gradient, noise can only be estimated from the difference to the step
  /// before, in which the movement of the weights counts as noise. So a single replica accumulates at least
  /// once there. Where accumulation is not allowed, it keeps the initial batch size, or the least that
  /// bounds.min_local allows. bounds.single_gradient lifts this.
  Choice optimize(int num_nodes, int num_replicas, const Bounds& bounds) const;
  /// The same for each pair of counts, in their order. Throws std::invalid_argument where the spans differ in
  /// size.
  std::vector<Choice> optimize(std::span<const int> num_nodes, std::span<const int> num_replicas,
                               const Bounds& bounds) const;

 private:
  /// `guess` is a batch size near the best one, samples of a step; 0: there is no idea of it.
  Choice optimize_near(std::int64_t guess, int num_nodes, int num_replicas, const Bounds& bounds) const;

  PerfParams perf_;
  GradParams grad_;
  std::int64_t init_batch_size_;
  Devices devices_;
};

}  // namespace batchscope::goodput
