// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/goodput_json.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "batchscope/common/goodput_prediction.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/step_times.h"

namespace batchscope::common {

using protocol::Json;

namespace {

// Returns the parameters by their names in goodput/model.h; null before the first fit.
Json parametersJson(const protocol::Model& model) {
  if (!model.perf) return nullptr;
  Json json = Json::object();
  visit_fields(*model.perf,
               [&](const char* name, double value) { json[name] = protocol::encode_number(value); });
  json["core_exponent"] = protocol::encode_number(model.core_exponent);
  json["core_overhead"] = protocol::encode_number(model.core_overhead);
  json["contention"] = protocol::encode_number(model.contention);
  json["update_time"] = protocol::encode_number(model.update_time);
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

// Returns the result of `read` on the run's series. Damaged ones must not keep the rest of a run from being
// shown.
template <class Result>
Result ofSamples(const std::string& id, const Result& none, const Result& damaged, auto read) {
  const std::filesystem::path file = protocol::run_paths(id).samples;
  try {
    if (!std::filesystem::exists(file)) return none;
    storage::SampleReader samples(file);
    return read(samples);
  } catch (const Error&) {
    return damaged;
  }
}

Json rateJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json measuredJson(const std::optional<run::MeasuredRate>& rate) {
  if (!rate) return nullptr;
  return {{"steps", rate->steps},
          {"seconds", rate->seconds},
          {"batch_size", rate->batch_size},
          {"step_time", rate->step_time},
          {"throughput", rate->throughput},
          {"efficiency", rateJson(rate->efficiency)},
          {"goodput", rateJson(rate->goodput)}};
}

Json predictedJson(const std::optional<run::Prediction>& prediction) {
  if (!prediction) return nullptr;
  return {{"replicas", prediction->at.num_replicas},
          {"local_batch_size", prediction->at.local_batch_size},
          {"accumulation", prediction->at.accumulation_steps},
          {"batch_size", prediction->batch_size},
          {"throughput", prediction->throughput},
          {"efficiency", prediction->efficiency},
          {"goodput", prediction->goodput}};
}

}  // namespace

std::optional<protocol::Model> readableModel(storage::Catalogue& catalogue, const std::string& id) {
  try {
    return catalogue.model(id);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<run::MeasuredRate> measuredRate(const std::string& id,
                                              const std::vector<storage::Generation>& generations) {
  using Rate = std::optional<run::MeasuredRate>;
  return ofSamples<Rate>(
      id, {}, {}, [&](storage::SampleReader& samples) { return run::measured_rate(generations, samples); });
}

std::optional<run::Prediction> predictedNow(const storage::Run& run,
                                            const std::optional<protocol::Model>& model,
                                            const std::vector<storage::Generation>& generations) {
  // The newest that has steps, of which the newest values are, and the measured rate.
  const auto measured =
      std::find_if(generations.rbegin(), generations.rend(),
                   [](const storage::Generation& generation) { return generation.first_step > 0; });
  if (!model || measured == generations.rend()) return {};
  const auto prediction = predictionNow(*model, measured->replicas, run.latest);
  return prediction && prediction->throughput > 0 ? prediction : std::nullopt;
}

Json goodputJson(const storage::Run& run, const std::optional<protocol::Model>& model,
                 const std::vector<storage::Generation>& generations) {
  if (!model) return nullptr;
  using Times = std::optional<std::vector<run::StepTime>>;
  const Times times = ofSamples<Times>(run.id, std::vector<run::StepTime>(), {}, [&](auto& samples) {
    return run::measure_step_times(generations, samples, *model);
  });
  return {{"step", model->step},
          {"parameters", parametersJson(*model)},
          {"statistics",
           {{"grad_sqr", protocol::encode_number(model->grad_sqr)},
            {"grad_var", protocol::encode_number(model->grad_var)},
            {"grad_sqr_error", protocol::encode_number(model->grad_sqr_error)}}},
          {"bounds",
           {{"init_batch_size", model->init_batch_size},
            {"max_batch_size", model->max_batch_size},
            {"min_local_batch_size", model->min_local_batch_size},
            {"max_local_batch_size", model->max_local_batch_size},
            {"accumulation", model->accumulation},
            {"single_gradient", model->single_gradient},
            {"micro_batches", model->micro_batches},
            {"devices", model->devices},
            {"cores", model->cores},
            {"divides_cores", model->divides_cores},
            {"keeps_fastest_cores", model->keeps_fastest_cores},
            {"max_profiled_replicas", model->max_profiled_replicas}}},
          {"measured", measuredJson(measuredRate(run.id, generations))},
          {"predicted", predictedJson(predictedNow(run, model, generations))},
          {"step_times", stepTimesJson(times)},
          {"mean_error", !times || times->empty() ? Json(nullptr) : Json(run::mean_error(*times))}};
}

}  // namespace batchscope::common
