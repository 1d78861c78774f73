// SPDX-License-Identifier: Apache-2.0
#include "verbs/sweep_verbs.h"

#include <fmt/core.h>

#include <optional>
#include <utility>
#include <vector>

#include "answer.h"
#include "answers/list_answers.h"
#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/sweep/driver.h"
#include "batchscope/sweep/sweeps.h"
#include "store/asked_for.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;
using sweep::SweepFile;

double more_hours(const Json& value) {
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= SweepFile::kMostDeviceHours))
    throw Error(ErrorKind::usage,
                say("device_hours must be a number from 0 to {}", SweepFile::kMostDeviceHours));
  return value.get<double>();
}

SweepVerb extension(const Json& body) {
  const int trials = whole_in(body.value("trials", Json(0)), "trials", 0, SweepFile::kMostTrials);
  const double hours = more_hours(body.value("device_hours", Json(0)));
  std::string what;
  if (trials > 0) what = fmt::format("{} more trial{}", trials, trials == 1 ? "" : "s");
  if (hours > 0) what += fmt::format("{}{:g} more device-hours", what.empty() ? "" : ", ", hours);
  return {what, [trials, hours](storage::Catalogue& catalogue, const std::string& name) {
            sweep::extend(catalogue, name, trials, hours);
          }};
}

}  // namespace

SweepVerb sweep_verb(const Json& body) {
  const Json command = body.is_object() ? body.value("command", Json()) : Json();
  if (command == "pause") return {"pause", sweep::pause};
  if (command == "resume") return {"resume", sweep::resume};
  if (command == "stop") return {"stop", sweep::stop};
  if (command == "extend") return extension(body);
  throw Error(ErrorKind::usage, "\"command\" must be one of pause, resume, stop, extend, remove, restore");
}

std::vector<storage::Run> tellers_of(storage::Catalogue& catalogue, const storage::Sweep& sweep) {
  std::vector<storage::Run> living;
  if (!sweep.workplace.empty()) return living;
  std::optional<storage::Run> newest;
  for (const storage::TrialRun& trial : storage::Sweeps(catalogue).runs(sweep.name)) {
    auto run = catalogue.run(trial.run);
    if (!run || run->removed > 0) continue;
    if (!newest || newest->created <= run->created) newest = run;
    if (run->ended == 0) living.push_back(*std::move(run));
  }
  if (living.empty() && newest) living.push_back(*std::move(newest));
  return living;
}

Json ask_of_sweep(Store& store, const std::string& name, const std::string& person, const SweepVerb& verb) {
  storage::Catalogue& catalogue = store.catalogue();
  const std::vector<storage::Run> runs = tellers_of(catalogue, sweep_called(catalogue, name));
  verb.act(catalogue, name);
  for (const storage::Run& run : runs)
    note_asked_for(catalogue, run, fmt::format("{} of the sweep {}", verb.what, name), person);
  return {{"sweep", shown_sweep_json(sweep::look(catalogue, name), sweep::kDriver.alive())}};
}

}  // namespace batchscope::web
