// SPDX-License-Identifier: Apache-2.0
//
// `--expect 'fast.mean_jct < fifo.mean_jct'`: a claim about the simulated policies. Each side is a number or
// POLICY.MEASURE, with an optional factor: 0.9 * fifo.mean_jct. Measures have their names in --json:
// mean_jct, makespan, worst_fairness, restarts.
#pragma once

#include <string>
#include <vector>

#include "batchscope/policy/simulation.h"
#include "text/comparison.h"

namespace batchscope::cli {

class SimulationClaim {
 public:
  // Throws Error(usage) quoting the text, also for a policy that was not simulated.
  static SimulationClaim parse(const std::string& text, const std::vector<std::string>& policies);

  std::string text() const { return comparison_.text(); }
  // The values of its sides.
  double left(const std::vector<policy::Outcome>& outcomes) const { return left_.value(outcomes); }
  double right(const std::vector<policy::Outcome>& outcomes) const { return right_.value(outcomes); }
  bool holds(const std::vector<policy::Outcome>& outcomes) const;

 private:
  struct Side {
    double factor = 1;  // the number itself, where there is no policy
    std::string policy, measure;
    double value(const std::vector<policy::Outcome>& outcomes) const;
  };
  static Side parseSide(const std::string& text, const std::vector<std::string>& policies);

  Comparison comparison_;
  Side left_, right_;
};

}  // namespace batchscope::cli
