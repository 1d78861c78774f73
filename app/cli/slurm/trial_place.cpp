// SPDX-License-Identifier: Apache-2.0
#include "slurm/trial_place.h"

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "text/say.h"

namespace batchscope::cli::slurm {

using protocol::Json;

std::string TrialPlace::text() const {
  return Json{{"slurm",
               {{"partition", request.partition},
                {"nodes", request.nodes.text()},
                {"gpus_per_node", request.gpus_per_node},
                {"replicas_per_node", request.replicas_per_node},
                {"time", request.time},
                {"arguments", request.arguments},
                {"folder", folder.string()},
                {"fixed_replicas", fixed_replicas}}}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

TrialPlace TrialPlace::parse(const std::string& text) {
  try {
    const Json json = Json::parse(text).at("slurm");
    TrialPlace place;
    json.at("partition").get_to(place.request.partition);
    place.request.nodes = NodeRange::parse(json.at("nodes").get<std::string>());
    json.at("gpus_per_node").get_to(place.request.gpus_per_node);
    json.at("replicas_per_node").get_to(place.request.replicas_per_node);
    json.at("time").get_to(place.request.time);
    json.at("arguments").get_to(place.request.arguments);
    place.folder = json.at("folder").get<std::string>();
    json.at("fixed_replicas").get_to(place.fixed_replicas);
    return place;
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::corrupt,
                say("the place where the sweep's trials train cannot be read: {}", fault.what()));
  }
}

}  // namespace batchscope::cli::slurm
