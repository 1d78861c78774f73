// SPDX-License-Identifier: Apache-2.0
//
// The objective that fit() minimises, with its gradient:
//   rms(log T_grad - log accumulation time) + rms(log T_opt - log optimizer time)
//     + 1e-3 (gamma - 1)^2 + 1e-2 ((beta_n / alpha_n)^2 + (beta_r / alpha_r)^2)
//     + 1e-3 (1 - p)^2 + 1e-3 (omega / T)^2 + 1e-2 (kappa - kappa0)^2
// where T_opt = (T_grad^gamma + T_sync^gamma)^(1/gamma) and the means are weighted by the rows' weights. The
// first two lines are AdaptDL's (goodput.py): its regularisers prefer little overlap, which is easier to fit,
// and little cost of further replicas, which is optimistic. The last line is of what is free of p, omega
// and kappa alone, with T the mean time of accumulation and kappa0 the first guess: where rows leave open
// which of them explains a time, twice the cores are twice as fast, and neighbours cost what they cost
// others.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "batchscope/goodput/model.h"
#include "batchscope/goodput/profile_row.h"

namespace batchscope::goodput {

// Places of the parameters.
enum Param : std::size_t {
  kAlphaC,
  kBetaC,
  kAlphaN,
  kBetaN,
  kAlphaR,
  kBetaR,
  kGamma,
  kCoreExponent,
  kCoreOverhead,
  kContention,
  kParams
};
using ParamVector = std::array<double, kParams>;

inline double square(double x) { return x * x; }

ParamVector to_vector(const PerfParams& perf);
PerfParams to_params(const ParamVector& vector);

class FitObjective {
 public:
  explicit FitObjective(std::span<const ProfileRow> rows, double contention = 0);

  // Rows differ in it, so that its parameter can be told from them.
  bool has_several_cores() const { return several_cores_; }
  bool has_several_neighbours() const { return several_neighbours_; }

  struct Value {
    double exact;
    double smoothed;
  };

  // The objective, and the same with each root mean square smoothed to sqrt(ms + smoothing^2): where few rows
  // are met exactly the true one has a kink at its minimum, over which a quasi-Newton method stumbles. Fills
  // gradient, the smoothed one's, unless it is null.
  Value operator()(const ParamVector& at, double smoothing, ParamVector* gradient) const;

 private:
  // Many rows share a micro-batch, many a link: what depends on one of them alone is computed once.
  struct MicroBatch {
    double size, log_cores, further;  // further: neighbours beside the replica itself
    bool operator==(const MicroBatch&) const = default;
  };
  struct Link {
    std::size_t alpha;  // where its alpha stands in the vector, its beta after it; kNone for a single replica
    double beyond_two;
    bool operator==(const Link&) const = default;
  };
  static constexpr std::size_t kNone = 0;
  struct Row {
    std::size_t micro_batch, link;
    double log_accumulation, log_optimizer, weight;
  };
  std::vector<MicroBatch> micro_batches_;
  std::vector<Link> links_;
  std::vector<Row> rows_;
  double weight_ = 0;     // of all rows
  double mean_time_ = 0;  // s, of accumulation
  double contention_;     // the first guess
  bool several_cores_ = false, several_neighbours_ = false;
};

}  // namespace batchscope::goodput
