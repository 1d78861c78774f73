// SPDX-License-Identifier: Apache-2.0
//
// Runs as they are listed, found and changed.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/process_id.h"
#include "batchscope/storage/run_field.h"
#include "catalogue/catalogue_impl.h"
#include "database/record_table.h"

namespace batchscope::storage {
namespace {

using protocol::Json;

// How long a new run may wait for its supervisor before it counts as interrupted.
constexpr double kSupervisorGrace = 10;  // s

constexpr std::size_t kMatchesListed = 8;

protocol::RunSpec spec_from(const std::string& text) {
  try {
    return protocol::parse_object(text).get<protocol::RunSpec>();
  } catch (const std::exception& e) {
    throw Error(ErrorKind::corrupt, "its specification cannot be read: " + protocol::fault_text(e));
  }
}

// Columns that are selected of a run.
enum RunColumn {
  kKey,
  kSpec,
  kState,
  kSupervisor,
  kReplicas = kSupervisor + 2,
  kRestarts,
  kFollowed,
  kFirstField
};

std::string select_runs(const std::string& rest) {
  return "SELECT key, spec, state, supervisor_pid, supervisor_start,"
         " (SELECT replicas FROM generation WHERE run = key ORDER BY number DESC LIMIT 1),"
         " (SELECT max(number) FROM generation WHERE run = key),"
         " (SELECT followed FROM origin WHERE run = key)" +
         column_list<Run>(Columns::all) + " FROM run " + rest;
}

// Returns the state that a reader sees of a run that says it is active.
RunState seen_state(RunState written, const protocol::ProcessId& supervisor, double created) {
  if (!is_active(written) || is_alive(supervisor)) return written;
  const bool awaits =
      written == RunState::starting && supervisor.pid == 0 && now() - created < kSupervisorGrace;
  return awaits ? written : RunState::interrupted;
}

bool is_followed(const Query& row) { return !row.null(kFollowed) && row.integer(kFollowed) != 0; }

// A row of select_runs(). Throws Error(corrupt) where anything of it cannot be read.
Run sound_run(const Query& columns) {
  const CheckedRow row(columns);
  Run run = record_in<Run>(row, kFirstField);
  if (!protocol::valid_run_id(run.id)) throw Error(ErrorKind::corrupt, "its id is not valid");
  run.spec = spec_from(row.text(kSpec));
  run.spec.name = run.name;
  const protocol::ProcessId supervisor{row.small_integer(kSupervisor), row.integer(kSupervisor + 1)};
  run.replicas = columns.null(kReplicas) ? run.spec.replicas : row.small_integer(kReplicas);
  run.restarts = columns.null(kRestarts) ? 0 : row.small_integer(kRestarts);
  run.state = protocol::parse_run_state(row.text(kState));
  if (!is_followed(columns))
    run.state = seen_state(run.state, supervisor, run.created);  // of others we only hear
  if (is_alive(supervisor)) run.supervisor_pid = supervisor.pid;
  return run;
}

// Returns what can be read of a row of which something cannot: all other runs are as good as ever, and this
// one can be named and removed.
Run damaged_run(const Query& columns, const std::string& why) {
  const CheckedRow row(columns);
  Run run;
  int column = kFirstField;
  visit_fields(run, [&](const char*, auto& member, Meaning meaning) {
    try {
      row.get(column++, member, meaning);
    } catch (const Error&) {
    }
  });
  run.state = RunState::damaged;
  run.message = why;
  const protocol::ProcessId supervisor{static_cast<pid_t>(columns.integer(kSupervisor)),
                                       columns.integer(kSupervisor + 1)};
  if (is_alive(supervisor)) run.supervisor_pid = supervisor.pid;
  return run;
}

Run run_from(const Query& row) {
  try {
    return sound_run(row);
  } catch (const Error& error) {
    return damaged_run(row, error.what());
  }
}

void add_details(Database& database, std::int64_t key, bool is_followed, Run& run) {
  Query value = database.query("SELECT series, value FROM latest WHERE run = ?", key);
  while (value.next()) run.latest.emplace_hint(run.latest.end(), value.text(0), value.real(1));
  Query tag = database.query("SELECT name FROM tag WHERE run = ? ORDER BY name", key);
  while (tag.next()) run.tags.push_back(tag.text(0));
  run.devices = is_followed ? told_devices(database, key) : leased_devices(database, key);
  Query parameter = database.query("SELECT name, value FROM hyperparameter WHERE run = ? ORDER BY name", key);
  while (parameter.next())
    run.hyperparameters.emplace_hint(run.hyperparameters.end(), parameter.text(0), parameter.text(1));
}

// Selects trials by the keys of their runs; the newest leg of a trial is the last. `where` narrows them down.
#define BATCHSCOPE_SELECT_TRIALS(where)                                                       \
  "SELECT trial.run, sweep.name, trial.trial, leg.rung, leg.outcome FROM trial"               \
  " JOIN sweep ON sweep.key = trial.sweep"                                                    \
  " LEFT JOIN sweep_leg AS leg ON leg.sweep = trial.sweep AND leg.trial = trial.trial " where \
  " ORDER BY leg.number"

std::map<std::int64_t, TrialOf> trials_in(Query query) {
  const CheckedRow row(query);
  std::map<std::int64_t, TrialOf> trials;
  while (query.next())
    add_if_sound([&] {
      trials[row.integer(0)] = {row.text(1), static_cast<std::size_t>(row.integer(2)),
                                query.null(3) ? 0 : row.small_integer(3),
                                !query.null(4) && row.text(4) == kDiverged};
    });
  return trials;
}

// Throws Error(usage), as RunSpec::check.
std::string spec_text(const protocol::RunSpec& spec) {
  spec.check();
  return Json(spec).dump(-1, ' ', false, Json::error_handler_t::replace);  // paths may hold any bytes
}

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

std::string listed(const std::vector<Run>& runs) {
  std::string text;
  for (std::size_t i = 0; i < std::min(runs.size(), kMatchesListed); ++i)
    text += (i ? ", " : "") + runs[i].id + " (" + runs[i].name + ")";
  return runs.size() > kMatchesListed ? text + ", ..." : text;
}

template <class Predicate>
std::vector<Run> select(const std::vector<Run>& runs, Predicate predicate) {
  std::vector<Run> selected;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(selected), predicate);
  return selected;
}

}  // namespace

