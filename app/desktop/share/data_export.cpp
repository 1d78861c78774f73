// SPDX-License-Identifier: GPL-3.0-or-later
#include "share/data_export.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "batchscope/common/data_forms.h"
#include "batchscope/common/derived_series.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "series/series_model.h"

namespace batchscope::desktop {
namespace {

using Key = std::pair<int, std::int64_t>;
using Column = std::map<Key, double>;

Column readColumn(storage::SampleReader& reader, const std::string& name) {
  Column column;
  for (const int generation : reader.generations(name)) {
    for (const storage::Sample& sample : reader.read(name, generation))
      column.insert_or_assign(Key{generation, sample.step}, sample.value);
  }
  return column;
}

Column deriveColumn(storage::SampleReader& reader, const common::DerivedSeries& derived) {
  std::vector<Column> inputs;
  for (const std::string& input : derived.inputs) inputs.push_back(readColumn(reader, input));
  Column column;
  std::vector<double> values(inputs.size());
  for (const auto& [key, first] : inputs.front()) {
    values[0] = first;
    bool isWhole = true;
    for (std::size_t i = 1; i < inputs.size() && isWhole; ++i) {
      const auto found = inputs[i].find(key);
      isWhole = found != inputs[i].end();
      if (isWhole) values[i] = found->second;
    }
    const double value = isWhole ? derived.value(values) : std::nan("");
    if (!std::isnan(value)) column[key] = value;
  }
  return column;
}

}  // namespace

common::SampleTable readSamples(const std::filesystem::path& samples, const std::set<std::string>& series) {
  storage::SampleReader reader(samples);
  common::SampleTable table{.series = {protocol::series::kTime}, .rows = {}};
  for (const std::string& name : series)
    if (name != common::kStepSeries && name != protocol::series::kTime)
      table.series.push_back(name);  // rows have them
  std::map<Key, std::vector<std::optional<double>>> rows;
  for (std::size_t i = 0; i < table.series.size(); ++i) {
    const auto* derived = common::derivedSeries(table.series[i]);
    for (const auto& [key, value] :
         derived ? deriveColumn(reader, *derived) : readColumn(reader, table.series[i])) {
      auto& values = rows[key];
      values.resize(table.series.size());
      values[i] = value;
    }
  }
  for (auto& [key, values] : rows) table.rows.push_back({key.first, key.second, std::move(values)});
  return table;
}

std::string toCsv(const FigureTable& table) {
  std::string text;
  const auto addLine = [&text](const auto& cells, auto cellOf) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + cellOf(cells[i]);
    text += '\n';
  };
  const auto written = [](const auto& cell) { return common::csvCell(cell); };
  addLine(table.columns, written);
  for (const auto& row : table.rows)
    addLine(row, [&](const FigureTable::Cell& cell) { return std::visit(written, cell); });
  return text;
}

}  // namespace batchscope::desktop
