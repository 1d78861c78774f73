// SPDX-License-Identifier: Apache-2.0
#include "answers/run_answers.h"

#include <algorithm>
#include <map>

#include "answer.h"
#include "batchscope/common/charts_json.h"
#include "batchscope/common/derived_series.h"
#include "batchscope/common/heard.h"
#include "batchscope/common/queue_json.h"
#include "batchscope/common/readout.h"
#include "batchscope/common/restart_text.h"
#include "batchscope/common/run_clock.h"
#include "batchscope/common/run_json.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/common/shown_json.h"
#include "batchscope/common/trial_fold.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/run_field.h"
#include "batchscope/storage/run_filter.h"
#include "batchscope/storage/trash.h"
#include "samples/sample_tail.h"

namespace batchscope::web {
namespace {

using protocol::Json;

constexpr long kUsualRuns = 200, kMostRuns = 1000;  // of one answer
constexpr long kMostOffset = 1'000'000'000;
constexpr std::size_t kMostEvents = 500;

// Fields are checked as `ls` does: of an empty store nobody can say which its runs will have.
void check_fields(const storage::RunFilter& filter, const std::string& sort,
                  const std::vector<storage::Run>& runs) {
  if (runs.empty()) return;
  const std::vector<std::string> fields = storage::field_names(runs);
  filter.check_fields(fields);
  if (!sort.empty() && std::find(fields.begin(), fields.end(), sort) == fields.end() &&
      !sort.starts_with("series:") && !sort.starts_with("param:"))
    throw Error(ErrorKind::usage, "sort=" + sort + ": no run has a field of this name");
}

void sort_rows(std::vector<common::RunRow>& rows, const std::string& field, bool descending, double now) {
  std::vector<std::pair<storage::FieldValue, common::RunRow>> keyed;
  for (common::RunRow& row : rows) {
    storage::FieldValue value = storage::field_value(row.run, field, now);
    keyed.emplace_back(std::move(value), std::move(row));
  }
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    return storage::field_before(a.first, b.first, descending);
  });
  std::transform(keyed.begin(), keyed.end(), rows.begin(), [](auto& each) { return std::move(each.second); });
}

const char* kind_name(common::SeriesKind kind) {
  switch (kind) {
    case common::SeriesKind::number: return "number";
    case common::SeriesKind::fraction: return "fraction";
    case common::SeriesKind::whole: return "whole";
    case common::SeriesKind::count: return "count";
    case common::SeriesKind::duration: return "duration";
    case common::SeriesKind::rate: return "rate";
    case common::SeriesKind::time: return "time";
  }
  return "number";
}

Json series_json(const std::string& name, std::int64_t count) {
  const common::Unit unit = common::unitOf(name);
  return {{"name", name},
          {"count", count},
          {"unit", unit.name},
          {"factor", unit.factor},
          {"kind", kind_name(common::kindOf(name))}};
}

// Adds the series that are recorded, those that are computed from them, and their charts.
void add_series(Store& store, const std::string& id, Json& details) {
  Json list = Json::array();
  std::vector<std::string> names;
  std::map<std::string, std::int64_t> counts;
  if (storage::SampleReader* samples = store.samples(id))
    for (const storage::SeriesInfo& info : samples->series()) {
      names.push_back(info.name);
      counts[info.name] = info.count;
      list.push_back(series_json(info.name, info.count));
    }
  for (const std::string& name : common::derivedFrom(names)) {
    const std::vector<std::string>& inputs = common::derivedSeries(name)->inputs;
    Json json = series_json(name, counts[inputs.front()]);
    json["inputs"] = inputs;
    list.push_back(std::move(json));
  }
  details["series"] = std::move(list);
  details["charts"] = common::chartsJson(names);
  details["readout"] = common::readoutJson();
}

}  // namespace

