// SPDX-License-Identifier: GPL-3.0-or-later
#include "share/data_export.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "batchscope/storage/samples.h"
#include "chart/derived_series.h"
#include "chart/series_model.h"

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

Column deriveColumn(storage::SampleReader& reader, const DerivedSeries& derived) {
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
    if (isWhole) column[key] = derived.value(values);
  }
  return column;
}

void appendNumber(QByteArray& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end - digits);
}

}  // namespace

SampleTable readSamples(const std::filesystem::path& samples, const std::set<std::string>& series) {
  storage::SampleReader reader(samples);
  SampleTable table;
  std::map<Key, std::vector<double>> rows;
  std::set<std::string> names = series;
  names.erase(kStepSeries);  // every row has it
  for (const std::string& name : names) {
    const auto derived = derivedSeries(name);
    const Column column = derived ? deriveColumn(reader, *derived) : readColumn(reader, name);
    for (const auto& [key, value] : column) {
      auto& values = rows[key];
      values.resize(table.series.size(), std::numeric_limits<double>::quiet_NaN());
      values.push_back(value);
    }
    table.series.push_back(name);
  }
  for (auto& [key, values] : rows) {
    values.resize(table.series.size(), std::numeric_limits<double>::quiet_NaN());
    table.rows.push_back({key.first, key.second, std::move(values)});
  }
  return table;
}

QByteArray toCsv(const SampleTable& table) {
  QByteArray text = "generation,step";
  for (const std::string& name : table.series) {
    // Programs name their series as they like.
    QByteArray cell = QByteArray::fromStdString(name);
    if (cell.contains(',') || cell.contains('"') || cell.contains('\n'))
      cell = '"' + cell.replace("\"", "\"\"") + '"';
    text += ',' + cell;
  }
  text += '\n';
  for (const SampleTable::Row& row : table.rows) {
    text += QByteArray::number(row.generation) + ',' + QByteArray::number(static_cast<qlonglong>(row.step));
    for (const double value : row.values) {
      text += ',';
      if (!std::isnan(value)) appendNumber(text, value);
    }
    text += '\n';
  }
  return text;
}

QByteArray toJson(const SampleTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const SampleTable::Row& row : table.rows) {
    nlohmann::json object{{"generation", row.generation}, {"step", row.step}};
    for (std::size_t i = 0; i < table.series.size(); ++i) {
      if (std::isfinite(row.values[i])) {
        object[table.series[i]] = row.values[i];
      } else {
        object[table.series[i]] = nullptr;
      }
    }
    rows.push_back(std::move(object));
  }
  return QByteArray::fromStdString(nlohmann::json{{"samples", std::move(rows)}}.dump());
}

}  // namespace batchscope::desktop
