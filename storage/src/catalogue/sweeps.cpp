// SPDX-License-Identifier: Apache-2.0
#include "batchscope/storage/sweeps.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "batchscope/protocol/json.h"
#include "catalogue/catalogue_impl.h"
#include "database/checked_row.h"
#include "database/json_text.h"

namespace batchscope::storage {
namespace {

using Texts = std::map<std::string, std::string>;

constexpr std::pair<SweepState, const char*> kStates[] = {{SweepState::running, "running"},
                                                          {SweepState::paused, "paused"},
                                                          {SweepState::stopped, "stopped"},
                                                          {SweepState::finished, "finished"},
                                                          {SweepState::failed, "failed"}};
constexpr std::pair<SweepLeg::Outcome, const char*> kOutcomes[] = {{SweepLeg::Outcome::under_way, ""},
                                                                   {SweepLeg::Outcome::value, "value"},
                                                                   {SweepLeg::Outcome::diverged, "diverged"},
                                                                   {SweepLeg::Outcome::failed, "failed"}};

template <class Value, std::size_t size>
const char* name_of(const std::pair<Value, const char*> (&names)[size], Value value) noexcept {
  return std::ranges::find(names, value, &std::pair<Value, const char*>::first)->second;
}

template <class Value, std::size_t size>
Value named(const std::pair<Value, const char*> (&names)[size], const std::string& name) {
  const auto found = std::ranges::find_if(names, [&](const auto& entry) { return entry.second == name; });
  if (found == std::end(names))
    throw Error(ErrorKind::corrupt, "a sweep has the unknown state '" + name + "'");
  return found->first;
}

template <class Value>
Value value_of(const std::string& text) {
  try {
    return protocol::parse_object(text).get<Value>();
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::corrupt, "a sweep cannot be read: " + protocol::fault_text(fault));
  }
}

std::int64_t sweep_key(Database& database, const std::string& name) {
  Query row = database.query("SELECT key FROM sweep WHERE name = ?", name);
  if (!row.next())
    throw Error(ErrorKind::not_found, "there is no sweep '" + name + "': see batchscope sweep status");
  return row.integer(0);
}

#define BATCHSCOPE_SELECT_SWEEPS \
  "SELECT name, file, spec, state, message, width, created, ended, workplace FROM sweep "

#define BATCHSCOPE_RUNS_OF_TRIAL "(SELECT run FROM trial WHERE sweep = ? AND trial = ?)"

void put_trial(Database& database, const std::string& sweep, const TrialRun& place, std::int64_t run) {
  database.execute("INSERT OR REPLACE INTO trial (sweep, trial, seed, leg, run) VALUES (?, ?, ?, ?, ?)",
                   sweep_key(database, sweep), place.trial, place.seed, place.leg, run);
}

// Lets the runs of a trial that rest, and those that were stopped, go on.
void let_go_on(Database& database, std::int64_t sweep, std::size_t trial) {
  database.execute("UPDATE job SET resumed = 1 WHERE run IN " BATCHSCOPE_RUNS_OF_TRIAL, sweep, trial);
  database.execute(
      "UPDATE run SET state = 'pending', message = '', ended = 0"
      " WHERE state = 'stopped' AND key IN " BATCHSCOPE_RUNS_OF_TRIAL,
      sweep, trial);
}

void insist_on_new_sweep(Database& database, const std::string& name) {
  if (database.query("SELECT 1 FROM sweep WHERE name = ?", name).next())
    throw Error(ErrorKind::conflict,
                fmt::format("there is a sweep '{0}' already: `batchscope sweep resume {0}` goes on with it; "
                            "to begin another one, change `name` in the file",
                            name));
}

Sweep sweep_in(const Query& query) {
  const CheckedRow row(query);
  Sweep sweep;
  sweep.name = row.text(0);
  sweep.file = row.text(1);
  sweep.spec = value_of<protocol::RunSpec>(row.text(2));
  sweep.state = named(kStates, row.text(3));
  sweep.message = row.text(4);
  sweep.width = row.small_integer(5);
  sweep.created = row.time(6);
  sweep.ended = row.time(7);
  sweep.workplace = row.text(8);
  return sweep;
}

SweepLeg leg_in(const Query& query) {
  const CheckedRow row(query);
  SweepLeg leg;
  leg.trial = static_cast<std::size_t>(row.integer(0));
  leg.rung = row.small_integer(1);
  leg.heard = static_cast<std::size_t>(row.integer(2));
  if (!query.null(3)) leg.origin = static_cast<std::size_t>(row.integer(3));
  leg.parameters = value_of<Texts>(row.text(4));
  leg.began = row.time(5);
  leg.ended = row.time(6);
  leg.outcome = named(kOutcomes, row.text(7));
  leg.value = row.real(8);
  leg.device_hours = row.real(9);
  leg.at_end = row.integer(10) != 0;
  leg.message = row.text(11);
  return leg;
}

}  // namespace

const char* sweep_state_name(SweepState state) noexcept { return name_of(kStates, state); }

