// SPDX-License-Identifier: Apache-2.0
//
// AdaptDL's names for what Model holds.
#include "batchscope/protocol/sched_hints.h"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

constexpr double kMostWhole = 1LL << 53;  // what a JSON number surely holds

[[noreturn]] void refuse(const std::string& name, const std::string& expected, const Json& found) {
  const std::string text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
  throw Error(ErrorKind::usage,
              "sched hint '" + name + "': expected " + expected + ", not " + text.substr(0, 60));
}

// A field of the object, which may be missing: null then.
const Json& at(const Json& object, const char* name) {
  static const Json kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

double number(const Json& found, const std::string& name, double least) {
  const double value = found.is_number() ? found.get<double>() : NAN;
  if (!std::isfinite(value) || value < least)
    refuse(name, "a number of at least " + Json(least).dump(), found);
  return value;
}

std::int64_t whole_number(const Json& found, const std::string& name) {
  const double value = found.is_number() ? found.get<double>() : -1;
  if (!(value >= 0 && value <= kMostWhole) || value != std::floor(value))
    refuse(name, "a whole number of at least 0", found);
  return static_cast<std::int64_t>(value);
}

std::int64_t whole_number_in(const Json& hints, const char* name) {
  const Json& found = at(hints, name);
  return found.is_null() ? 0 : whole_number(found, name);
}

// The member of a hint that is an object and must have it.
double member(const Json& hint, const std::string& name, const char* field, double least) {
  if (!hint.is_object()) refuse(name, "an object", hint);
  return number(at(hint, field), name + "." + field, least);
}

void check_object(const Json& hints) {
  if (!hints.is_object()) throw Error(ErrorKind::usage, "sched hints must be a JSON object");
}

}  // namespace

Json sched_hints(const Model& model) {
  Json hints{{"initBatchSize", model.init_batch_size},
             {"maxBatchSize", nullptr},
             {"localBszBounds", nullptr},
             {"globalBatchSize", nullptr},
             {"maxProfiledReplicas", model.max_profiled_replicas},
             {"gradientAccumulation", model.accumulation},
             {"gradParams", nullptr},
             {"perfParams", nullptr}};
  // AdaptDL's scheduler asserts that a maximum is at least the initial batch size, and ends with all its
  // jobs.
  if (model.max_batch_size > 0) hints["maxBatchSize"] = model.max_batch_size;
  if (model.max_local_batch_size > 0)
    hints["localBszBounds"] = {model.min_local_batch_size, model.max_local_batch_size};
  if (model.grad_var > 0) hints["gradParams"] = {{"norm", model.grad_sqr}, {"var", model.grad_var}};
  if (model.perf)
    visit_fields(*model.perf, [&](const char* name, double value) { hints["perfParams"][name] = value; });
  return hints;
}

Model model_from_sched_hints(const Json& hints) {
  check_object(hints);
  Model model;
  model.init_batch_size = whole_number_in(hints, "initBatchSize");
  model.max_batch_size = whole_number_in(hints, "maxBatchSize");
  const std::int64_t replicas = whole_number_in(hints, "maxProfiledReplicas");
  if (replicas > std::numeric_limits<int>::max())
    refuse("maxProfiledReplicas", "a number of replicas", at(hints, "maxProfiledReplicas"));
  model.max_profiled_replicas = static_cast<int>(replicas);
  if (const Json& found = at(hints, "gradientAccumulation"); !found.is_null()) {
    if (!found.is_boolean()) refuse("gradientAccumulation", "true or false", found);
    model.accumulation = found.get<bool>();
  }
  if (const Json& bounds = at(hints, "localBszBounds"); !bounds.is_null()) {
    if (!bounds.is_array() || bounds.size() != 2) refuse("localBszBounds", "[least, most]", bounds);
    model.min_local_batch_size = whole_number(bounds[0], "localBszBounds[0]");
    model.max_local_batch_size = whole_number(bounds[1], "localBszBounds[1]");
    if (model.min_local_batch_size > model.max_local_batch_size)
      refuse("localBszBounds", "the least first", bounds);
  }
  if (const Json& grad = at(hints, "gradParams"); !grad.is_null()) {
    model.grad_sqr = member(grad, "gradParams", "norm", 0);
    model.grad_var = member(grad, "gradParams", "var", 0);
  }
  if (const Json& perf = at(hints, "perfParams"); !perf.is_null())
    visit_fields(model.perf.emplace(), [&](const std::string_view name, double& value) {
      value = member(perf, "perfParams", name.data(), name == "gamma" ? 1 : 0);
    });
  return model;
}

std::int64_t hinted_batch_size(const Json& hints) {
  check_object(hints);
  return whole_number_in(hints, "globalBatchSize");
}

}  // namespace batchscope::protocol
