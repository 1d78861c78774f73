// SPDX-License-Identifier: Apache-2.0
/// \file
/// The goodput model of Pollux (Qiao et al., OSDI 2021, section 3; AdaptDL's goodput.py).
///   micro-batch       T_grad = alpha_c + beta_c * m                  m: local batch size
///   synchronisation   T_sync = alpha_n + beta_n * max(K - 2, 0)      K replicas on several nodes
///                              alpha_r + beta_r * max(K - 2, 0)      K >= 2 replicas on one node
///                              0                                     one replica
///   step              T = s * T_grad + (T_grad^gamma + T_sync^gamma)^(1 / gamma)      s: accumulation steps
///   throughput        M / T                                          M = K * m * (s + 1)
///   efficiency        gain(M / M0) / (M / M0)                        M0: the initial batch size
///   goodput           throughput * efficiency
/// As in AdaptDL the zeros of T_sync are 1e-8, which is seen only where times are as small.
/// Nothing here asserts or divides by zero: where the model is undefined (no samples, zero statistics) the
/// documented value comes back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace batchscope::goodput {

struct PerfParams {
  double alpha_c = 0, beta_c = 0;  ///< s, s per sample
  double alpha_n = 0, beta_n = 0;  ///< s, s per replica beyond two; between nodes
  double alpha_r = 0, beta_r = 0;  ///< the same within one node
  double gamma = 1;                ///< 1: no overlap, 10: full overlap of compute and synchronisation
};

struct GradParams {
  double sqr = 0;  ///< |true gradient|^2
  double var = 0;  ///< trace of the gradient's covariance at the initial batch size
};

struct Configuration {
  int num_nodes = 1;
  int num_replicas = 1;
  std::int64_t local_batch_size = 1;
  int accumulation_steps = 0;
};

struct Bounds {
  std::int64_t max_batch_size = 0;            ///< 0: the initial batch size
  std::int64_t min_local = 0, max_local = 0;  ///< 0: none
  bool accumulation = false;
};

struct Choice {
  double goodput = 0;  ///< 0: no feasible configuration
  std::int64_t local_batch_size = 0;
  int accumulation_steps = 0;
};

/// Seconds.
double accumulation_time(const PerfParams& perf, std::int64_t local_batch_size);
double sync_time(const PerfParams& perf, int num_nodes, int num_replicas);
double step_time(const PerfParams& perf, const Configuration& at);  ///< of a whole optimizer step

class GoodputFunction {
 public:
  GoodputFunction(const PerfParams& perf, const GradParams& grad, std::int64_t init_batch_size);

  /// Samples/s; 0 for counts that make no sense (1 <= num_nodes <= num_replicas, at least one sample) and
  /// where the parameters give no positive, finite step time.
  double throughput(const Configuration& at) const;
  double efficiency(std::int64_t batch_size) const;  ///< 0..1; 1 at and below the initial batch size
  double evaluate(const Configuration& at) const;    ///< goodput, samples/s

  /// The best local batch size and accumulation for this many replicas: never above bounds.max_batch_size, at
  /// or above the initial batch size where the bounds allow it and the best below it otherwise. With
  /// accumulation allowed, one replica above the initial batch size accumulates at least once (AdaptDL's
  /// rule). A Choice of zeros where no local batch size is feasible, or the counts are not 1 <= num_nodes <=
  /// num_replicas. The second throws std::invalid_argument where the spans differ in size.
  Choice optimize(int num_nodes, int num_replicas, const Bounds& bounds) const;
  std::vector<Choice> optimize(std::span<const int> num_nodes, std::span<const int> num_replicas,
                               const Bounds& bounds) const;

 private:
  PerfParams perf_;
  GradParams grad_;
  std::int64_t init_batch_size_;
};

}  // namespace batchscope::goodput
