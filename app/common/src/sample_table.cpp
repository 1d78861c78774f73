// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/sample_table.h"

#include "batchscope/common/data_forms.h"

namespace batchscope::common {

using protocol::Json;

std::string toCsv(const SampleTable& table) {
  std::string text = "generation,step";
  for (const std::string& name : table.series) text += ',' + csvCell(name);
  for (const SampleTable::Row& row : table.rows) {
    text += '\n' + std::to_string(row.generation) + ',' + std::to_string(row.step);
    for (const std::optional<double>& value : row.values) text += ',' + csvCell(value);
  }
  return text + '\n';
}

std::string toJson(const SampleTable& table) {
  Json rows = Json::array();
  for (const SampleTable::Row& row : table.rows) {
    Json object{{"generation", row.generation}, {"step", row.step}};
    for (std::size_t i = 0; i < table.series.size(); ++i) object[table.series[i]] = jsonNumber(row.values[i]);
    rows.push_back(std::move(object));
  }
  return Json{{"samples", std::move(rows)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace batchscope::common
