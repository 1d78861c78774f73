// SPDX-License-Identifier: Apache-2.0
#include "batchscope/storage/record_json.h"

#include <fmt/core.h>

#include <cmath>
#include <set>
#include <type_traits>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/annotation.h"
#include "batchscope/storage/run_field.h"

namespace batchscope::storage {
namespace {

using protocol::Json;

constexpr std::size_t kLongestText = 1'000'000;   // bytes
constexpr std::size_t kMostRecords = 10'000'000;  // of one kind

[[noreturn]] void refuse_field(const std::string& field, const std::string& why) {
  throw Error(ErrorKind::corrupt, fmt::format("the exported run cannot be read: {} {}", field, why));
}

// As if a person had said it.
void judge_field(const std::string& field, const std::string& text, void (*check)(const std::string&)) {
  try {
    check(text);
  } catch (const Error& error) {
    refuse_field(field, error.what());
  }
}

// Fields of an object, each with its type checked; one that is missing or null is the default.
class JsonFields {
 public:
  JsonFields(const Json& json, std::string what) : json_(json), what_(std::move(what)) {
    if (!json.is_object()) refuse_field(what_, "is not an object");
  }

  // NaN and infinities too.
  double value(const char* name, double otherwise) const {
    const Json* json = find(name);
    if (json == nullptr) return otherwise;
    try {
      return protocol::decode_number(*json);
    } catch (const Error&) {
      refuse_field(path(name), "is not a number");
    }
  }

  double number(const char* name, double otherwise = 0) const {
    const double number = value(name, otherwise);
    if (!std::isfinite(number)) refuse_field(path(name), "is not a finite number");
    return number;
  }

  // Seconds since 1970.
  double time(const char* name) const {
    const double seconds = number(name);
    if (seconds != known_time(seconds)) refuse_field(path(name), "is not a time");
    return seconds;
  }

  std::int64_t integer(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return 0;
    if (!value->is_number_integer() ||
        (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX))
      refuse_field(path(name), "is not a whole number");
    return value->get<std::int64_t>();
  }

  int small_integer(const char* name) const {
    const std::int64_t value = integer(name);
    if (value < INT32_MIN || value > INT32_MAX) refuse_field(path(name), "is too large");
    return static_cast<int>(value);
  }

  std::string text(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_string()) refuse_field(path(name), "is not a text");
    if (value->get_ref<const std::string&>().size() > kLongestText) refuse_field(path(name), "is too long");
    return value->get<std::string>();
  }

  // The members of an object or an array.
  const Json& list(const char* name, Json::value_t type) const {
    static const Json kEmptyArray = Json::array(), kEmptyObject = Json::object();
    const Json* value = find(name);
    if (value == nullptr) return type == Json::value_t::array ? kEmptyArray : kEmptyObject;
    if (value->type() != type)
      refuse_field(path(name), type == Json::value_t::array ? "is not a list" : "is not an object");
    if (value->size() > kMostRecords) refuse_field(path(name), "is too long");
    return *value;
  }

  const Json* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  std::string path(const std::string& name) const { return what_ + "." + name; }

 private:
  const Json& json_;
  std::string what_;
};

std::map<std::string, double> numbers_in(const JsonFields& fields, const char* name) {
  std::map<std::string, double> values;
  const Json& json = fields.list(name, Json::value_t::object);
  const JsonFields members(json, fields.path(name));
  for (const auto& [key, value] : json.items()) values[key] = members.value(key.c_str(), NAN);
  return values;
}

void read_field(const JsonFields& fields, const char* name, int& member, Meaning) {
  member = fields.small_integer(name);
}
void read_field(const JsonFields& fields, const char* name, std::int64_t& member, Meaning meaning) {
  if (meaning != Meaning::key) member = fields.integer(name);
}
void read_field(const JsonFields& fields, const char* name, std::string& member, Meaning) {
  member = fields.text(name);
}
void read_field(const JsonFields& fields, const char* name, std::map<std::string, double>& member, Meaning) {
  member = numbers_in(fields, name);
}
void read_field(const JsonFields& fields, const char* name, double& member, Meaning meaning) {
  member = is_time(meaning) ? fields.time(name) : fields.number(name, meaning == Meaning::amount ? -1 : 0);
}

void insist_it_counts(const JsonFields& fields, const char* name, std::int64_t member) {
  if (member < 0) refuse_field(fields.path(name), "is negative");
}

template <class Record>
Record fields_in(const JsonFields& fields) {
  Record record;
  visit_fields(record, [&](const char* name, auto& member, Meaning meaning) {
    read_field(fields, name, member, meaning);
    // A lease's generation is -1 if it is not known.
    if constexpr (std::is_integral_v<std::decay_t<decltype(member)>> && !std::is_same_v<Record, LeaseEvent>)
      insist_it_counts(fields, name, member);
  });
  return record;
}

template <class Record>
std::vector<Record> records_in(const JsonFields& fields, const char* name) {
  std::vector<Record> list;
  for (const Json& json : fields.list(name, Json::value_t::array))
    list.push_back(fields_in<Record>(JsonFields(json, fields.path(name))));
  return list;
}

protocol::RunSpec spec_in(const JsonFields& fields) {
  protocol::RunSpec spec;
  if (const Json* json = fields.find("spec")) try {
      spec = json->get<protocol::RunSpec>();
    } catch (const std::exception& error) {
      refuse_field("run.spec", error.what());
    }
  judge_field("run.spec.group", spec.group, check_group);
  return spec;
}

Run run_in(const JsonFields& fields) {
  auto run = fields_in<Run>(fields);
  if (!protocol::valid_run_id(run.id)) refuse_field("run.id", "is not a run's id");
  judge_field("run.note", run.note, check_note);
  run.spec = spec_in(fields);
  run.spec.name = run.name;
  try {
    run.state = protocol::parse_run_state(fields.text("state"));
  } catch (const Error&) {
    refuse_field("run.state", "is unknown");
  }
  run.latest = numbers_in(fields, "latest");
  for (const Json& tag : fields.list("tags", Json::value_t::array)) {
    if (!tag.is_string()) refuse_field("run.tags", "is not a list of texts");
    judge_field("run.tags", run.tags.emplace_back(tag), check_tag);
  }
  return run;
}

std::optional<protocol::Model> model_in(const JsonFields& fields) {
  const std::string text = fields.text("model");
  if (text.empty()) return std::nullopt;
  try {
    const protocol::Message message = protocol::decode(text);
    if (const auto* model = std::get_if<protocol::Model>(&message)) return *model;
  } catch (const Error&) {
  }
  refuse_field("model", "is not a model");
}

}  // namespace

