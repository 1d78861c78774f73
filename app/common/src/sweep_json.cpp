// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/sweep_json.h"

#include <algorithm>
#include <utility>

#include "batchscope/common/data_forms.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/sweep_progress.h"
#include "batchscope/common/sweep_text.h"
#include "batchscope/common/translate.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/record_json.h"

namespace batchscope::common {
namespace {

using protocol::Json;
using storage::Meaning;
using Outcome = storage::SweepLeg::Outcome;

Json runsJson(const std::vector<std::string>& runs) {
  Json list = Json::array();
  for (const std::string& run : runs) list.push_back(run.empty() ? Json() : Json(run));
  return list;
}

Json trialJson(const sweep::SweepView& view, std::size_t number) {
  const sweep::TrialView& trial = view.trials[number];
  return {{"trial", number},
          {"state", trialState(view, number)},
          {"value", jsonNumber(trial.standing.value)},
          {"rung", trial.standing.rung < 0 ? Json() : Json(trial.standing.rung)},
          {"parameters", trial.parameters},
          {"device_hours", trial.standing.device_hours},
          {"runs", runsJson(trial.runs)},
          {"began", storage::field_json(trial.began, Meaning::later_time)},
          {"ended", storage::field_json(trial.ended, Meaning::later_time)},
          {"message", trial.message}};
}

const char* outcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::under_way: return "under_way";
    case Outcome::value: return "value";
    case Outcome::diverged: return "diverged";
    case Outcome::failed: return "failed";
  }
  return "";
}

Json legJson(const sweep::SweepView& view, const storage::SweepLeg& leg) {
  const auto reached = sweep::iterations_at(view.file.stop, leg.rung);
  return {{"trial", leg.trial},
          {"rung", leg.rung},
          {"iterations", reached ? Json(*reached) : Json()},
          {"origin", leg.origin ? Json(*leg.origin) : Json()},
          {"parameters", leg.parameters},
          {"outcome", outcomeName(leg.outcome)},
          {"value", leg.outcome == Outcome::value ? jsonNumber(leg.value) : Json()},
          {"at_end", leg.at_end},
          {"device_hours", leg.device_hours},
          {"began", leg.began},
          {"ended", storage::field_json(leg.ended, Meaning::later_time)},
          {"message", leg.message}};
}

const char* kindName(sweep::StopRule::Kind kind) {
  switch (kind) {
    case sweep::StopRule::Kind::none: return "none";
    case sweep::StopRule::Kind::median: return "median";
    case sweep::StopRule::Kind::asha: return "asha";
    case sweep::StopRule::Kind::pbt: return "pbt";
  }
  return "";
}

}  // namespace

Json sweepJson(const sweep::SweepView& view, bool driven) {
  const SweepProgress progress = progressOf(view, storage::now());
  return {{"name", view.sweep.name},
          {"state", storage::sweep_state_name(view.sweep.state)},
          {"message", view.sweep.message},
          {"driven", driven},
          {"metric", view.file.metric},
          {"goal", view.file.goal == sweep::Goal::min ? "min" : "max"},
          {"width", view.sweep.width},
          {"trials",
           {{"wanted", progress.wanted},
            {"done", progress.done},
            {"running", progress.running},
            {"pending", progress.pending},
            {"failed", progress.failed},
            {"diverged", progress.diverged}}},
          {"share", progress.share},
          {"remaining", storage::field_json(progress.remaining, Meaning::amount)},
          {"best", view.best ? trialJson(view, *view.best) : Json()},
          {"device_hours", view.device_hours},
          {"created", view.sweep.created},
          {"ended", storage::field_json(view.sweep.ended, Meaning::later_time)}};
}

