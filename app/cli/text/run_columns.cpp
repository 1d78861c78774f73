// SPDX-License-Identifier: Apache-2.0
#include "text/run_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "batchscope/common/recorded.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/suggestion.h"
#include "batchscope/run/machine.h"
#include "text/format.h"
#include "text/progress_bar.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using storage::FieldType;
using storage::FieldValue;

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// The series that a field is the newest value of.
std::string_view seriesOf(std::string_view field) {
  constexpr std::string_view kPrefix = "series:";
  return field.starts_with(kPrefix) ? field.substr(kPrefix.size()) : field;
}

std::string epochText(const storage::Run& run) {
  return run.epochs > 0 ? fmt::format("{}/{}", run.epoch, run.epochs) : std::to_string(run.epoch);
}

Table::Cell cell(const common::RunRow& row, const std::string& field, double now) {
  const storage::Run& run = row.run;
  const bool isSweep = !row.trials.empty();
  if (isSweep && field == "id") return say("sweep");
  if (isSweep && field == "replicas" && run.replicas == 0) return "";
  if (isSweep && (field == "epoch" || field == "step" || field == "restarts")) return "";
  const bool isProgress = field == "epoch" || field == "step" || field == "fraction";
  if (isProgress && !isSweep && common::isUnrecorded(run))
    return {tr(common::kNotRecorded).toStdString(), Colour::dim};
  if (field == "epoch") return epochText(run);
  if (field == "devices") return run::device_list(run.devices);
  const FieldValue value = storage::field_value(run, field, now);
  const FieldType type = storage::field_type(field);
  if (const auto* text = std::get_if<std::string>(&value))
    return {printable(*text), type == FieldType::state ? stateColour(*text) : Colour::none};
  const double* number = std::get_if<double>(&value);
  if (number == nullptr) return "";
  if (field == "age") return formatAge(*number);
  if (field == "fraction") return fmt::format("{:.0f} %", *number * 100);
  if (type == FieldType::duration) return formatDuration(*number);
  if (type == FieldType::time) return formatTime(*number);
  if (type == FieldType::number) return fmt::format("{:.0f}", *number);
  return formatSeriesValue(seriesOf(field), *number);
}

// "12 trials: 3 running, 9 wait at rung 1; best accuracy 98.10 %, of trial 7"
std::string sweepNote(const common::RunRow& row) {
  if (!row.best) return row.text;
  const auto& [metric, value, trial] = *row.best;
  return say("{}; best {} {}, of trial {}", row.text, metric, formatSeriesValue(metric, value), trial);
}

Table::Column column(const std::string& field, const std::vector<common::RunRow>& rows, double now) {
  const FieldType type = storage::field_type(field);
  if (type != FieldType::open) {
    const bool isNumber = type == FieldType::number || type == FieldType::duration;
    const bool isElastic = (type == FieldType::text && field != "id") || type == FieldType::tags;
    return {upper(field), isNumber && field != "age" ? Table::Align::right : Table::Align::left, isElastic};
  }
  const bool isText = std::any_of(rows.begin(), rows.end(), [&](const common::RunRow& row) {
    const FieldValue value = storage::field_value(row.run, field, now);
    return std::holds_alternative<std::string>(value) && std::isnan(storage::number_of(value));
  });
  return {upper(printable(field)), isText ? Table::Align::left : Table::Align::right, isText};
}

}  // namespace

void checkFields(const std::vector<std::string>& fields, const std::vector<std::string>& known) {
  for (const std::string& field : fields)
    if (!field.starts_with("series:") && !field.starts_with("param:") &&
        std::find(known.begin(), known.end(), field) == known.end())
      throw Error(ErrorKind::usage, say("no run has a field \"{}\"{}; batchscope ls --help names them",
                                        printable(field), protocol::did_you_mean(field, known)));
}

Table runTable(const std::vector<common::RunRow>& rows, const std::vector<std::string>& fields,
               const std::map<std::string, std::string>& notes,
               const std::map<std::string, std::string>& states) {
  const double now = storage::now();
  std::vector<Table::Column> columns;
  for (const std::string& field : fields) columns.push_back(column(field, rows, now));
  Table table(std::move(columns));
  for (const common::RunRow& row : rows) {
    std::vector<Table::Cell> cells;
    for (const std::string& field : fields) {
      cells.push_back(cell(row, field, now));
      if (const auto state = states.find(row.run.id); field == "state" && state != states.end())
        cells.back() = state->second;
    }
    table.addRow(std::move(cells));
    if (!row.trials.empty())
      table.addNote(sweepNote(row));
    else if (const auto note = notes.find(row.run.id); note != notes.end())
      table.addNote(note->second);
  }
  return table;
}

protocol::Json fieldsJson(const storage::Run& run, const std::vector<std::string>& fields) {
  const double now = storage::now();
  protocol::Json json = protocol::Json::object();
  for (const std::string& field : fields) {
    const FieldValue value = storage::field_value(run, field, now);
    if (storage::field_type(field) == FieldType::tags)
      json[field] = run.tags;
    else if (const auto* text = std::get_if<std::string>(&value))
      json[field] = *text;
    else if (const double* number = std::get_if<double>(&value))
      json[field] = protocol::encode_number(*number);
    else
      json[field] = nullptr;
  }
  return json;
}

void sortRows(std::vector<common::RunRow>& rows, const std::string& field, bool descending) {
  const double now = storage::now();
  const auto value = [&](const common::RunRow& row) { return storage::field_value(row.run, field, now); };
  std::stable_sort(rows.begin(), rows.end(), [&](const common::RunRow& a, const common::RunRow& b) {
    return storage::field_before(value(a), value(b), descending);
  });
}

}  // namespace batchscope::cli
