// SPDX-License-Identifier: Apache-2.0
#include "records/sample_stretches.h"

#include <cstdint>
#include <vector>

namespace batchscope::cli {

void appendStretches(storage::SampleWriter& writer, const std::string& series, int generation,
                     std::span<const storage::Sample> samples) {
  std::vector<double> values;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    values.push_back(samples[i].value);
    const bool goesOn =
        i + 1 < samples.size() && samples[i].step < INT64_MAX && samples[i + 1].step == samples[i].step + 1;
    if (goesOn) continue;
    writer.append(generation, series, samples[i].step - static_cast<std::int64_t>(values.size()) + 1, values);
    values.clear();
  }
}

std::map<std::pair<std::string, int>, std::int64_t> storedCounts(const std::filesystem::path& samples) {
  std::map<std::pair<std::string, int>, std::int64_t> counts;
  std::error_code fault;
  if (!std::filesystem::exists(samples, fault)) return counts;
  storage::SampleReader reader(samples);
  for (const storage::SeriesInfo& info : reader.series())
    for (const int generation : reader.generations(info.name))
      for (const storage::Bucket& bucket : reader.summarize(info.name, generation, 0, INT64_MAX, 1))
        counts[{info.name, generation}] += bucket.count;
  return counts;
}

}  // namespace batchscope::cli