Json shownJson(const sweep::SweepView& view, bool driven) {
  const StatusText status = describe(view.sweep.state, driven);
  const double remaining = progressOf(view, storage::now()).remaining;
  Json totals = Json::array();
  for (const SweepTotal& total : totalsOf(view))
    totals.push_back({{"name", total.name.toStdString()},
                      {"how", total.how.toStdString()},
                      {"value", total.value.toStdString()}});
  return {{"state", status.text.toStdString()},
          {"tone", status.tone.toStdString()},
          {"done", totals[0]["value"]},
          {"best", view.best ? valueText(view, *view.best).toStdString() : "–"},
          {"left", remaining < 0 ? "" : tr("about %1").arg(formatDuration(remaining)).toStdString()},
          {"unit", metricUnit(view).toStdString()},
          {"factor", metricFactor(view)},
          {"totals", std::move(totals)}};
}

Json shownTrialJson(const sweep::SweepView& view, std::size_t trial) {
  const StatusText status = describe(view, trial);
  return {{"state", status.text.toStdString()},
          {"tone", status.tone.toStdString()},
          {"value", valueText(view, trial).toStdString()},
          {"text", trialText(view, trial).toStdString()}};
}

Json sweepDetailsJson(const sweep::SweepView& view, bool driven) {
  Json trials = Json::array(), legs = Json::array();
  for (std::size_t number = 0; number < view.trials.size(); ++number)
    trials.push_back(trialJson(view, number));
  for (const storage::SweepLeg& leg : view.rows) legs.push_back(legJson(view, leg));
  return {{"sweep", sweepJson(view, driven)}, {"trials", trials}, {"legs", legs}};
}

Json bestJson(const sweep::SweepView& view) {
  if (!view.best) return nullptr;
  const sweep::TrialView& best = view.trials[*view.best];
  const bool isThere = !best.runs.empty() && !best.runs.front().empty();
  return {{"run", isThere ? Json(best.runs.front()) : Json()},
          {"value", jsonNumber(best.standing.value)},
          {"parameters", best.parameters},
          {"command", sweep::best_command(view)}};
}

Json parametersJson(const sweep::SweepView& view) {
  Json list = Json::array();
  for (const sweep::Parameter& parameter : view.file.parameters) {
    const bool isChoice = parameter.kind == sweep::Parameter::Kind::choice;
    list.push_back({{"name", parameter.name},
                    {"kind", isChoice ? "choice" : "number"},
                    {"integer", parameter.kind == sweep::Parameter::Kind::integer},
                    {"scale", parameter.log ? "log" : "linear"},
                    {"min", isChoice ? Json() : Json(parameter.min)},
                    {"max", isChoice ? Json() : Json(parameter.max)},
                    {"values", isChoice ? Json(parameter.choices) : Json()}});
  }
  return list;
}

Json importanceJson(const sweep::SweepView& view) {
  const std::vector<double> shares = importanceOf(view);
  Json list = Json::array();
  for (std::size_t i = 0; i < shares.size(); ++i)
    list.push_back({{"name", view.file.parameters[i].name}, {"share", shares[i]}});
  return list;
}

Json stopJson(const sweep::SweepView& view) {
  const sweep::StopRule& rule = view.file.stop;
  int last = -1;
  for (const storage::SweepLeg& leg : view.rows) last = std::max(last, leg.rung);
  Json rungs = Json::array();
  for (int rung = 0; rung <= last + 1 && (rung == 0 || !sweep::is_last(rule, rung - 1)); ++rung)
    if (const auto reached = sweep::iterations_at(rule, rung)) rungs.push_back(*reached);
  return {{"kind", kindName(rule.kind)},
          {"unit", rule.unit == sweep::StopRule::Unit::steps ? "steps" : "iterations"},
          {"rungs", rungs}};
}

Json extendsJson(const sweep::SweepView& view) {
  const bool isPopulation = view.file.stop.kind == sweep::StopRule::Kind::pbt;  // it keeps its size
  return {{"trials", view.file.trials.has_value() && !isPopulation},
          {"device_hours", view.file.device_hours.has_value()}};
}

}  // namespace batchscope::common