void Sweeps::create(const Sweep& sweep) {
  Database& database = catalogue_.impl_->database;
  database.write([&] {
    insist_on_new_sweep(database, sweep.name);
    database.execute(
        "INSERT INTO sweep (name, file, spec, state, message, width, created, workplace)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        sweep.name, sweep.file, text_of(sweep.spec), sweep_state_name(sweep.state), sweep.message,
        sweep.width, now(), sweep.workplace);
  });
}

std::vector<Sweep> Sweeps::all() {
  Database& database = catalogue_.impl_->database;
  return database.read([&] {
    std::vector<Sweep> list;
    Query row = database.query(BATCHSCOPE_SELECT_SWEEPS "ORDER BY key DESC");
    while (row.next()) add_if_sound([&] { list.push_back(sweep_in(row)); });
    return list;
  });
}

std::optional<Sweep> Sweeps::find(const std::string& name) {
  Database& database = catalogue_.impl_->database;
  return database.read([&]() -> std::optional<Sweep> {
    Query row = database.query(BATCHSCOPE_SELECT_SWEEPS "WHERE name = ?", name);
    if (!row.next()) return std::nullopt;
    return sweep_in(row);
  });
}

Sweep Sweeps::resolve(const std::string& text) {
  const std::vector<Sweep> sweeps = all();
  if (sweeps.empty())
    throw Error(ErrorKind::not_found, "there are no sweeps yet: `batchscope sweep run FILE.toml` begins one");
  if (text == "latest") return sweeps.front();
  std::vector<Sweep> fitting;
  for (const Sweep& sweep : sweeps) {
    if (sweep.name == text) return sweep;
    if (sweep.name.starts_with(text)) fitting.push_back(sweep);
  }
  if (fitting.size() == 1) return fitting.front();
  std::vector<std::string> names;
  for (const Sweep& sweep : fitting.empty() ? sweeps : fitting) names.push_back(sweep.name);
  if (fitting.empty())
    throw Error(ErrorKind::not_found, fmt::format("no sweep's name begins with '{}'; the sweeps are {}", text,
                                                  fmt::join(names, ", ")));
  throw Error(ErrorKind::usage,
              fmt::format("'{}' matches {} sweeps: {}", text, names.size(), fmt::join(names, ", ")));
}

void Sweeps::set_state(const std::string& name, SweepState state, const std::string& message) {
  const bool over = state != SweepState::running && state != SweepState::paused;
  Database& database = catalogue_.impl_->database;
  database.write([&] {
    database.execute("UPDATE sweep SET state = ?, message = ?, ended = ? WHERE key = ?",
                     sweep_state_name(state), message, over ? now() : 0.0, sweep_key(database, name));
  });
}

void Sweeps::resume(const std::string& name) {
  Database& database = catalogue_.impl_->database;
  database.write([&] {
    const std::int64_t key = sweep_key(database, name);
    database.execute("UPDATE sweep SET state = 'running', message = '', ended = 0 WHERE key = ?", key);
    database.execute("UPDATE job SET held = 0 WHERE run IN (SELECT run FROM trial WHERE sweep = ?)", key);
    std::vector<std::size_t> trials;
    Query row = database.query("SELECT trial FROM sweep_leg WHERE sweep = ? AND outcome = ''", key);
    while (row.next()) trials.push_back(static_cast<std::size_t>(row.integer(0)));
    for (const std::size_t trial : trials) let_go_on(database, key, trial);
  });
}

void Sweeps::set_file(const std::string& name, const std::string& file) {
  Database& database = catalogue_.impl_->database;
  database.write(
      [&] { database.execute("UPDATE sweep SET file = ? WHERE key = ?", file, sweep_key(database, name)); });
}

void Sweeps::set_width(const std::string& name, int width) {
  Database& database = catalogue_.impl_->database;
  database.write([&] {
    database.execute("UPDATE sweep SET width = ? WHERE key = ?", width, sweep_key(database, name));
  });
}

void Sweeps::remove(const std::string& name) {
  Database& database = catalogue_.impl_->database;
  database.write([&] { database.execute("DELETE FROM sweep WHERE key = ?", sweep_key(database, name)); });
}

void Sweeps::restore(const Sweep& sweep, const std::vector<SweepLeg>& legs,
                     const std::vector<TrialRun>& runs) {
  Database& database = catalogue_.impl_->database;
  database.write([&] {
    insist_on_new_sweep(database, sweep.name);
    database.execute(
        "INSERT INTO sweep (name, file, spec, state, message, width, created, ended, workplace)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        sweep.name, sweep.file, text_of(sweep.spec), sweep_state_name(sweep.state), sweep.message,
        sweep.width, sweep.created, sweep.ended, sweep.workplace);
    const std::int64_t key = sweep_key(database, sweep.name);
    for (std::size_t number = 0; number < legs.size(); ++number) {
      const SweepLeg& leg = legs[number];
      database.execute(
          "INSERT INTO sweep_leg (sweep, number, trial, rung, heard, parameters, began, ended, outcome, "
          "value,"
          " device_hours, at_end, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          key, number, leg.trial, leg.rung, leg.heard, text_of(leg.parameters), leg.began, leg.ended,
          name_of(kOutcomes, leg.outcome), leg.value, leg.device_hours, leg.at_end, leg.message);
      if (leg.origin)
        database.execute("UPDATE sweep_leg SET origin = ? WHERE sweep = ? AND number = ?", *leg.origin, key,
                         number);
    }
    for (const TrialRun& run : runs)
      database.execute(
          "INSERT INTO trial (sweep, trial, seed, leg, run) SELECT ?, ?, ?, ?, key FROM run WHERE id = ?",
          key, run.trial, run.seed, run.leg, run.run);
  });
}

