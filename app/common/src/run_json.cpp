// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/run_json.h"

#include <algorithm>
#include <fstream>

#include "batchscope/common/goodput_json.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"

namespace batchscope::common {

using protocol::Json;

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
  return {{"run", storage::run_json(run)},
          {"generations", storage::records_json(generations)},
          {"epochs", storage::records_json(catalogue.epochs(run.id))},
          {"checkpoints", storage::records_json(catalogue.checkpoints(run.id))},
          {"events", storage::records_json(newest)},
          {"hyperparameters", catalogue.hyperparameters(run.id)},
          {"goodput", goodputJson(run, catalogue.model(run.id), generations)},
          {"environment", environmentJson(run.id)},
          {"origin", origin ? originJson(*origin) : Json()}};
}

}  // namespace batchscope::common
