// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/run_json.h"

#include <algorithm>
#include <fstream>

#include "batchscope/common/goodput_json.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/run_field.h"

namespace batchscope::common {

using protocol::Json;

Json valuesJson(const std::map<std::string, double>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = protocol::encode_number(value);
  return json;
}

Json runJson(const storage::Run& run) {
  Json json = fieldsJson(run);
  json.update({{"state", protocol::run_state_name(run.state)},
               {"replicas", run.replicas},
               {"restarts", run.restarts},
               {"devices", run.devices},
               {"auto_replicas", run.spec.auto_replicas ? Json(*run.spec.auto_replicas) : Json()},
               {"latest", valuesJson(run.latest)},
               {"tags", run.tags},
               {"group", run.spec.group},
               {"sweep", run.trial ? Json(run.trial->sweep) : Json()},
               {"trial", run.trial ? Json(run.trial->trial) : Json()},
               {"diverged", storage::shown_state(run) == storage::kDiverged},
               {"supervisor", run.supervisor_pid > 0 ? Json(run.supervisor_pid) : Json()},
               {"spec", run.state == protocol::RunState::damaged ? Json() : Json(run.spec)}});
  return json;
}

Json environmentJson(const std::string& run) {
  std::ifstream file(protocol::run_paths(run).environment);
  const Json variables = file ? Json::parse(file, nullptr, false) : Json();
  return variables.is_object() ? variables : Json();
}

Json originJson(const storage::Origin& origin) {
  return {{"host", origin.host},
          {"folder", origin.folder},
          {"followed", origin.followed},
          {"job", origin.job ? Json(*origin.job) : Json()}};
}

Json runDetailsJson(storage::Catalogue& catalogue, const storage::Run& run, std::size_t events) {
  const std::vector<storage::Generation> generations = catalogue.generations(run.id);
  std::vector<storage::Event> newest = catalogue.events(run.id);
  newest.erase(newest.begin(), newest.end() - static_cast<std::ptrdiff_t>(std::min(events, newest.size())));
  const auto origin = storage::Origins(protocol::catalogue_path()).find(run.id);
  return {{"run", runJson(run)},
          {"generations", recordsJson(generations)},
          {"epochs", recordsJson(catalogue.epochs(run.id))},
          {"checkpoints", recordsJson(catalogue.checkpoints(run.id))},
          {"events", recordsJson(newest)},
          {"hyperparameters", catalogue.hyperparameters(run.id)},
          {"goodput", goodputJson(run, catalogue.model(run.id), generations)},
          {"environment", environmentJson(run.id)},
          {"origin", origin ? originJson(*origin) : Json()}};
}

}  // namespace batchscope::common