Json values_json(const std::map<std::string, double>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = protocol::encode_number(value);
  return json;
}

Json run_json(const Run& run) {
  Json json = fields_json(run);
  json.update({{"state", protocol::run_state_name(run.state)},
               {"replicas", run.replicas},
               {"restarts", run.restarts},
               {"devices", run.devices},
               {"auto_replicas", run.spec.auto_replicas ? Json(*run.spec.auto_replicas) : Json()},
               {"latest", values_json(run.latest)},
               {"tags", run.tags},
               {"group", run.spec.group},
               {"sweep", run.trial ? Json(run.trial->sweep) : Json()},
               {"trial", run.trial ? Json(run.trial->trial) : Json()},
               {"diverged", shown_state(run) == kDiverged},
               {"supervisor", run.supervisor_pid > 0 ? Json(run.supervisor_pid) : Json()},
               {"spec", run.state == protocol::RunState::damaged ? Json() : Json(run.spec)}});
  return json;
}

Json record_json(const RunRecord& record) {
  return {{"format", kRecordFormat},
          {"version", kRecordVersion},
          {"run", run_json(record.run)},
          {"hyperparameters", record.run.hyperparameters},
          {"generations", records_json(record.generations)},
          {"epochs", records_json(record.epochs)},
          {"events", records_json(record.events)},
          {"ledger", records_json(record.ledger)},
          {"model", record.model ? Json(protocol::encode(*record.model)) : Json(nullptr)}};
}

RunRecord record_from(const Json& json) {
  const JsonFields fields(json, "it");
  if (fields.text("format") != kRecordFormat) refuse_field("its beginning", "is not that of an exported run");
  if (const std::int64_t version = fields.integer("version"); version != kRecordVersion)
    throw Error(ErrorKind::version,
                fmt::format("the exported run has version {}, but this BatchScope knows {}: use a newer "
                            "BatchScope",
                            version, kRecordVersion));
  const Json* run = fields.find("run");
  if (run == nullptr) refuse_field("run", "is missing");
  RunRecord record{run_in(JsonFields(*run, "run")),      records_in<Generation>(fields, "generations"),
                   records_in<Epoch>(fields, "epochs"),  records_in<Event>(fields, "events"),
                   records_in<Ledger>(fields, "ledger"), model_in(fields)};
  std::set<int> numbers;
  for (const Generation& generation : record.generations)
    if (!numbers.insert(generation.number).second)
      refuse_field("generations", fmt::format("has number {} twice", generation.number));
  const Json& parameters = fields.list("hyperparameters", Json::value_t::object);
  const JsonFields texts(parameters, "hyperparameters");
  for (const auto& [name, value] : parameters.items())
    record.run.hyperparameters[name] = texts.text(name.c_str());
  return record;
}

std::vector<Checkpoint> checkpoints_from(const Json& json) {
  return records_in<Checkpoint>(JsonFields(json, "it"), "checkpoints");
}

std::vector<LeaseEvent> leases_from(const Json& json) {
  return records_in<LeaseEvent>(JsonFields(json, "it"), "leases");
}

}  // namespace batchscope::storage
