// SPDX-License-Identifier: Apache-2.0
/// \file
/// Samples of several series side by side: a row for each step of each generation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::common {

/// A table of samples.
struct SampleTable {
  /// The values recorded at one step.
  struct Row {
    int generation = 0;                         ///< from 0
    std::int64_t step = 0;                      ///< optimizer steps done
    std::vector<std::optional<double>> values;  ///< one of each series; none where it has no sample there
  };
  std::vector<std::string> series;  ///< names of the columns beyond generation and step
  std::vector<Row> rows;            ///< by generation and step
};

/// Returns CSV, a line a row: "generation,step,loss,.." (data_forms.h).
std::string toCsv(const SampleTable& table);
/// {"samples":[{"generation":0,"step":1,"loss":0.5},..]}; in names, bytes that are not UTF-8 are replaced.
std::string toJson(const SampleTable& table);

}  // namespace batchscope::common
