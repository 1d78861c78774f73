// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/contention.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace batchscope::run {
namespace {

constexpr std::size_t kNewest = 5;  // runs of a program

// A replica's neighbours compute beside it, and more replicas than devices take turns.
bool tells_contention(const storage::MachineModel& one) {
  std::set<int> at_a_time;
  for (const int replicas : one.replicas)
    at_a_time.insert(one.model.devices > 0 ? std::min(replicas, one.model.devices) : replicas);
  const bool fitted_here = one.model.perf && one.model.residual >= 0;  // and not told by another's fit
  return fitted_here && at_a_time.size() > 1 && std::isfinite(one.model.contention) &&
         one.model.contention >= 0;
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
  std::map<std::string, std::vector<double>> by_program;
  for (const storage::MachineModel& one : models)
    if (std::vector<double>& shares = by_program[one.program];
        shares.size() < kNewest && (one.model.cores == 0) == on_gpus && tells_contention(one))
      shares.push_back(one.model.contention);
  std::erase_if(by_program, [](const auto& entry) { return entry.second.empty(); });
  if (by_program.empty()) return std::nullopt;
  Contention shown{.same = by_program.contains(program)};
  if (shown.same) by_program = {{program, by_program.at(program)}};
  std::vector<double> all, medians;
  for (const auto& [name, shares] : by_program) {
    all.insert(all.end(), shares.begin(), shares.end());
    medians.push_back(median(shares));
  }
  shown.share = median(medians);
  shown.least = *std::min_element(all.begin(), all.end());
  shown.most = *std::max_element(all.begin(), all.end());
  shown.runs = static_cast<int>(all.size());
  return shown;
}

}  // namespace batchscope::run
