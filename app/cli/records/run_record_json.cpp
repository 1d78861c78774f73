// SPDX-License-Identifier: Apache-2.0
#include "records/run_record_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "batchscope/common/run_control.h"
#include "batchscope/common/run_json.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/annotation.h"

namespace batchscope::cli {
namespace {

using protocol::Json;
using storage::Meaning;

constexpr std::size_t kLongestText = 1'000'000;   // bytes
constexpr std::size_t kMostRecords = 10'000'000;  // of one kind

[[noreturn]] void refuse(const std::string& field, const std::string& why) {
  throw Error(ErrorKind::corrupt, fmt::format("the exported run cannot be read: {} {}", field, why));
}

// As if a person had said it.
void judge(const std::string& field, const std::string& text, void (*check)(const std::string&)) {
  try {
    check(text);
  } catch (const Error& error) {
    refuse(field, error.what());
  }
}

// Fields of an object, each with its type checked; one that is missing or null is the default.
class Fields {
 public:
  Fields(const Json& json, std::string what) : json_(json), what_(std::move(what)) {
    if (!json.is_object()) refuse(what_, "is not an object");
  }

  // NaN and infinities too.
  double value(const char* name, double otherwise) const {
    const Json* json = find(name);
    if (json == nullptr) return otherwise;
    try {
      return protocol::decode_number(*json);
    } catch (const Error&) {
      refuse(path(name), "is not a number");
    }
  }

  double number(const char* name, double otherwise = 0) const {
    const double number = value(name, otherwise);
    if (!std::isfinite(number)) refuse(path(name), "is not a finite number");
    return number;
  }

  // Seconds since 1970.
  double time(const char* name) const {
    const double seconds = number(name);
    if (seconds != storage::known_time(seconds)) refuse(path(name), "is not a time");
    return seconds;
  }

  std::int64_t integer(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return 0;
    if (!value->is_number_integer() ||
        (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX))
      refuse(path(name), "is not a whole number");
    return value->get<std::int64_t>();
  }

  int smallInteger(const char* name) const {
    const std::int64_t value = integer(name);
    if (value < INT32_MIN || value > INT32_MAX) refuse(path(name), "is too large");
    return static_cast<int>(value);
  }

  std::string text(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_string()) refuse(path(name), "is not a text");
    if (value->get_ref<const std::string&>().size() > kLongestText) refuse(path(name), "is too long");
    return value->get<std::string>();
  }

