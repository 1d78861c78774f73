// SPDX-License-Identifier: Apache-2.0
//
// A seeded sequence of appends and commits, the same for the process that writes it and the one that
// checks what is left of it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/samples.h"
#include "same.h"

namespace batchscope::storage::test {

// The content of a store: the samples of each (series, generation).
using Contents = std::map<std::pair<std::string, int>, std::vector<Sample>>;

struct Append {
  std::string series;
  int generation = 0;
  std::int64_t first_step = 0;
  std::vector<double> values;
};

// Whether a series' steps only ascend, or also begin anywhere and come again, as after a restart.
enum class Steps { ascending, any };

class Script {
 public:
  Script(std::uint64_t seed, int generation, Steps steps = Steps::ascending)
      : random_(seed), generation_(generation), steps_are_(steps) {}

  // Returns what to append before the next commit.
  std::vector<Append> next() {
    std::vector<Append> appends(random_() % 12);
    for (Append& append : appends) {
      static constexpr std::array kNames{"loss", "gain", "accuracy", "step_time", "user/\xc3\xa4", " "};
      append.series = kNames[random_() % kNames.size()];
      append.generation = generation_;
      std::int64_t& step = steps_[append.series];
      if (random_() % 5 == 0) step += static_cast<std::int64_t>(random_() % 1000);
      if (steps_are_ == Steps::any && random_() % 5 == 0)
        step -= std::min(step, static_cast<std::int64_t>(random_() % 2000));
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
  Steps steps_are_;
  std::map<std::string, std::int64_t> steps_;
};

inline void add(Contents& contents, const Append& append) {
  if (append.values.empty()) return;
  std::vector<Sample>& samples = contents[{append.series, append.generation}];
  std::int64_t step = append.first_step;
  const bool late = !samples.empty() && step < samples.back().step;
  for (const double value : append.values) samples.push_back({step++, value});
  if (late)
    std::stable_sort(samples.begin(), samples.end(),
                     [](const Sample& a, const Sample& b) { return a.step < b.step; });
}

inline void add(Contents& contents, const std::vector<Append>& appends) {
  for (const Append& append : appends) add(contents, append);
}

inline void write(SampleWriter& writer, const std::vector<Append>& appends) {
  for (const Append& append : appends)
    writer.append(append.generation, append.series, append.first_step, append.values);
}

// Writes as write, where appends may come too late: one character each, 't' for taken, 'r' for refused.
inline std::string try_write(SampleWriter& writer, const std::vector<Append>& appends) {
  std::string fates;
  for (const Append& append : appends) try {
      writer.append(append.generation, append.series, append.first_step, append.values);
      fates += 't';
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      fates += 'r';
    }
  return fates;
}

inline void add_taken(Contents& contents, const std::vector<Append>& appends, std::string_view fates) {
  for (std::size_t i = 0; i < appends.size(); ++i)
    if (fates[i] == 't') add(contents, appends[i]);
}

inline Contents contents_of(SampleReader& reader) {
  Contents contents;
  for (const SeriesInfo& series : reader.series())
    for (const int generation : reader.generations(series.name))
      contents[{series.name, generation}] = reader.read(series.name, generation);
  return contents;
}

inline bool same(const Contents& a, const Contents& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
           return x.first == y.first && same(x.second, y.second);
         });
}

}  // namespace batchscope::storage::test
