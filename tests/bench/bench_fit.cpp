// SPDX-License-Identifier: Apache-2.0
//
// Milliseconds of one fit of the performance model to 5, 20 and 100 rows: times of a known model with 3 %
// noise, on 1 to 16 replicas of 1 to 4 nodes, half of them older than the others (of 20 also without). Beside
// each, the same as a multiple of the in-run baseline: one call of fit_objective over the same rows.
#include <cmath>
#include <random>
#include <tuple>

#include "batchscope/goodput/fit.h"
#include "bench.h"

using namespace batchscope;

namespace {

std::vector<goodput::ProfileRow> profile(int count, double age) {
  const goodput::PerfParams perf{0.121, 0.00568, 0.0236, 0.00634, 0.0118, 0.00317, 2.2};
  const std::pair<int, int> replicas[] = {{1, 1}, {1, 2}, {1, 4}, {2, 4}, {4, 16},
                                          {1, 3}, {2, 2}, {2, 8}, {4, 8}, {4, 4}};
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.03);
  std::vector<goodput::ProfileRow> rows;
  for (int i = 0; i < count; ++i) {
    const auto [nodes, number] = replicas[i % 10];
    const std::int64_t local = 16 * (1 + i % 7 + i / 10);
    rows.push_back({nodes, number, local, goodput::accumulation_time(perf, local) * std::exp(noise(random)),
                    goodput::step_time(perf, {nodes, number, local, 0}) * std::exp(noise(random))});
    if (i % 2 == 0) rows.back().age = age;
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<bench::Measure> measures;
  for (const auto& [count, age, kind] :
       {std::tuple{5, 0.5, ""}, {20, 0.5, ""}, {100, 0.5, ""}, {20, 0.0, ".new"}}) {
    const auto rows = profile(count, age);
    const auto fit_seconds = [rows] { return bench::seconds(10, [&] { bench::keep(goodput::fit(rows)); }); };
    const auto objective_seconds = [rows, perf = goodput::fit(rows)] {
      return bench::seconds(1'000, [&] { bench::keep(goodput::fit_objective(perf, rows)); });
    };
    const std::string name = "fit." + std::to_string(count) + kind;
    measures.push_back({name, "ms", 1.0, [=] { return 1e3 * fit_seconds(); }});
    measures.push_back(
        {name + ".objectives", "ratio", {}, [=] { return fit_seconds() / objective_seconds(); }});
  }
  return bench::run(argc, argv, measures);
}
