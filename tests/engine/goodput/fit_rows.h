// SPDX-License-Identifier: Apache-2.0
//
// Rows of profiles: recorded ones, and such as a known model gives them.
#pragma once

#include <random>
#include <vector>

#include "fit_objective.h"
#include "golden.h"

namespace batchscope::goodput {

inline constexpr double kFloor = 1e-8;
inline constexpr PerfParams kTrue{0.121, 0.00568, 0.0236, 0.00634, 0.0118, 0.00317, 1.8};

inline std::vector<ProfileRow> rows_of(const nlohmann::json& profile) {
  std::vector<ProfileRow> rows;
  for (std::size_t i = 0; i < profile.at("num_nodes").size(); ++i) {
    rows.push_back({profile.at("num_nodes").at(i), profile.at("num_replicas").at(i),
                    profile.at("atomic_bsz").at(i), profile.at("accum_step_time").at(i),
                    profile.at("optim_step_time").at(i)});
  }
  return rows;
}

// AdaptDL's seven parameters, the two of ours at 0.
inline ParamVector vector_of(const nlohmann::json& json) {
  ParamVector vector{};
  std::copy(json.begin(), json.end(), vector.begin());
  return vector;
}

inline PerfParams params_of(const nlohmann::json& vector) { return to_params(vector_of(vector)); }

// Rows as the true model gives them, times a log-normal noise.
inline std::vector<ProfileRow> measured(const PerfParams& perf,
                                        const std::vector<std::pair<int, int>>& replicas,
                                        const std::vector<std::int64_t>& local_batch_sizes,
                                        double noise = 0) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> unit;
  std::vector<ProfileRow> rows;
  for (const auto& [nodes, count] : replicas) {
    for (const std::int64_t local : local_batch_sizes) {
      rows.push_back({nodes, count, local, accumulation_time(perf, local) * std::exp(noise * unit(random)),
                      step_time(perf, {nodes, count, local, 0}) * std::exp(noise * unit(random))});
    }
  }
  return rows;
}

// Rows of a machine with four cores that replicas divide: `cores` of them for a lone one.
inline ProfileRow row_on_cores(const PerfParams& perf, int replicas, std::int64_t local, int cores) {
  const Devices devices{4, false, cores};
  return {1,
          replicas,
          local,
          accumulation_time(perf, local, cores, replicas),
          step_time(perf, {1, replicas, local, 0}, devices),
          cores,
          replicas};
}

inline std::vector<ProfileRow> rows_on_cores(const PerfParams& perf) {
  std::vector<ProfileRow> rows;
  for (const std::int64_t local : {16, 64, 256})
    for (const auto& [replicas, cores] : {std::pair{1, 1}, {1, 2}, {1, 4}, {2, 2}, {4, 1}, {2, 1}})
      rows.push_back(row_on_cores(perf, replicas, local, cores));
  return rows;
}

// Returns a number of least to most times another one, as likely between 1 and 10 times as between 10 and
// 100.
inline double drawn_part(std::mt19937_64& random, double of, double least, double most) {
  return of * std::exp(std::uniform_real_distribution<double>(std::log(least), std::log(most))(random));
}

inline bool within(double value, double expected, double share) {
  return std::abs(value - expected) <= share * std::abs(expected);
}

inline const std::vector<std::pair<int, int>> kEverywhere{{1, 1}, {1, 2}, {1, 4}, {1, 8},
                                                          {2, 2}, {2, 4}, {4, 8}, {4, 16}};

}  // namespace batchscope::goodput
