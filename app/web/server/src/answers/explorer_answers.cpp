// SPDX-License-Identifier: Apache-2.0
#include "answers/explorer_answers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "answer.h"
#include "batchscope/common/goodput_json.h"
#include "batchscope/common/predictions.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/prediction.h"

namespace batchscope::web {
namespace {

using protocol::Json, protocol::Model;

constexpr long kMostReplicas = 4096;
constexpr int kLeastCurve = 16, kMostCurve = 128;  // replicas
constexpr int kBatchPoints = 60;
constexpr double kBeyondInitial = 16;  // times the initial batch size, where the program fixes it

Json point_json(const run::Prediction& point) {
  return {{"replicas", point.at.num_replicas},
          {"goodput", point.goodput},
          {"range", point.error > 0 ? Json{point.low(), point.high()} : Json()},
          {"throughput", point.throughput},
          {"efficiency", point.efficiency},
          {"batch_size", point.batch_size},
          {"local_batch_size", point.at.local_batch_size},
          {"accumulation", point.at.accumulation_steps},
          {"step_time", point.throughput > 0 ? static_cast<double>(point.batch_size) / point.throughput : 0}};
}

// The best configuration, and between which batch sizes it is, as surely as the noise scale is known.
Json best_json(const Model& model, const run::Prediction& best) {
  Json point = point_json(best);
  const auto range = run::best_batch_sizes(model, best.at.num_replicas);
  point["batch_range"] = range ? Json{range->first, range->second} : Json();
  return point;
}

int devices_of(const Model& model) {
  if (const int counted = run::counted_devices(model); counted > 0) return counted;
  const run::Machine machine = run::Machine::here();
  return static_cast<int>(machine.gpus.empty() ? machine.cores.size() : machine.gpus.size());
}

// Returns up to how many replicas curves go.
int longest_curve(const Model& model) {
  return std::min(std::max(kLeastCurve, 2 * devices_of(model)), kMostCurve);
}

// The best of each number of replicas; whether it is worth its devices as auto replicas judge that: the
// speed-up over one replica, a replica, is no less than the floor.
Json curve_json(const Model& model, double floor) {
  const auto on_one_replica = run::predict(model, 1);
  Json curve = Json::array();
  for (int replicas = 1; replicas <= longest_curve(model); ++replicas) {
    const auto best = run::predict(model, replicas);
    if (!best) continue;
    Json point = best_json(model, *best);
    if (on_one_replica && on_one_replica->goodput > 0) {
      point["speedup"] = best->goodput / on_one_replica->goodput;
      point["reaches_floor"] = best->goodput / on_one_replica->goodput >= floor * replicas;
    }
    curve.push_back(std::move(point));
  }
  return curve;
}

// The configuration of so many replicas that comes nearest to the batch size and that the run may take, with
// as few micro-batches as it can.
std::optional<run::Prediction> near(const Model& model, int replicas, double batch) {
  const double most_local = model.max_local_batch_size > 0 ? static_cast<double>(model.max_local_batch_size)
                                                           : static_cast<double>(model.max_batch_size);
  int steps = std::max(0, static_cast<int>(std::ceil(batch / replicas / most_local)) - 1);
  const bool needs_two = replicas == 1 && !model.single_gradient &&
                         batch > static_cast<double>(model.init_batch_size) &&
                         !run::has_fixed_batch_size(model);
  if (needs_two) steps = std::max(steps, 1);
  if (steps > 0 && !model.accumulation) return std::nullopt;
  const auto local = std::llround(batch / replicas / (steps + 1));
  if (local < std::max<std::int64_t>(1, model.min_local_batch_size)) return std::nullopt;
  const auto point = run::predict(model, {1, replicas, local, steps});
  if (point.batch_size > model.max_batch_size && !run::has_fixed_batch_size(model)) return std::nullopt;
  return point;
}

Json batch_curve_json(const Model& model, int replicas) {
  const auto low = static_cast<double>(std::max<std::int64_t>(model.init_batch_size, replicas));
  const double high = run::has_fixed_batch_size(model)
                          ? kBeyondInitial * static_cast<double>(model.init_batch_size)
                          : static_cast<double>(model.max_batch_size);
  Json points = Json::array();
  std::int64_t last = 0;
  for (int i = 0; i < kBatchPoints && high > low; ++i) {
    const auto point = near(model, replicas, low * std::pow(high / low, i / (kBatchPoints - 1.0)));
    if (!point || point->batch_size <= last) continue;
    last = point->batch_size;
    points.push_back(point_json(*point));
  }
  const auto best = run::predict(model, replicas);
  return {{"replicas", replicas},
          {"points", std::move(points)},
          {"best", best ? best_json(model, *best) : Json()}};
}

}  // namespace

Json explorer_json(Store& store, const std::string& id, const http::Request& request) {
  const storage::Run run = store.run(id);
  const double floor = number_in(request, "efficiency_floor", run.spec.efficiency_floor);
  const auto replicas =
      static_cast<int>(whole_in(request, "replicas", 1, kMostReplicas, std::max(run.replicas, 1)));
  const auto model = common::readableModel(store.catalogue(), id);
  if (!model || !model->perf)
    return {
        {"curve", nullptr},
        {"why", run.step == 0 ? "this run has not made a step yet"
                              : "no model has been fitted to this run yet: that needs some steps with two "
                                "batch sizes or two numbers of replicas"}};
  const auto generations = store.catalogue().generations(id);
  const Json goodput = common::goodputJson(run, model, generations);
  return {{"curve", curve_json(*model, floor)},
          {"efficiency_floor", floor},
          {"devices", devices_of(*model)},
          {"batch_curve", batch_curve_json(*model, replicas)},
          {"measured", goodput.at("step_times")},
          {"mean_error", goodput.at("mean_error")},
          {"bounds", goodput.at("bounds")},
          {"predictions", common::predictionsJson(common::predictionsOf(generations))},
          {"step", model->step},
          {"now",
           {{"replicas", run.replicas},
            {"measured", goodput.at("measured")},
            {"predicted", goodput.at("predicted")}}}};
}

Json batch_curves_json(Store& store, const std::string& id) {
  Json curves = Json::object();
  const auto model = common::readableModel(store.catalogue(), id);
  if (!model || !model->perf) return curves;
  for (int replicas = 1; replicas <= longest_curve(*model); ++replicas)
    curves[std::to_string(replicas)] = batch_curve_json(*model, replicas);
  return curves;
}

}  // namespace batchscope::web
