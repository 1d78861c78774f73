// SPDX-License-Identifier: GPL-3.0-or-later
//
// The numbers behind charts: a row for each step of each generation, a column for each series, every sample
// as it was recorded and none thinned. CSV leaves a cell empty where a series has no sample; JSON has null
// there and where a value is not finite.
#pragma once

#include <QByteArray>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace batchscope::desktop {

struct SampleTable {
  std::vector<std::string> series;  // the columns beyond generation and step
  struct Row {
    int generation = 0;
    std::int64_t step = 0;
    std::vector<double> values;  // NaN: none
  };
  std::vector<Row> rows;  // by generation and step
};

// Reads whole series, also derived ones; blocks on the disk for as long as they are. Throws as
// storage::SampleReader does.
SampleTable readSamples(const std::filesystem::path& samples, const std::set<std::string>& series);

QByteArray toCsv(const SampleTable& table);
QByteArray toJson(const SampleTable& table);

}  // namespace batchscope::desktop
