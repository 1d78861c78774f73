// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic_sweep.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "batchscope/protocol/paths.h"
#include "batchscope/sweep/course.h"

namespace batchscope::desktop::test {
namespace {

using storage::SweepLeg;

constexpr std::size_t kWidth = 4;
constexpr std::size_t kFailing = 13;
constexpr double kSpeed = 12;    // iterations a second
constexpr double kEnd = 5400.0;  // iterations of the last rung

std::string stopOf(const std::string& kind) {
  if (kind == "none") return {};
  return "[stop]\nkind = \"" + kind + "\"\nmax = 5400\n" +
         (kind == "pbt" ? "min = 900\n" : "min = 200\neta = 3\n");
}

std::string fileOf(const SyntheticSweep& options) {
  return "name = \"" + options.name +
         "\"\nprogram = \"/usr/bin/true\"\nmetric = \"accuracy\"\ngoal = \"max\"\nseed = 5\ntrials = " +
         std::to_string(options.trials) + "\nmethod = \"random\"\n" + stopOf(options.stop) +
         "[parameter.lr]\nmin = 1e-3\nmax = 0.3\nscale = \"log\"\n"
         "[parameter.batch-size]\nvalues = [\"32\", \"64\", \"128\", \"256\"]\n"
         "[parameter.rule]\nvalues = [\"adascale\", \"linear\"]\n"
         "[parameter.momentum]\nmin = 0.5\nmax = 0.99\nwhen = { rule = [\"linear\"] }\n"
         "[parameter.epochs]\nvalue = \"20\"\n";
}

// Returns a number in [0, 1), the same for the same trial.
double noise(std::size_t trial) { return std::fmod(static_cast<double>(trial) * 0.7548776662, 1.0); }

SweepLeg outcomeOf(const sweep::SweepFile& file, const sweep::LegRecord& leg) {
  SweepLeg ended;
  const double from = leg.rung == 0 ? 0 : sweep::iterations_at(file.stop, leg.rung - 1).value_or(0);
  const double until = file.stop.kind == sweep::StopRule::Kind::none
                           ? kEnd
                           : sweep::iterations_at(file.stop, leg.rung).value_or(kEnd);
  ended.device_hours = (until - from) / kSpeed / 3600 * (0.8 + 0.4 * noise(leg.trial));
  const double rate = *leg.point[0], batch = *leg.point[1];
  const bool isLinear = *leg.point[2] == 1;
  if (leg.trial == kFailing) {
    ended.outcome = SweepLeg::Outcome::failed;
    ended.message = "the program ended with exit code 1: out of memory";
  } else if (isLinear && rate > 0.12) {
    ended.outcome = SweepLeg::Outcome::diverged;
  } else {
    const double off = std::log10(rate) + 1.5, width = isLinear ? 0.5 : 1.0;
    const double skill = std::exp(-off * off / width) * (isLinear ? 0.95 : 1) - 0.01 * std::abs(batch - 1);
    ended.outcome = SweepLeg::Outcome::value;
    ended.value = 0.1 + 0.88 * skill * (1 - std::exp(-until / 700)) + 0.012 * (noise(leg.trial) - 0.5);
  }
  ended.at_end = until >= kEnd;
  return ended;
}

// Sets times behind the store's back, which would have them now.
void setTimes(const std::string& sweep, double created, const std::vector<std::pair<double, double>>& legs) {
  sqlite3* database = nullptr;
  std::string script =
      "BEGIN;UPDATE sweep SET created=" + std::to_string(created) + " WHERE name='" + sweep + "';";
  for (std::size_t number = 0; number < legs.size(); ++number)
    script += "UPDATE sweep_leg SET began=" + std::to_string(legs[number].first) +
              ",ended=" + std::to_string(legs[number].second) + " WHERE number=" + std::to_string(number) +
              " AND sweep=(SELECT key FROM sweep WHERE name='" + sweep + "');";
  script += "COMMIT;";
  const bool isOpen = sqlite3_open(protocol::catalogue_path().c_str(), &database) == SQLITE_OK;
  const bool isDone =
      isOpen && sqlite3_exec(database, script.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(database);
  if (!isDone) throw std::runtime_error("the times of a synthetic sweep cannot be written");
}

}  // namespace

void writeSyntheticSweep(storage::Catalogue& catalogue, const SyntheticSweep& options) {
  storage::Sweeps sweeps(catalogue);
  storage::Sweep made;
  made.name = options.name;
  made.file = fileOf(options);
  made.spec.program = "/usr/bin/true";
  made.spec.working_directory = "/tmp";
  made.width = kWidth;
  sweeps.create(made);
  const auto file = sweep::SweepFile::parse(made.file, made.name);
  const sweep::Space space(file.parameters);

  std::vector<sweep::LegRecord> records;
  std::vector<std::string> runs;                 // of the trials
  std::vector<std::pair<double, double>> times;  // of the legs, from 0
  std::vector<std::size_t> underWay;
  double clock = 0;
  for (std::size_t ended = 0;; ++ended) {
    while (const auto next = sweep::next_leg(file, kWidth, records)) {
      SweepLeg leg{.trial = next->trial, .rung = next->rung, .heard = next->heard, .origin = next->origin};
      leg.parameters = space.texts(next->point);
      if (options.hasRuns && next->rung == 0) {
        protocol::RunSpec spec = made.spec;
        spec.name = options.name + "-" + std::to_string(next->trial);
        spec.group = options.name;
        runs.push_back(sweeps.submit(options.name, {.trial = next->trial, .leg = records.size()}, spec));
      }
      sweeps.begin_leg(options.name, records.size(), leg);
      underWay.push_back(records.size());
      records.push_back(*next);
      times.emplace_back(clock, clock + 3600 * outcomeOf(file, *next).device_hours);
    }
    if (underWay.empty() || ended == options.ended) break;
    const auto first =
        std::ranges::min_element(underWay, {}, [&](std::size_t leg) { return times[leg].second; });
    const std::size_t number = *first;
    underWay.erase(first);
    clock = times[number].second;
    const SweepLeg outcome = outcomeOf(file, records[number]);
    sweeps.end_leg(options.name, number, outcome);
    auto& heard = records[number].outcome.emplace();
    heard.device_hours = outcome.device_hours;
    heard.at_end = outcome.at_end;
    if (outcome.outcome == SweepLeg::Outcome::value) heard.value = outcome.value;
    if (outcome.outcome == SweepLeg::Outcome::diverged) heard.value = NAN;
  }
  const double created = storage::now() - clock;
  for (auto& [began, ended] : times) {
    began += created;
    ended += created;
  }
  for (const std::size_t leg : underWay) times[leg].second = 0;
  setTimes(options.name, created, times);
  for (std::size_t trial = 0; trial < runs.size(); ++trial) {
    const bool isOver =
        std::ranges::none_of(underWay, [&](std::size_t leg) { return records[leg].trial == trial; });
    if (isOver) catalogue.set_state(runs[trial], protocol::RunState::finished);
  }
  if (underWay.empty()) sweeps.set_state(options.name, storage::SweepState::finished);
}

}  // namespace batchscope::desktop::test
