// SPDX-License-Identifier: Apache-2.0
/// \file
/// A branch: one of several runs that begin at the same checkpoint and train over the same samples in the
/// same order, each with a batch size of its own, so that their losses tell up to which batch size training
/// loses nothing (Merrill et al. 2025, arXiv 2505.23971). Its replicas learn of it by one variable, which the
/// run's spec has in its environment; so the store knows which runs are branches, and of which run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace batchscope::protocol {

namespace variable {
/// Holds Branch::text(); not set: the run is not a branch.
inline constexpr char kBranch[] = "BATCHSCOPE_BRANCH";
}  // namespace variable

/// The checkpoint that a branch begins at, and the way it trains.
struct Branch {
  std::string run;                                 ///< id of the run that wrote the checkpoint
  std::string checkpoint;                          ///< its name
  std::int64_t step = 0;                           ///< optimizer steps done there
  double progress = 0;                             ///< scale-invariant iterations done there
  std::int64_t batch_size = 1;                     ///< samples of a step, all replicas
  std::int64_t samples = 1;                        ///< to train over; then the program ends
  std::string metric = "loss";                     ///< the series by which the branches are compared
  std::optional<double> tolerance = {};            ///< share of it that is allowed; none: the usual
  bool operator==(const Branch&) const = default;  ///< all of it

  /// Returns the variable's value, JSON.
  std::string text() const;
  /// Throws Error(usage) naming the variable, for what text() does not write.
  static Branch parse(const std::string& text);
};

/// Returns the branch of a spec's environment; nullopt where it has none, or one that cannot be read.
std::optional<Branch> branch_of(const std::map<std::string, std::string>& environment);

}  // namespace batchscope::protocol
