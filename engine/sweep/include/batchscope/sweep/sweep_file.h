// SPDX-License-Identifier: Apache-2.0
/// \file
/// A sweep as people write it: what is trained, what is searched, how, and until when. Form:
/// engine/sweep/SWEEPS.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/sweep/method.h"
#include "batchscope/sweep/stopping.h"

namespace batchscope::sweep {

/// Direction of the metric's optimisation.
enum class Goal { min, max };

/// Returns the goal, the method and the way of stopping that a file calls so: "max", "tpe", "asha"; none:
/// there is none.
std::optional<Goal> goal_named(std::string_view name);
std::optional<Method> method_named(std::string_view name);             ///< see goal_named
std::optional<StopRule::Kind> stop_kind_named(std::string_view name);  ///< see goal_named

/// Returns the cost (trial.h) of a value of the metric.
inline double cost_of(Goal goal, double value) { return goal == Goal::min ? value : -value; }

/// A file FILE.toml.
struct SweepFile {
  static constexpr int kMostTrials = 100'000;      ///< of one sweep
  static constexpr int kMostSeeds = 100;           ///< of one point
  static constexpr double kMostDeviceHours = 1e6;  ///< of one sweep

  std::string name;                    ///< by which commands know the sweep
  std::string recipe;                  ///< by name, or a path with a slash; empty: `program` is trained
  std::string program;                 ///< as `batchscope run` takes it; empty: `recipe` is
  std::vector<std::string> arguments;  ///< in front of the parameters
  std::string metric;                  ///< a series
  Goal goal = Goal::min;               ///< see above
  std::optional<int> trials;           ///< points at most; none: all of a grid
  std::optional<double> device_hours;  ///< that all trials together may take
  int seeds = 1;                       ///< runs of each point; their mean counts
  std::uint64_t seed = 0;              ///< of what the method and the rules draw
  Method method = Method::tpe;         ///< which point is tried next
  StopRule stop;                       ///< which trial goes on
  std::vector<Parameter> parameters;   ///< in the order of the file
  std::string
      replicas;        ///< of each run, as --replicas takes it; empty: as the pool says, within the recipe's
  std::string device;  ///< as --device takes it; empty: auto
  int devices_per_replica = 0;  ///< as --devices-per-replica takes it; 0: not given

  bool operator==(const SweepFile&) const = default;  ///< of all fields

  /// Returns whether any parameter has more than one value.
  bool searches() const {
    return std::ranges::any_of(parameters, [](const Parameter& each) { return each.count() != 1; });
  }

  /// Reads the file. Throws Error(not_found | usage) naming file, line, key, what was wrong and what to do.
  static SweepFile load(const std::filesystem::path& file);
  /// Reads such a file's text; `source` is its name in messages. Throws Error(usage).
  static SweepFile parse(const std::string& text, const std::filesystem::path& source);

  /// Returns the text of such a file, from which load() makes an equal sweep.
  std::string text() const;
};

}  // namespace batchscope::sweep
