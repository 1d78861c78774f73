// SPDX-License-Identifier: Apache-2.0
//
// A seeded sequence of appends and commits, the same for the process that writes it and the one that
// checks what is left of it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/storage/samples.h"

namespace batchscope::storage::test {

// What a store holds: the samples of each (series, generation).
using Contents = std::map<std::pair<std::string, int>, std::vector<Sample>>;

struct Append {
  std::string series;
  int generation = 0;
  std::int64_t first_step = 0;
  std::vector<double> values;
};

class Script {
 public:
  Script(std::uint64_t seed, int generation) : random_(seed), generation_(generation) {}

  // What is appended before the next commit.
  std::vector<Append> next() {
    std::vector<Append> appends(random_() % 12);
    for (Append& append : appends) {
      static constexpr std::array kNames{"loss", "gain", "accuracy", "step_time", "user/\xc3\xa4", ""};
      append.series = kNames[random_() % kNames.size()];
      append.generation = generation_;
      std::int64_t& step = steps_[append.series];
      if (random_() % 5 == 0) step += static_cast<std::int64_t>(random_() % 1000);
      append.first_step = step;
      append.values.resize(random_() % 9 == 0 ? random_() % 3000 : random_() % 20);
      for (double& value : append.values) value = std::bit_cast<double>(random_());  // NaNs of all kinds, too
      step += static_cast<std::int64_t>(append.values.size());
    }
    return appends;
  }

 private:
  std::mt19937_64 random_;
  int generation_;
  std::map<std::string, std::int64_t> steps_;
};

inline void add(Contents& contents, const std::vector<Append>& appends) {
  for (const Append& append : appends) {
    if (append.values.empty()) continue;
    std::int64_t step = append.first_step;
    for (const double value : append.values)
      contents[{append.series, append.generation}].push_back({step++, value});
  }
}

inline void write(SampleWriter& writer, const std::vector<Append>& appends) {
  for (const Append& append : appends)
    writer.append(append.generation, append.series, append.first_step, append.values);
}

inline Contents contents_of(SampleReader& reader) {
  Contents contents;
  for (const SeriesInfo& series : reader.series())
    for (const int generation : reader.generations(series.name))
      contents[{series.name, generation}] = reader.read(series.name, generation);
  return contents;
}

}  // namespace batchscope::storage::test