bool add_run(Database& database, const Run& run) {
  static const std::string sql = insert_sql<Run>("INSERT OR IGNORE INTO run (spec, state");
  return insert(database, sql, run, spec_text(run.spec), run_state_name(run.state)) > 0;
}

void update_run(Database& database, std::int64_t key, const Run& run) {
  database.execute(
      "UPDATE run SET name = ?, spec = ?, state = ?, message = ?, created = ?, ended = ?, step = ?, epoch = "
      "?,"
      " epochs = ?, fraction = ?, note = ? WHERE key = ?",
      run.name, spec_text(run.spec), run_state_name(run.state), run.message, known_time(run.created),
      known_time(run.ended), run.step, run.epoch, run.epochs, run.fraction, run.note, key);
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_lesson(const Run& run) {
  return std::any_of(run.tags.begin(), run.tags.end(),
                     [](const std::string& tag) { return starts_with(tag, kLessonTag); });
}

void require_sound(const Run& run) {
  if (run.state == RunState::damaged)
    throw Error(ErrorKind::corrupt,
                "run " + run.id + " is damaged: " + run.message + "; batchscope doctor says what to do");
}

Catalogue::Catalogue(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}
Catalogue::~Catalogue() = default;
Catalogue::Catalogue(Catalogue&&) noexcept = default;
Catalogue& Catalogue::operator=(Catalogue&&) noexcept = default;

Run new_run(const protocol::RunSpec& spec) {
  Run run;
  run.id = protocol::new_run_id();
  run.name = spec.name;
  run.spec = spec;
  run.created = now();
  return run;
}

void insist_on_new(bool added, const std::string& id) {
  if (!added)  // one in 36^8
    throw Error(ErrorKind::conflict, "there is a run " + id + " already: try again");
}

std::string Catalogue::create_run(const protocol::RunSpec& spec) {
  const Run run = new_run(spec);
  Database& database = impl_->database;
  insist_on_new(database.write([&] { return add_run(database, run); }), run.id);
  return run.id;
}

namespace {

std::vector<Run> read_runs(Database& database, const std::string& sql) {
  return database.read([&] {
    std::vector<Run> runs;
    const auto trials = trials_in(database.query(BATCHSCOPE_SELECT_TRIALS("")));
    Query row = database.query(sql);
    while (row.next()) {
      const std::int64_t key = row.integer(kKey);
      Run& run = runs.emplace_back(run_from(row));
      add_details(database, key, is_followed(row), run);
      if (const auto trial = trials.find(key); trial != trials.end()) run.trial = trial->second;
    }
    return runs;
  });
}

}  // namespace

std::vector<Run> Catalogue::runs() {
  static const std::string sql = select_runs("WHERE removed <= 0 ORDER BY created DESC, key DESC");
  return read_runs(impl_->database, sql);
}

std::vector<Run> Catalogue::trash() {
  static const std::string sql = select_runs("WHERE removed > 0 ORDER BY removed DESC, key DESC");
  return read_runs(impl_->database, sql);
}

std::optional<Run> Catalogue::run(const std::string& id) {
  static const std::string sql = select_runs("WHERE id = ?");
  Database& database = impl_->database;
  return database.read([&]() -> std::optional<Run> {
    Query row = database.query(sql, id);
    if (!row.next()) return std::nullopt;
    const std::int64_t key = row.integer(kKey);
    Run run = run_from(row);
    add_details(database, key, is_followed(row), run);
    const auto trials = trials_in(database.query(BATCHSCOPE_SELECT_TRIALS("WHERE trial.run = ?"), key));
    if (!trials.empty()) run.trial = trials.begin()->second;
    return run;
  });
}

// The whole list is small and a person waits, so the rules are written out rather than put into SQL.
namespace {

std::vector<Run> fitting(const std::vector<Run>& all, const std::string& text) {
  if (text.empty()) throw Error(ErrorKind::usage, "name a run by its id, its name or 'latest'");
  std::vector<Run> matches = select(all, [&](const Run& run) { return run.id == text; });
  if (matches.empty()) matches = select(all, [&](const Run& run) { return run.name == text; });
  if (matches.empty())
    matches =
        select(all, [&](const Run& run) { return starts_with(run.id, text) || starts_with(run.name, text); });
  if (matches.size() > 1)
    throw Error(ErrorKind::usage, fmt::format("'{}' matches {} runs; give the id of one: {}", text,
                                              matches.size(), listed(matches)));
  return matches;
}

}  // namespace

Run Catalogue::resolve(const std::string& text) {
  std::vector<Run> own = runs();
  const auto lessons = std::stable_partition(own.begin(), own.end(), std::not_fn(is_lesson));
  const std::vector<Run> recorded(lessons, own.end());
  own.erase(lessons, own.end());
  if (text == "latest") {
    if (own.empty()) throw Error(ErrorKind::not_found, "there are no runs yet: batchscope run starts one");
    return own.front();
  }
  // An exact name goes before one that only begins so.
  const auto is_exact = [&](const Run& run) { return run.id == text || run.name == text; };
  if (std::none_of(own.begin(), own.end(), is_exact) &&
      std::any_of(recorded.begin(), recorded.end(), is_exact))
    own.clear();
  for (const std::vector<Run>& runs : {own, recorded})
    if (const std::vector<Run> matches = fitting(runs, text); !matches.empty()) return matches.front();
  if (const std::vector<Run> removed = fitting(trash(), text); !removed.empty())
    throw Error(ErrorKind::not_found, removed.front().name + " (" + removed.front().id +
                                          ") is in the trash; restore it with: batchscope restore " +
                                          removed.front().id);
  throw Error(ErrorKind::not_found, "no run's id or name begins with '" + text + "': see batchscope ls");
}

Run Catalogue::resolve_removed(const std::string& text) {
  const std::vector<Run> all = trash();
  if (text == "latest" && !all.empty()) return all.front();
  const std::vector<Run> matches = fitting(all, text);
  if (matches.empty())
    throw Error(ErrorKind::not_found, "no run in the trash has an id or a name that begins with '" + text +
                                          "': see batchscope ls --trash");
  return matches.front();
}

void Catalogue::set_state(const std::string& id, RunState state, const std::string& message) {
  const bool over = !is_active(state) && state != RunState::pending;
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    database.execute("UPDATE run SET state = ?, message = ?, ended = ? WHERE key = ?", run_state_name(state),
                     message, over ? now() : 0.0, key);
    if (state == RunState::running) database.execute("UPDATE job SET resumed = 0 WHERE run = ?", key);
    if (over) end_leases_of(database, key);
  });
  if (over) impl_->keep_record(*this, id);
}

