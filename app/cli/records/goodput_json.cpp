// SPDX-License-Identifier: Apache-2.0
#include "records/goodput_json.h"

#include <filesystem>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/step_times.h"

namespace batchscope::cli {

using protocol::Json;

namespace {

// By their names in goodput/model.h; null before the first fit.
Json parametersJson(const protocol::Model& model) {
  if (!model.perf) return nullptr;
  Json json = Json::object();
  visit_fields(*model.perf,
               [&](const char* name, double value) { json[name] = protocol::encode_number(value); });
  return json;
}

Json stepTimeJson(const run::StepTime& time) {
  return {{"replicas", time.replicas},         {"local_batch_size", time.local_batch_size},
          {"accumulation", time.accumulation}, {"steps", time.steps},
          {"measured", time.measured},         {"predicted", time.predicted},
          {"residual", time.residual()}};
}

Json stepTimesJson(const std::optional<std::vector<run::StepTime>>& times) {
  if (!times) return nullptr;
  Json list = Json::array();
  for (const run::StepTime& time : *times) list.push_back(stepTimeJson(time));
  return list;
}

// Damaged series must not keep the rest of a run from being shown.
std::optional<std::vector<run::StepTime>> measured(const std::string& id, const protocol::Model& model,
                                                   const std::vector<storage::Generation>& generations) {
  const std::filesystem::path file = protocol::run_paths(id).samples;
  try {
    if (!std::filesystem::exists(file)) return std::vector<run::StepTime>();
    storage::SampleReader samples(file);
    return run::measure_step_times(generations, samples, model);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Json goodputJson(const std::string& id, const std::optional<protocol::Model>& model,
                 const std::vector<storage::Generation>& generations) {
  if (!model) return nullptr;
  const std::optional<std::vector<run::StepTime>> times = measured(id, *model, generations);
  return {{"step", model->step},
          {"parameters", parametersJson(*model)},
          {"statistics",
           {{"grad_sqr", protocol::encode_number(model->grad_sqr)},
            {"grad_var", protocol::encode_number(model->grad_var)}}},
          {"bounds",
           {{"init_batch_size", model->init_batch_size},
            {"max_batch_size", model->max_batch_size},
            {"min_local_batch_size", model->min_local_batch_size},
            {"max_local_batch_size", model->max_local_batch_size},
            {"accumulation", model->accumulation},
            {"max_profiled_replicas", model->max_profiled_replicas}}},
          {"step_times", stepTimesJson(times)},
          {"mean_error", !times || times->empty() ? Json(nullptr) : Json(run::mean_error(*times))}};
}

}  // namespace batchscope::cli
