// SPDX-License-Identifier: Apache-2.0
//
// The frame of every bench program: a list of measures, their runs interleaved so that a slow moment of the
// machine falls on all of them alike, and one JSON object a line with the median. `--list` prints the names;
// names given as arguments choose among them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::bench {

struct Measure {
  std::string name;              // such as fit.20
  std::string unit;              // of the value
  std::optional<double> goal;    // none: the figure is only told
  std::function<double()> once;  // one run: the value
  bool lower_is_better = true;
};

// Seconds that a call takes, on average over `calls` of them.
template <typename Function>
double seconds(int calls, Function function) {
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls;
}

// Keeps the compiler from leaving out what computes the value.
template <typename Value>
void keep(const Value& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// The main of a bench program: runs every chosen measure once to warm up, then `runs` times, interleaved;
// or as often as BATCHSCOPE_BENCH_RUNS says; once where BATCHSCOPE_REHEARSE is set.
inline int run(int argc, char** argv, const std::vector<Measure>& measures, int runs = 11) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--list") {
    for (const Measure& measure : measures) std::puts(measure.name.c_str());
    return 0;
  }
  std::vector<const Measure*> chosen;
  for (const Measure& measure : measures) {
    if (arguments.empty() || std::find(arguments.begin(), arguments.end(), measure.name) != arguments.end()) {
      chosen.push_back(&measure);
    }
  }
  if (const char* asked = std::getenv("BATCHSCOPE_BENCH_RUNS")) runs = std::max(1, std::atoi(asked));
  if (std::getenv("BATCHSCOPE_REHEARSE")) runs = 1;
  std::vector<std::vector<double>> values(chosen.size());
  for (const Measure* measure : chosen) measure->once();
  for (int round = 0; round < runs; ++round) {
    for (std::size_t i = 0; i < chosen.size(); ++i) values[i].push_back(chosen[i]->once());
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::sort(values[i].begin(), values[i].end());
    nlohmann::ordered_json line;
    line["name"] = chosen[i]->name;
    line["value"] = values[i][values[i].size() / 2];
    line["unit"] = chosen[i]->unit;
    line["better"] = chosen[i]->lower_is_better ? "lower" : "higher";
    line["goal"] = chosen[i]->goal ? nlohmann::ordered_json(*chosen[i]->goal) : nlohmann::ordered_json();
    line["runs"] = runs;
    line["min"] = values[i].front();
    line["max"] = values[i].back();
    std::puts(line.dump().c_str());
  }
  return 0;
}

}  // namespace batchscope::bench