RunList list_runs(Store& store, const http::Request& request) {
  const auto filter = storage::RunFilter::parse(request.value("where").value_or(""));
  std::string sort = request.value("sort").value_or("");
  const bool descending = sort.starts_with('-');
  if (descending) sort.erase(0, 1);
  const auto offset = static_cast<std::size_t>(whole_in(request, "offset", 0, kMostOffset, 0));
  const auto limit = static_cast<std::size_t>(whole_in(request, "limit", 0, kMostRuns, kUsualRuns));

  const bool of_trash = request.value("trash") == "1";
  const std::vector<storage::Run> removed =
      of_trash ? store.catalogue().trash() : std::vector<storage::Run>();
  const std::vector<storage::Run>& all = of_trash ? removed : store.runs();
  check_fields(filter, sort, all);
  const double now = storage::now();
  std::vector<storage::Run> runs;
  for (const storage::Run& run : all)
    if ((of_trash || !storage::is_lesson(run)) && filter.matches(run, now)) runs.push_back(run);
  std::vector<common::RunRow> rows;
  if (request.value("fold") == "1" && !of_trash && !common::unfolds(filter)) {
    const common::ListedSweeps sweeps = common::listedSweeps(store.catalogue(), runs);
    rows = common::foldTrials(std::move(runs), sweeps);
  } else {
    for (storage::Run& run : runs) rows.push_back({.run = std::move(run)});
  }
  if (!sort.empty()) sort_rows(rows, sort, descending, now);

  const auto followed = storage::Origins(protocol::catalogue_path()).followed();
  RunList list;
  Json shown = Json::array();
  for (std::size_t i = std::min(offset, rows.size()); i < std::min(offset + limit, rows.size()); ++i) {
    const storage::Run& run = rows[i].run;
    const auto heard = common::lastHeard(run, followed.contains(run.id), now);
    Json json = common::rowJson(rows[i]);
    json["live"] = nullptr;
    json["heard"] = heard ? Json(*heard) : Json();
    json["shown"] = common::shownJson(rows[i], std::nullopt, heard, now);
    if (rows[i].trials.empty() && protocol::is_active(run.state))
      list.active.push_back({shown.size(), run, heard});
    shown.push_back(std::move(json));
  }
  list.json = {{"runs", std::move(shown)}, {"total", rows.size()}};
  if (of_trash) list.json["days"] = storage::kTrashDays;
  return list;
}

void add_statuses(RunList& list, const LiveRuns::Statuses& statuses) {
  const double now = storage::now();
  for (const auto& [place, run, heard] : list.active) {
    const auto found = statuses.find(run.id);
    if (found == statuses.end()) continue;
    Json& json = list.json["runs"][place];
    json["live"] = found->second;
    json["shown"] = common::shownJson({.run = run}, found->second.get<protocol::RunStatus>(), heard, now);
  }
}

RunDetails run_details(Store& store, const std::string& id) {
  const storage::Run run = store.run(id);
  RunDetails details;
  SampleTail tail(id);
  tail.begin(store);
  details.active = protocol::is_active(run.state);
  details.json = common::runDetailsJson(store.catalogue(), run, kMostEvents);
  const auto job = common::placedJob(store.catalogue(), run);
  details.json["job"] = job ? common::jobJson(*job) : Json();
  const double now = storage::now();
  const Json& origin = details.json["origin"];
  const auto heard = common::lastHeard(run, origin.is_object() && origin.at("followed"), now);
  details.json["run"]["heard"] = heard ? Json(*heard) : Json();
  details.json["run"]["shown"] = common::shownJson({.run = run}, std::nullopt, heard, now);
  const auto generations = store.catalogue().generations(id);
  std::map<int, std::string> parts;
  for (const storage::Generation& each : generations)
    parts[each.number] = common::describePause(each.pause_parts).toStdString();
  for (Json& each : details.json["generations"]) each["shown"] = {{"parts", parts[each.at("number")]}};
  details.json["clock"] = common::clockOrigin(run, generations);
  details.json["last_restart"] = common::restartJson(common::restartDone(generations));
  add_series(store, id, details.json);
  details.json["status"] = nullptr;
  details.json["cursor"] = tail.cursor();
  return details;
}

}  // namespace batchscope::web
