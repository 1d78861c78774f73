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

}  // namespace batchscope::cli