  // The members of an object or an array.
  const Json& list(const char* name, Json::value_t type) const {
    static const Json kEmptyArray = Json::array(), kEmptyObject = Json::object();
    const Json* value = find(name);
    if (value == nullptr) return type == Json::value_t::array ? kEmptyArray : kEmptyObject;
    if (value->type() != type)
      refuse(path(name), type == Json::value_t::array ? "is not a list" : "is not an object");
    if (value->size() > kMostRecords) refuse(path(name), "is too long");
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

std::map<std::string, double> numbers(const Fields& fields, const char* name) {
  std::map<std::string, double> values;
  const Json& json = fields.list(name, Json::value_t::object);
  const Fields members(json, fields.path(name));
  for (const auto& [key, value] : json.items()) values[key] = members.value(key.c_str(), NAN);
  return values;
}

void read(const Fields& fields, const char* name, int& member, Meaning) {
  member = fields.smallInteger(name);
}
void read(const Fields& fields, const char* name, std::int64_t& member, Meaning) {
  member = fields.integer(name);
}
void read(const Fields& fields, const char* name, std::string& member, Meaning) {
  member = fields.text(name);
}
void read(const Fields& fields, const char* name, std::map<std::string, double>& member, Meaning) {
  member = numbers(fields, name);
}
void read(const Fields& fields, const char* name, double& member, Meaning meaning) {
  member = storage::is_time(meaning) ? fields.time(name) : fields.number(name, meaning == Meaning::amount ? -1 : 0);
}

template <class Record>
Record fieldsFrom(const Fields& fields) {
  Record record;
  storage::visit_fields(record, [&](const char* name, auto& member, Meaning meaning) {
    if (meaning != Meaning::key) read(fields, name, member, meaning);
  });
  return record;
}

template <class Record>
std::vector<Record> records(const Fields& fields, const char* name) {
  std::vector<Record> list;
  for (const Json& json : fields.list(name, Json::value_t::array))
    list.push_back(fieldsFrom<Record>(Fields(json, fields.path(name))));
  return list;
}

protocol::RunSpec specFrom(const Fields& fields) {
  protocol::RunSpec spec;
  if (const Json* json = fields.find("spec")) try {
      spec = json->get<protocol::RunSpec>();
    } catch (const std::exception& error) {
      refuse("run.spec", error.what());
    }
  if (!spec.program.starts_with(common::kImportedProgram))
    spec.program = common::kImportedProgram + spec.program;
  spec.environment.clear();
  judge("run.spec.group", spec.group, storage::check_group);
  return spec;
}

storage::Run runFrom(const Fields& fields) {
  auto run = fieldsFrom<storage::Run>(fields);
  if (!protocol::valid_run_id(run.id)) refuse("run.id", "is none");
  judge("run.note", run.note, storage::check_note);
  run.removed = 0;  // nobody put it into this store's trash
  run.spec = specFrom(fields);
  run.spec.name = run.name;
  try {
    run.state = protocol::parse_run_state(fields.text("state"));
  } catch (const Error&) {
    refuse("run.state", "is unknown");
  }
  if (protocol::is_active(run.state) || run.state == protocol::RunState::interrupted ||
      run.state == protocol::RunState::pending || run.state == protocol::RunState::damaged)
    run.state = protocol::RunState::stopped;
  run.latest = numbers(fields, "latest");
  for (const Json& tag : fields.list("tags", Json::value_t::array)) {
    if (!tag.is_string()) refuse("run.tags", "is not a list of texts");
    judge("run.tags", run.tags.emplace_back(tag), storage::check_tag);
  }
  return run;
}

std::optional<protocol::Model> modelFrom(const Fields& fields) {
  const std::string text = fields.text("model");
  if (text.empty()) return std::nullopt;
  try {
    const protocol::Message message = protocol::decode(text);
    if (const auto* model = std::get_if<protocol::Model>(&message)) return *model;
  } catch (const Error&) {
  }
  refuse("model", "is none");
}

}  // namespace

Json recordJson(const storage::RunRecord& record) {
  return {{"format", kExportFormat},
          {"version", kExportVersion},
          {"run", common::runJson(record.run)},
          {"hyperparameters", record.run.hyperparameters},
          {"generations", common::recordsJson(record.generations)},
          {"epochs", common::recordsJson(record.epochs)},
          {"events", common::recordsJson(record.events)},
          {"ledger", common::recordsJson(record.ledger)},
          {"model", record.model ? Json(protocol::encode(*record.model)) : Json(nullptr)}};
}

storage::RunRecord recordFrom(const Json& json) {
  const Fields fields(json, "it");
  if (fields.text("format") != kExportFormat) refuse("its beginning", "is none of an exported run");
  if (const std::int64_t version = fields.integer("version"); version != kExportVersion)
    throw Error(ErrorKind::version,
                fmt::format("the exported run has version {}, this BatchScope knows {}: use a newer "
                            "BatchScope",
                            version, kExportVersion));
  const Json* run = fields.find("run");
  if (run == nullptr) refuse("run", "is missing");
  storage::RunRecord record{runFrom(Fields(*run, "run")),
                            records<storage::Generation>(fields, "generations"),
                            records<storage::Epoch>(fields, "epochs"),
                            records<storage::Event>(fields, "events"),
                            records<storage::Ledger>(fields, "ledger"),
                            modelFrom(fields)};
  const Json& parameters = fields.list("hyperparameters", Json::value_t::object);
  const Fields texts(parameters, "hyperparameters");
  for (const auto& [name, value] : parameters.items())
    record.run.hyperparameters[name] = texts.text(name.c_str());
  return record;
}

std::vector<storage::Checkpoint> checkpointsFrom(const Json& json) {
  return records<storage::Checkpoint>(Fields(json, "it"), "checkpoints");
}

std::vector<storage::LeaseEvent> leasesFrom(const Json& json) {
  return records<storage::LeaseEvent>(Fields(json, "it"), "leases");
}

}  // namespace batchscope::cli
