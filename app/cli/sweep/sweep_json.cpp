// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_json.h"

#include "batchscope/common/data_forms.h"
#include "batchscope/common/run_json.h"
#include "batchscope/storage/catalogue.h"
#include "sweep/sweep_progress.h"
#include "sweep/sweep_text.h"

namespace batchscope::cli {
namespace {

using common::jsonNumber;
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
          {"began", common::fieldJson(trial.began, Meaning::later_time)},
          {"ended", common::fieldJson(trial.ended, Meaning::later_time)},
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
          {"ended", common::fieldJson(leg.ended, Meaning::later_time)},
          {"message", leg.message}};
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
          {"remaining", common::fieldJson(progress.remaining, Meaning::amount)},
          {"best", view.best ? trialJson(view, *view.best) : Json()},
          {"device_hours", view.device_hours},
          {"created", view.sweep.created},
          {"ended", common::fieldJson(view.sweep.ended, Meaning::later_time)}};
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

}  // namespace batchscope::cli
