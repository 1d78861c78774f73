// SPDX-License-Identifier: Apache-2.0
#include "run_json.h"

#include <fstream>

#include "batchscope/protocol/paths.h"
#include "goodput_json.h"
#include "standard_output.h"

namespace batchscope::cli {

using protocol::Json;

namespace {

template <typename Record>
Json listJson(const std::vector<Record>& records, Json (*convert)(const Record&)) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(convert(record));
  return list;
}

// Zero stands for "not yet" in the catalogue.
Json timeJson(double seconds) { return seconds > 0 ? Json(seconds) : Json(nullptr); }

Json secondsJson(double seconds) { return seconds >= 0 ? Json(seconds) : Json(nullptr); }

Json stretchJson(const storage::Ledger& ledger) {
  const protocol::LedgerEntry& entry = ledger.entry;
  return {{"generation", ledger.generation},
          {"loader", entry.loader},
          {"epoch", entry.epoch},
          {"pass", entry.pass},
          {"from", entry.from},
          {"to", entry.to},
          {"padding", entry.padding},
          {"dataset_size", entry.dataset_size},
          {"step", entry.step}};
}

}  // namespace

Json valuesJson(const std::map<std::string, double>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = protocol::encode_number(value);
  return json;
}

Json runJson(const storage::Run& run) {
  return {{"id", run.id},
          {"name", run.name},
          {"state", protocol::run_state_name(run.state)},
          {"message", run.message},
          {"created", run.created},
          {"ended", timeJson(run.ended)},
          {"removed", timeJson(run.removed)},
          {"replicas", run.replicas},
          {"devices", run.devices},
          {"auto_replicas", run.spec.auto_replicas ? Json(*run.spec.auto_replicas) : Json()},
          {"step", run.step},
          {"epoch", run.epoch},
          {"epochs", run.epochs},
          {"fraction", run.fraction},
          {"latest", valuesJson(run.latest)},
          {"tags", run.tags},
          {"note", run.note},
          {"group", run.spec.group},
          {"supervisor", run.supervisor_pid > 0 ? Json(run.supervisor_pid) : Json(nullptr)},
          {"spec", run.state == protocol::RunState::damaged ? Json(nullptr) : Json(run.spec)}};
}

Json generationJson(const storage::Generation& generation) {
  return {{"number", generation.number},
          {"replicas", generation.replicas},
          {"reason", generation.reason},
          {"started", generation.started},
          {"ended", timeJson(generation.ended)},
          {"first_step", generation.first_step},
          {"last_step", generation.last_step},
          {"checkpoint", generation.checkpoint},
          {"pause", secondsJson(generation.pause)},
          {"pause_parts", generation.pause_parts},
          {"outcome", generation.outcome}};
}

Json epochJson(const storage::Epoch& epoch) {
  return {{"number", epoch.number},         {"generation", epoch.generation}, {"started", epoch.started},
          {"ended", timeJson(epoch.ended)}, {"first_step", epoch.first_step}, {"last_step", epoch.last_step}};
}

Json eventJson(const storage::Event& event) {
  return {{"id", event.id},     {"time", event.time},   {"generation", event.generation},
          {"step", event.step}, {"level", event.level}, {"text", event.text}};
}

Json checkpointJson(const storage::Checkpoint& checkpoint) {
  return {{"name", checkpoint.name},   {"generation", checkpoint.generation}, {"step", checkpoint.step},
          {"epoch", checkpoint.epoch}, {"progress", checkpoint.progress},     {"time", checkpoint.time},
          {"bytes", checkpoint.bytes}, {"seconds", checkpoint.seconds},       {"reason", checkpoint.reason}};
}

Json ledgerJson(const std::vector<storage::Ledger>& ledger) { return listJson(ledger, stretchJson); }

Json environmentJson(const std::string& run) {
  std::ifstream file(protocol::run_paths(run).environment);
  const Json variables = file ? Json::parse(file, nullptr, false) : Json();
  return variables.is_object() ? variables : Json();
}

Json runDetailsJson(storage::Catalogue& catalogue, const storage::Run& run) {
  const std::vector<storage::Generation> generations = catalogue.generations(run.id);
  return {{"run", runJson(run)},
          {"generations", listJson(generations, generationJson)},
          {"epochs", listJson(catalogue.epochs(run.id), epochJson)},
          {"checkpoints", listJson(catalogue.checkpoints(run.id), checkpointJson)},
          {"events", listJson(catalogue.events(run.id), eventJson)},
          {"hyperparameters", catalogue.hyperparameters(run.id)},
          {"goodput", goodputJson(run.id, catalogue.model(run.id), generations)},
          {"environment", environmentJson(run.id)}};
}

std::string jsonLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void printJson(const Json& json) { show(jsonLine(json)); }

}  // namespace batchscope::cli
