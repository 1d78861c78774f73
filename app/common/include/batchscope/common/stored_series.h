// SPDX-License-Identifier: Apache-2.0
/// \file
/// The series of a run as they are in the store. What is read is bounded, however long the run: the store's
/// summaries answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "batchscope/common/run_series.h"

namespace batchscope::common {

/// A moment of a run's series: what is recorded later is not seen.
class StoredSeries : public RunSeries {
 public:
  /// Reads the counts of all these generations. The reader has to outlive it. Throws as SampleReader.
  StoredSeries(storage::SampleReader& reader, const std::vector<storage::Generation>& generations);

  const std::vector<GenerationSpan>& generations() const override { return spans_; }
  StepMap count(const std::string& series, int generation) const override;
  /// Throws as SampleReader.
  std::vector<storage::Bucket> buckets(const std::string& series, int generation, std::int64_t from,
                                       std::int64_t to, int columns) override;

 private:
  using Counts = std::map<int, std::vector<storage::Bucket>>;  // by generation

  storage::SampleReader& reader_;
  std::map<std::string, Counts> counts_;  // by series
  std::vector<GenerationSpan> spans_;
  double origin_ = 0;  // of time
};

}  // namespace batchscope::common
