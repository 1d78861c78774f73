// SPDX-License-Identifier: Apache-2.0
//
// ls: the runs of this store, newest first, or those that pass a filter in another order. The trials of a
// sweep are one row, unless they are asked for.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "batchscope/common/heard.h"
#include "batchscope/common/run_json.h"
#include "batchscope/common/trial_fold.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/run_filter.h"
#include "commands/commands.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "terminal/watch.h"
#include "text/job_note.h"
#include "text/run_columns.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Runs = std::vector<storage::Run>;
using Rows = std::vector<common::RunRow>;

const std::vector<std::string> kUsualColumns{"id",    "name", "state",    "replicas", "restarts", "devices",
                                             "epoch", "step", "accuracy", "loss",     "age"};

class RunList {
 public:
  explicit RunList(const ListOptions& options)
      : options_(options),
        filter_(storage::RunFilter::parse(options.where)),
        catalogue_(openCatalogue()),
        origins_(protocol::catalogue_path()),
        columns_(options.columns.empty() ? kUsualColumns : options.columns) {
    descending_ = options_.sort.starts_with('-');
    sort_ = options_.sort.substr(descending_ ? 1 : 0);
  }

  std::string text() {
    Runs all = options_.trash ? catalogue_.trash() : catalogue_.runs();
    if (!options_.all && !options_.trash) std::erase_if(all, storage::is_lesson);
    const Rows rows = chosen(all);
    if (options_.json) return jsonText(rows);
    if (all.empty()) return emptyText();
    if (rows.empty())
      return say("None of {} passes the filter.", plural(static_cast<std::int64_t>(all.size()), "run")) +
             '\n';
    std::string text =
        runTable(rows, columns_, notes(), silentStates(rows)).text(terminalStyle(STDOUT_FILENO));
    if (std::ranges::any_of(rows, [](const common::RunRow& row) { return !row.trials.empty(); }))
      text += fmt::format("\n{}\n",
                          say("Trials are folded under their sweeps: batchscope ls --trials lists them."));
    return text;
  }

 private:
  // The places of runs that train on other machines.
  std::map<std::string, std::string> notes() {
    std::map<std::string, std::string> notes;
    for (const auto& [id, origin] : origins_.followed())
      if (const std::string note = jobNote(origin); !note.empty()) notes[id] = note;
    return notes;
  }

  // Returns "last heard 02:41" for runs of which there is no newer word.
  std::map<std::string, std::string> silentStates(const Rows& rows) {
    std::map<std::string, std::string> states;
    const auto followed = origins_.followed();
    const double now = storage::now();
    for (const common::RunRow& row : rows)
      if (const auto heard = common::lastHeard(row.run, followed.contains(row.run.id), now))
        states[row.run.id] = common::lastHeardText(*heard, now);
    return states;
  }

  std::string emptyText() {
    if (options_.trash) return say("The trash is empty.") + '\n';
    if (const auto unlisted = static_cast<std::int64_t>(unlistedRuns(catalogue_).size()); unlisted > 0)
      return say("No runs are listed, but there are {}: batchscope adopt adds them",
                 plural(unlisted, "run folder")) +
             '\n';
    return say("No runs yet. Start one: batchscope run train.py") + '\n';
  }

  // A person who names trials means them, and scripts are given every run.
  bool folds() const {
    const auto isOfTrials = [](const std::string& field) { return field == "sweep" || field == "trial"; };
    return !options_.trials && !options_.json && !options_.trash && !common::unfolds(filter_) &&
           !isOfTrials(sort_) && std::ranges::none_of(columns_, isOfTrials);
  }

  // An empty store does not tell which fields runs will have.
  Rows chosen(const Runs& all) {
    if (!all.empty()) {
      const std::vector<std::string> fields = storage::field_names(all);
      filter_.check_fields(fields);
      checkFields(columns_, fields);
      if (!sort_.empty()) checkFields({sort_}, fields);
    }
    Runs runs;
    const double now = storage::now();
    for (const storage::Run& run : all)
      if (filter_.matches(run, now)) runs.push_back(run);
    Rows rows;
    if (folds()) {
      const common::ListedSweeps sweeps = common::listedSweeps(catalogue_, runs);
      rows = common::foldTrials(std::move(runs), sweeps);
    } else {
      for (storage::Run& run : runs) rows.push_back({.run = std::move(run)});
    }
    if (!sort_.empty()) sortRows(rows, sort_, descending_);
    if (options_.limit && rows.size() > static_cast<std::size_t>(*options_.limit))
      rows.resize(static_cast<std::size_t>(*options_.limit));
    return rows;
  }

  std::string jsonText(const Rows& rows) {
    protocol::Json list = protocol::Json::array();
    const auto followed = origins_.followed();
    for (const auto& [run, trials, text, best] : rows) {
      list.push_back(options_.columns.empty() ? storage::run_json(run) : fieldsJson(run, options_.columns));
      if (const auto origin = followed.find(run.id); origin != followed.end() && options_.columns.empty())
        list.back()["origin"] = common::originJson(origin->second);
    }
    return jsonLine({{"runs", list}});
  }

  const ListOptions& options_;
  storage::RunFilter filter_;
  storage::Catalogue catalogue_;
  storage::Origins origins_;
  std::vector<std::string> columns_;
  std::string sort_;
  bool descending_ = false;
};

}  // namespace

int listRuns(const ListOptions& options) {
  RunList list(options);
  if (options.watch)
    watch([&] { return list.text(); });
  else
    fmt::print("{}", list.text());
  return kExitOk;
}

}  // namespace batchscope::cli