void put_latest(Database& database, std::int64_t key, const std::map<std::string, double>& latest) {
  for (const auto& [series, value] : latest)
    database.execute("INSERT OR REPLACE INTO latest (run, series, value) VALUES (?, ?, ?)", key, series,
                     value);
}

void Catalogue::set_progress(const std::string& id, std::int64_t step, int epoch, int epochs, double fraction,
                             const std::map<std::string, double>& latest) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    database.execute("UPDATE run SET step = ?, epoch = ?, epochs = ?, fraction = ? WHERE key = ?", step,
                     epoch, epochs, fraction, key);
    put_latest(database, key, latest);
  });
  impl_->keep_record_at_times(*this, id);  // of all that the supervisor has written meanwhile
}

void Catalogue::set_name(const std::string& id, const std::string& name) {
  impl_->update(id, "UPDATE run SET name = ? WHERE key = ?", name);
  impl_->keep_record(*this, id);
}

void Catalogue::set_spec(const std::string& id, const protocol::RunSpec& spec) {
  impl_->update(id, "UPDATE run SET spec = ? WHERE key = ?", spec_text(spec));
}

void Catalogue::set_note(const std::string& id, const std::string& note) {
  impl_->update(id, "UPDATE run SET note = ? WHERE key = ?", note);
  impl_->keep_record(*this, id);
}

void put_tags(Database& database, std::int64_t key, const std::vector<std::string>& tags) {
  database.execute("DELETE FROM tag WHERE run = ?", key);
  for (const std::string& tag : tags)
    database.execute("INSERT OR IGNORE INTO tag (run, name) VALUES (?, ?)", key, tag);
}

void Catalogue::set_tags(const std::string& id, const std::vector<std::string>& tags) {
  Database& database = impl_->database;
  database.write([&] { put_tags(database, impl_->key(id), tags); });
  impl_->keep_record(*this, id);
}

void Catalogue::change_tags(const std::string& id, const std::vector<std::string>& added,
                            const std::vector<std::string>& removed) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    for (const std::string& tag : removed)
      database.execute("DELETE FROM tag WHERE run = ? AND name = ?", key, tag);
    for (const std::string& tag : added)
      database.execute("INSERT OR IGNORE INTO tag (run, name) VALUES (?, ?)", key, tag);
  });
  impl_->keep_record(*this, id);
}

bool Catalogue::changed() { return impl_->database.changed(); }

}  // namespace batchscope::storage
