// SPDX-License-Identifier: Apache-2.0
//
// The objective that fit() minimises, as AdaptDL has it (goodput.py), with its gradient:
//   rms(log T_grad - log accumulation time) + rms(log T_opt - log optimizer time)
//     + 1e-3 (gamma - 1)^2 + 1e-2 ((beta_n / alpha_n)^2 + (beta_r / alpha_r)^2)
// where T_opt = (T_grad^gamma + T_sync^gamma)^(1/gamma). The regularisers prefer little overlap, which is
// easier to fit, and little cost of further replicas, which is optimistic.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "batchscope/goodput/model.h"
#include "batchscope/goodput/profile_row.h"

namespace batchscope::goodput {

// The parameters in this order: alpha_c, beta_c, alpha_n, beta_n, alpha_r, beta_r, gamma.
using ParamVector = std::array<double, 7>;

ParamVector to_vector(const PerfParams& perf);
PerfParams to_params(const ParamVector& vector);

class FitObjective {
 public:
  explicit FitObjective(std::span<const ProfileRow> rows);

  struct Value {
    double exact;
    double smoothed;
  };

  // The objective, and the same with each root mean square smoothed to sqrt(ms + smoothing^2): where few rows
  // are met exactly the true one has a kink at its minimum, over which a quasi-Newton method stumbles. Fills
  // gradient, the smoothed one's, unless it is null.
  Value operator()(const ParamVector& at, double smoothing, ParamVector* gradient) const;

 private:
  // Many rows share a local batch size, many a link: what depends on one of them alone is computed once.
  struct Link {
    std::size_t alpha;  // where its alpha stands in the vector, its beta after it; kNone for a single replica
    double beyond_two;
    bool operator==(const Link&) const = default;
  };
  static constexpr std::size_t kNone = 0;
  struct Row {
    std::size_t local_batch_size, link;
    double log_accumulation, log_optimizer;
  };
  std::vector<double> local_batch_sizes_;
  std::vector<Link> links_;
  std::vector<Row> rows_;
};

}  // namespace batchscope::goodput
