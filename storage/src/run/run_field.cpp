// SPDX-License-Identifier: Apache-2.0
#include "batchscope/storage/run_field.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "batchscope/protocol/series.h"

namespace batchscope::storage {
namespace {

namespace series = protocol::series;

constexpr std::string_view kSeriesPrefix = "series:", kParameterPrefix = "param:";

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

double duration_of(const Run& run, double now) { return (run.ended > 0 ? run.ended : now) - run.created; }

struct FixedField {
  std::string_view name;
  FieldType type;
  FieldValue (*value)(const Run& run, double now);
};

constexpr std::array kFixed{
    FixedField{"age", FieldType::duration,
               [](const Run& run, double now) -> FieldValue { return now - run.created; }},
    FixedField{"created", FieldType::time, [](const Run& run, double) -> FieldValue { return run.created; }},
    FixedField{"device", FieldType::text,
               [](const Run& run, double) -> FieldValue { return run.spec.device; }},
    FixedField{"devices", FieldType::text,
               [](const Run& run, double) -> FieldValue { return join(run.devices); }},
    FixedField{"duration", FieldType::duration,
               [](const Run& run, double now) -> FieldValue { return duration_of(run, now); }},
    FixedField{"ended", FieldType::time,
               [](const Run& run, double) -> FieldValue {
                 return run.ended > 0 ? FieldValue(run.ended) : FieldValue();
               }},
    FixedField{"epoch", FieldType::number,
               [](const Run& run, double) -> FieldValue { return double(run.epoch); }},
    FixedField{"epochs", FieldType::number,
               [](const Run& run, double) -> FieldValue { return double(run.epochs); }},
    FixedField{"fraction", FieldType::number,
               [](const Run& run, double) -> FieldValue { return run.fraction; }},
    FixedField{"group", FieldType::text, [](const Run& run, double) -> FieldValue { return run.spec.group; }},
    FixedField{"id", FieldType::text, [](const Run& run, double) -> FieldValue { return run.id; }},
    FixedField{"message", FieldType::text, [](const Run& run, double) -> FieldValue { return run.message; }},
    FixedField{"name", FieldType::text, [](const Run& run, double) -> FieldValue { return run.name; }},
    FixedField{"note", FieldType::text, [](const Run& run, double) -> FieldValue { return run.note; }},
    FixedField{"program", FieldType::text,
               [](const Run& run, double) -> FieldValue { return run.spec.program; }},
    FixedField{"replicas", FieldType::number,
               [](const Run& run, double) -> FieldValue { return double(run.replicas); }},
    FixedField{"restarts", FieldType::number,
               [](const Run& run, double) -> FieldValue { return double(run.restarts); }},
    FixedField{"state", FieldType::state,
               [](const Run& run, double) -> FieldValue { return shown_state(run); }},
    FixedField{"step", FieldType::number,
               [](const Run& run, double) -> FieldValue { return static_cast<double>(run.step); }},
    FixedField{"sweep", FieldType::text,
               [](const Run& run, double) -> FieldValue {
                 return run.trial ? FieldValue(run.trial->sweep) : FieldValue();
               }},
    FixedField{"tag", FieldType::tags, [](const Run& run, double) -> FieldValue { return join(run.tags); }},
    FixedField{"trial", FieldType::number,
               [](const Run& run, double) -> FieldValue {
                 return run.trial ? FieldValue(static_cast<double>(run.trial->trial)) : FieldValue();
               }},
};

constexpr std::array kSeriesOfEveryRun{series::kLoss,
                                       series::kGain,
                                       series::kScale,
                                       series::kLearningRate,
                                       series::kLearningRateFactor,
                                       series::kBatchSize,
                                       series::kProgress,
                                       series::kSamples,
                                       series::kThroughput,
                                       series::kLocalBatchSize,
                                       series::kEfficiency,
                                       series::kGoodput,
                                       series::kStepTime,
                                       series::kNoiseScale,
                                       series::kAccumulation,
                                       series::kAccuracy,
                                       series::kValidationLoss};

const FixedField* find_fixed(std::string_view name) noexcept {
  for (const FixedField& field : kFixed)
    if (field.name == name) return &field;
  return nullptr;
}

template <class Map>
FieldValue look_up(const Map& map, std::string_view name) {
  const auto found = map.find(std::string(name));
  return found == map.end() ? FieldValue() : FieldValue(found->second);
}

double parse_number(std::string_view text) noexcept {
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole ? number : std::numeric_limits<double>::quiet_NaN();
}

// Numbers, texts, NaN, nothing.
int rank(const FieldValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return 3;
  if (!std::isnan(number_of(value))) return 0;
  return std::holds_alternative<std::string>(value) ? 1 : 2;
}

}  // namespace

std::string shown_state(const Run& run) {
  const bool is_over = !is_active(run.state) && run.state != RunState::pending;
  return run.trial && run.trial->diverged && is_over ? kDiverged : run_state_name(run.state);
}

FieldType field_type(std::string_view name) noexcept {
  const FixedField* field = find_fixed(name);
  return field ? field->type : FieldType::open;
}

FieldValue field_value(const Run& run, std::string_view name, double now) {
  if (const FixedField* field = find_fixed(name)) return field->value(run, now);
  if (name.starts_with(kSeriesPrefix)) return look_up(run.latest, name.substr(kSeriesPrefix.size()));
  if (name.starts_with(kParameterPrefix))
    return look_up(run.hyperparameters, name.substr(kParameterPrefix.size()));
  FieldValue value = look_up(run.latest, name);
  return value.index() > 0 ? value : look_up(run.hyperparameters, name);
}

std::vector<std::string> field_names(std::span<const Run> runs) {
  std::set<std::string> names(kSeriesOfEveryRun.begin(), kSeriesOfEveryRun.end());
  for (const FixedField& field : kFixed) names.emplace(field.name);
  for (const Run& run : runs) {
    for (const auto& [name, value] : run.latest) names.insert(name);
    for (const auto& [name, value] : run.hyperparameters) names.insert(name);
  }
  return {names.begin(), names.end()};
}

double number_of(const FieldValue& value) noexcept {
  if (const double* number = std::get_if<double>(&value)) return *number;
  if (const std::string* text = std::get_if<std::string>(&value)) return parse_number(*text);
  return std::numeric_limits<double>::quiet_NaN();
}

bool field_less(const FieldValue& a, const FieldValue& b) {
  const int rankA = rank(a), rankB = rank(b);
  if (rankA != rankB) return rankA < rankB;
  if (rankA == 0) return number_of(a) < number_of(b);
  return rankA == 1 && std::get<std::string>(a) < std::get<std::string>(b);
}

bool field_before(const FieldValue& a, const FieldValue& b, bool descending) {
  const bool absentA = rank(a) > 1, absentB = rank(b) > 1;
  if (absentA || absentB) return !absentA && absentB;
  return descending ? field_less(b, a) : field_less(a, b);
}

}  // namespace batchscope::storage
