// SPDX-License-Identifier: Apache-2.0
#include "answers/explorer_answers.h"

#include <algorithm>
#include <utility>

#include "answer.h"
#include "batchscope/common/goodput_json.h"
#include "batchscope/common/goodput_prediction.h"
#include "batchscope/common/predictions.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/say.h"
#include "batchscope/common/what_if_table.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/prediction.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json, protocol::Model;

constexpr long kMostReplicas = 4096;
constexpr int kLeastCurve = 16, kMostCurve = 128;  // replicas
constexpr int kBatchPoints = 60;

Json point_json(const common::OperatingPoint& point) {
  return {
      {"replicas", point.replicas},
      {"goodput", point.goodput},
      {"range",
       point.error > 0 ? Json{point.goodput / (1 + point.error), point.goodput * (1 + point.error)} : Json()},
      {"throughput", point.throughput},
      {"efficiency", point.efficiency},
      {"batch_size", point.batchSize},
      {"local_batch_size", point.localBatchSize()},
      {"accumulation", point.accumulation},
      {"step_time", point.throughput > 0 ? static_cast<double>(point.batchSize) / point.throughput : 0}};
}

// The best configuration, and between which batch sizes it is, as surely as the noise scale is known.
Json best_json(const Model& model, const common::OperatingPoint& best) {
  Json point = point_json(best);
  const auto range = run::best_batch_sizes(model, best.replicas);
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
  const auto on_one_replica = common::bestPoint(model, 1);
  Json curve = Json::array();
  for (int replicas = 1; replicas <= longest_curve(model); ++replicas) {
    const auto best = common::bestPoint(model, replicas);
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

// Returns the points that the run may take; the window also draws those out of reach.
Json batch_curve_json(const Model& model, int replicas) {
  const common::GoodputPrediction prediction = common::predictGoodput(model, replicas, kBatchPoints);
  Json points = Json::array();
  for (const common::OperatingPoint& point : prediction.curve)
    if (point.isFeasible()) points.push_back(point_json(point));
  return {{"replicas", replicas},
          {"points", std::move(points)},
          {"best", prediction.best ? best_json(model, *prediction.best) : Json()}};
}

std::vector<common::WhatIfRow> table_of(const Model& model, int replicas, const common::PresentRun& run) {
  common::GoodputPrediction prediction;
  prediction.best = common::bestPoint(model, replicas);
  if (prediction.best) prediction.bestRange = run::best_batch_sizes(model, replicas);
  return common::whatIfTable(common::presentPoint(model, std::max(1, run.replicas), run.latest), run.measured,
                             prediction);
}

// Returns the sentences about each number of replicas, and its predictions in the order of `table`.
Json what_if_json(const Model& model, const common::PresentRun& run) {
  Json list = Json::array();
  for (int replicas = 1; replicas <= longest_curve(model); ++replicas) {
    Json predicted = Json::array();
    for (const common::WhatIfRow& row : table_of(model, replicas, run))
      predicted.push_back(row.predicted.toStdString());
    list.push_back({{"text", common::whatIfText(model, replicas, run).toStdString()},
                    {"bounds", common::constraintText(model, replicas).toStdString()},
                    {"caution", common::cautionText(model, replicas).toStdString()},
                    {"predicted", std::move(predicted)}});
  }
  return list;
}

// Returns the names of the rows, and what is measured now.
Json table_json(const std::vector<common::WhatIfRow>& table) {
  Json rows = Json::array();
  for (const common::WhatIfRow& row : table)
    rows.push_back({{"name", row.name.toStdString()}, {"measured", row.measured.toStdString()}});
  return rows;
}

}  // namespace

Json explorer_json(Store& store, const std::string& id, const http::Request& request) {
  const storage::Run run = store.run(id);
  const double floor = number_in(request, "efficiency_floor", run.spec.efficiency_floor);
  const auto replicas =
      static_cast<int>(whole_in(request, "replicas", 1, kMostReplicas, std::max(run.replicas, 1)));
  const auto model = common::readableModel(store.catalogue(), id);
  if (!model || !model->perf)
    return {{"curve", nullptr},
            {"table", table_json(common::whatIfTable(
                          {}, common::measuredRate(id, store.catalogue().generations(id)), {}))},
            {"why", run.step == 0
                        ? say("This run has not made a step yet.")
                        : say("No prediction yet: the model needs some steps with two batch sizes or two "
                              "numbers of replicas.")}};
  const auto generations = store.catalogue().generations(id);
  const Json goodput = common::goodputJson(run, model, generations);
  const storage::Generation* restart = common::lastRestart(generations);
  const common::PresentRun present{run.replicas, run.state, run.latest, common::measuredRate(id, generations),
                                   restart != nullptr ? restart->pause : -1};
  return {{"curve", curve_json(*model, floor)},
          {"what_if", what_if_json(*model, present)},
          {"table", table_json(table_of(*model, 1, present))},
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
