// SPDX-License-Identifier: Apache-2.0
#include "answers/list_answers.h"

#include "answer.h"
#include "batchscope/common/data_forms.h"
#include "batchscope/common/decision_text.h"
#include "batchscope/common/job_text.h"
#include "batchscope/common/node_lanes.h"
#include "batchscope/common/pool_text.h"
#include "batchscope/common/queue_json.h"
#include "batchscope/common/say.h"
#include "batchscope/common/shown_json.h"
#include "batchscope/common/sweep_json.h"
#include "batchscope/common/trial_fold.h"
#include "batchscope/common/trial_table.h"
#include "batchscope/protocol/pool.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/record_json.h"
#include "batchscope/storage/sweeps.h"
#include "batchscope/sweep/driver.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;

constexpr double kLeaseHistory = 3600;  // s
constexpr long kUsualDecisions = 50, kMostDecisions = 1000;

}  // namespace

Json queue_json(Store& store) {
  storage::Catalogue& catalogue = store.catalogue();
  const std::vector<common::PlacedJob> jobs = common::placedJobs(catalogue);
  const std::vector<common::NodeLane> nodes = common::nodeLanes(catalogue);
  Json json = common::queueJson(catalogue, jobs, nodes);
  for (std::size_t i = 0; i < jobs.size(); ++i) json["queue"][i]["shown"] = common::shownJson(jobs[i]);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    json["nodes"][i]["shown"] = {{"name", common::nodeName(nodes[i]).toStdString()},
                                 {"state", common::nodeText(nodes[i], storage::now()).toStdString()},
                                 {"runs", common::nodeRunsText(nodes[i]).toStdString()}};
  json["rows"] = Json::array();
  for (const common::QueueRow& row : common::foldQueue(jobs)) json["rows"].push_back(common::rowJson(row));
  const run::Machine machine = run::pool_machine(catalogue);
  json["devices"] = machine.gpus;
  for (const std::string& core : machine.cores) json["devices"].push_back(core);
  json["leases"] = Json::array();
  for (const storage::LeaseEvent& lease : catalogue.lease_events(storage::now() - kLeaseHistory))
    json["leases"].push_back({{"device", lease.device},
                              {"run", lease.run},
                              {"name", lease.name},
                              {"since", lease.since},
                              {"until", storage::field_json(lease.until, storage::Meaning::later_time)},
                              {"why", lease.why}});
  json["pool"] = pool_json(catalogue);
  json["heartbeat"] = common::heartbeatJson(run::kPool);
  return json;
}

Json decisions_json(Store& store, const http::Request& request) {
  const auto most = static_cast<std::size_t>(whole_in(request, "limit", 1, kMostDecisions, kUsualDecisions));
  std::vector<protocol::PoolDecision> decisions = store.catalogue().decisions();
  if (decisions.size() > most) decisions.erase(decisions.begin(), decisions.end() - static_cast<long>(most));
  const auto name_of = [&](const std::string& id) {
    const auto run = store.catalogue().run(id);
    return QString::fromStdString(run ? run->name : id);
  };
  Json list = Json::array();
  for (const protocol::PoolDecision& decision : decisions) {
    Json& json = list.emplace_back(decision);
    json["shown"] = {{"changes", common::changesText(decision, name_of).toStdString()},
                     {"idle", common::devicesText(decision.idle).toStdString()}};
    for (std::size_t i = 0; i < decision.choices.size(); ++i) {
      const protocol::PoolChoice& choice = decision.choices[i];
      const int by = common::changeOf(choice);
      json["choices"][i]["shown"] = {
          {"name", name_of(choice.run).toStdString()},
          {"devices", common::choiceText(choice).toStdString()},
          {"tone", by > 0   ? "good"
                   : by < 0 ? "warning"
                            : "plain"},
          {"alternatives", common::alternativesText(choice.alternatives).toStdString()}};
    }
  }
  return {{"decisions", std::move(list)}};
}

Json pool_json(storage::Catalogue& catalogue) {
  Json pool = catalogue.pool_settings();
  pool["alive"] = run::kPool.alive();
  pool["policies"] = protocol::kPoolPolicies;
  pool["usual"] = Json::array();
  for (const common::PolicyText& policy : common::usualPolicies())
    pool["usual"].push_back({{"name", policy.name},
                             {"title", policy.title.toStdString()},
                             {"meaning", policy.meaning.toStdString()}});
  return pool;
}

Json sweeps_json(Store& store) {
  const bool driven = sweep::kDriver.alive();
  Json list = Json::array();
  for (const storage::Sweep& row : storage::Sweeps(store.catalogue()).all())
    list.push_back(shown_sweep_json(sweep::look(store.catalogue(), row.name), driven));
  return {{"sweeps", list}};
}

Json sweep_json(Store& store, const std::string& name) {
  const sweep::SweepView view = sweep::look(store.catalogue(), name);
  const bool driven = sweep::kDriver.alive();
  Json json = common::sweepDetailsJson(view, driven);
  json["sweep"]["shown"] = common::shownJson(view, driven);
  for (std::size_t trial = 0; trial < view.trials.size(); ++trial)
    json["trials"][trial]["shown"] = common::shownTrialJson(view, trial);
  json["parameters"] = common::parametersJson(view);
  json["importance"] = common::importanceJson(view);
  json["stop"] = common::stopJson(view);
  json["extends"] = common::extendsJson(view);
  return json;
}

storage::Sweep sweep_called(storage::Catalogue& catalogue, const std::string& name) {
  auto sweep = storage::Sweeps(catalogue).find(name);
  if (!sweep) throw Error(ErrorKind::not_found, say("there is no sweep {}", name));
  return *std::move(sweep);
}

http::Response trials_file(Store& store, const std::string& name, const http::Request& request) {
  const std::string format = request.value("format").value_or("csv");
  if (format != "csv" && format != "json" && format != "toml")
    throw Error(ErrorKind::usage, "format=" + format + " is not one of csv, json, toml");
  const sweep::SweepView view = sweep::look(store.catalogue(), sweep_called(store.catalogue(), name).name);
  http::Response file;
  if (format == "csv")
    file = {200, common::trialsCsv(view), "text/csv; charset=utf-8"};
  else if (format == "toml")
    file = {200, view.file.text(), "application/toml"};
  else
    file = json_response(common::sweepDetailsJson(view, sweep::kDriver.alive()));
  file.fields = {{"Cache-Control", "no-store"},
                 {"Content-Disposition",
                  "attachment; filename=\"" +
                      common::exportName(name, format == "toml" ? ".toml" : "-trials." + format) + "\""}};
  return file;
}

Json shown_sweep_json(const sweep::SweepView& view, bool driven) {
  Json json = common::sweepJson(view, driven);
  json["shown"] = common::shownJson(view, driven);
  return json;
}

}  // namespace batchscope::web