std::vector<SweepLeg> Sweeps::legs(const std::string& name) {
  Database& database = catalogue_.impl_->database;
  return database.read([&] {
    std::vector<SweepLeg> list;
    Query row = database.query(
        "SELECT trial, rung, heard, origin, parameters, began, ended, outcome, value, device_hours, at_end,"
        " message FROM sweep_leg WHERE sweep = ? ORDER BY number",
        sweep_key(database, name));
    while (row.next()) list.push_back(leg_in(row));
    return list;
  });
}

std::vector<TrialRun> Sweeps::runs(const std::string& name) {
  Database& database = catalogue_.impl_->database;
  return database.read([&] {
    std::vector<TrialRun> list;
    Query query = database.query(
        "SELECT trial, seed, leg, run.id FROM trial JOIN run ON run.key = trial.run WHERE sweep = ?"
        " ORDER BY trial, seed",
        sweep_key(database, name));
    const CheckedRow row(query);
    while (query.next())
      list.push_back({static_cast<std::size_t>(row.integer(0)), row.small_integer(1),
                      static_cast<std::size_t>(row.integer(2)), row.text(3)});
    return list;
  });
}

void Sweeps::begin_leg(const std::string& name, std::size_t number, const SweepLeg& leg, bool there) {
  Database& database = catalogue_.impl_->database;
  database.write([&] {
    const std::int64_t key = sweep_key(database, name);
    Query count = database.query("SELECT count(*) FROM sweep_leg WHERE sweep = ?", key);
    count.next();
    if (const auto known = static_cast<std::size_t>(count.integer(0)); known != number)
      throw Error(ErrorKind::conflict,
                  fmt::format("the sweep '{}' has {} legs, and number {} is to begin", name, known, number));
    database.execute(
        "INSERT INTO sweep_leg (sweep, number, trial, rung, heard, parameters, began) VALUES (?, ?, ?, ?, ?, "
        "?, ?)",
        key, number, leg.trial, leg.rung, leg.heard, text_of(leg.parameters), now());
    if (leg.origin)
      database.execute("UPDATE sweep_leg SET origin = ? WHERE sweep = ? AND number = ?", *leg.origin, key,
                       number);
    else if (!there)
      let_go_on(database, key, leg.trial);
  });
}

void Sweeps::go_on(const std::string& run) {
  Database& database = catalogue_.impl_->database;
  database.write([&] {
    const std::int64_t key = run_key(database, run);
    database.execute("UPDATE job SET resumed = 1 WHERE run = ?", key);
    database.execute(
        "UPDATE run SET state = 'pending', message = '', ended = 0 WHERE key = ? AND state = 'stopped'"
        " AND key IN (SELECT run FROM origin WHERE followed)",
        key);
  });
}

std::string Sweeps::submit(const std::string& name, const TrialRun& place, const protocol::RunSpec& spec,
                           const std::function<void(const std::string& id)>& prepare) {
  const Submission submission(spec, {});
  if (prepare) prepare(submission.id());
  Database& database = catalogue_.impl_->database;
  database.write([&] { put_trial(database, name, place, submission.add(database)); });
  return submission.id();
}

std::string Sweeps::submit_elsewhere(const std::string& name, const TrialRun& place,
                                     const protocol::RunSpec& spec,
                                     const std::function<Origin(const std::string& id)>& prepare) {
  Run run = new_run(spec);
  run.state = RunState::pending;
  const Origin origin = prepare(run.id);
  Database& database = catalogue_.impl_->database;
  database.write([&] {
    insist_on_new(add_run(database, run), run.id);
    const std::int64_t key = run_key(database, run.id);
    put_origin(database, key, origin);
    put_trial(database, name, place, key);
  });
  return run.id;
}

void Sweeps::end_leg(const std::string& name, std::size_t number, const SweepLeg& leg) {
  Database& database = catalogue_.impl_->database;
  database.write([&] {
    database.execute(
        "UPDATE sweep_leg SET ended = ?, outcome = ?, value = ?, device_hours = ?, at_end = ?, message = ?"
        " WHERE sweep = ? AND number = ?",
        now(), name_of(kOutcomes, leg.outcome), leg.value, leg.device_hours, leg.at_end, leg.message,
        sweep_key(database, name), number);
  });
}

}  // namespace batchscope::storage
