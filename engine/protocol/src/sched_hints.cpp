// SPDX-License-Identifier: Apache-2.0
//
// AdaptDL's names for what Model holds.
#include "batchscope/protocol/sched_hints.h"

#include <array>
#include <string>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

constexpr std::array kPerfParams{"alpha_c", "beta_c", "alpha_n", "beta_n", "alpha_r", "beta_r", "gamma"};

const Json& at(const Json& object, const char* name) {
  static const Json kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

template <class T>
void read(const Json& object, const char* name, T& value) {
  if (const Json& found = at(object, name); !found.is_null()) found.get_to(value);
}

}  // namespace

Json sched_hints(const Model& model) {
  Json hints{{"initBatchSize", model.init_batch_size},
             {"maxBatchSize", model.max_batch_size},
             {"localBszBounds", nullptr},
             {"globalBatchSize", nullptr},
             {"maxProfiledReplicas", model.max_profiled_replicas},
             {"gradientAccumulation", model.accumulation},
             {"gradParams", nullptr},
             {"perfParams", nullptr}};
  if (model.max_local_batch_size > 0)
    hints["localBszBounds"] = {model.min_local_batch_size, model.max_local_batch_size};
  if (model.grad_var > 0) hints["gradParams"] = {{"norm", model.grad_sqr}, {"var", model.grad_var}};
  if (model.perf.size() == kPerfParams.size())
    for (std::size_t i = 0; i < kPerfParams.size(); ++i) hints["perfParams"][kPerfParams[i]] = model.perf[i];
  return hints;
}

Model model_from_sched_hints(const Json& hints) try {
  if (!hints.is_object()) throw Error(ErrorKind::usage, "sched hints must be a JSON object");
  Model model;
  read(hints, "initBatchSize", model.init_batch_size);
  read(hints, "maxBatchSize", model.max_batch_size);
  read(hints, "maxProfiledReplicas", model.max_profiled_replicas);
  read(hints, "gradientAccumulation", model.accumulation);
  if (const Json& bounds = at(hints, "localBszBounds"); !bounds.is_null()) {
    bounds.at(0).get_to(model.min_local_batch_size);
    bounds.at(1).get_to(model.max_local_batch_size);
  }
  if (const Json& grad = at(hints, "gradParams"); !grad.is_null()) {
    grad.at("norm").get_to(model.grad_sqr);
    grad.at("var").get_to(model.grad_var);
  }
  if (const Json& perf = at(hints, "perfParams"); !perf.is_null())
    for (const char* name : kPerfParams) model.perf.push_back(perf.at(name).get<double>());
  return model;
} catch (const Json::exception& error) {
  throw Error(ErrorKind::usage, std::string("these are not AdaptDL's sched hints: ") + error.what());
}

}  // namespace batchscope::protocol
