// SPDX-License-Identifier: Apache-2.0
#include "batchscope/storage/origins.h"

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/process_id.h"
#include "catalogue/catalogue_impl.h"
#include "database/checked_row.h"
#include "database/json_text.h"

namespace batchscope::storage {
namespace {

using protocol::Json;

std::vector<std::string> words_in(const std::string& text) {
  try {
    return Json::parse(text).get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::corrupt, "the command by which a run elsewhere is controlled cannot be read");
  }
}

std::optional<std::int64_t> find_run_key(Database& database, const std::string& run) {
  Query row = database.query("SELECT key FROM run WHERE id = ?", run);
  return row.next() ? std::optional(row.integer(0)) : std::nullopt;
}

std::optional<ClusterJob> job_in(const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    return Json::parse(text).get<ClusterJob>();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::corrupt, "the job of a run elsewhere cannot be read");
  }
}

#define BATCHSCOPE_ORIGIN "host, folder, followed, control, taken, job"

// Reads an origin whose columns begin with this one.
Origin origin_in(const Query& query, int first) {
  const CheckedRow row(query);
  return {row.text(first),
          row.text(first + 1),
          row.integer(first + 2) != 0,
          words_in(row.text(first + 3)),
          row.integer(first + 4),
          job_in(row.text(first + 5))};
}

std::optional<Origin> origin_of(Database& database, std::int64_t key) {
  Query query = database.query("SELECT " BATCHSCOPE_ORIGIN " FROM origin WHERE run = ?", key);
  return query.next() ? std::optional(origin_in(query, 0)) : std::nullopt;
}

void put_lease(Database& database, std::int64_t key, const LeaseEvent& lease) {
  const int known =
      database.execute("UPDATE lease_event SET until = ? WHERE run = ? AND device = ? AND since = ?",
                       lease.until, key, lease.device, lease.since);
  if (known == 0)
    database.execute(
        "INSERT INTO lease_event (run, device, generation, since, until, why) VALUES (?, ?, ?, ?, ?, ?)", key,
        lease.device, lease.generation, lease.since, lease.until, lease.why);
}

void end_leases(Database& database, std::int64_t key) {
  database.execute("UPDATE lease_event SET until = ? WHERE run = ? AND until = 0", now(), key);
}

void refuse_ours(Database& database, const std::string& run, std::int64_t key) {
  Query row = database.query("SELECT supervisor_pid, supervisor_start FROM run WHERE key = ?", key);
  row.next();
  const protocol::ProcessId supervisor{static_cast<pid_t>(row.integer(0)), row.integer(1)};
  if (is_alive(supervisor))
    throw Error(ErrorKind::conflict, "run " + run + " trains here, under process " +
                                         std::to_string(supervisor.pid) + ": stop it first");
  if (!origin_of(database, key))
    throw Error(ErrorKind::conflict, "there is a run " + run +
                                         " that began in this store: it is not brought up to date from "
                                         "elsewhere; name another store by BATCHSCOPE_DB");
}

// An event has no name of its own, but no two are the same.
bool knows(Database& database, std::int64_t key, const Event& event) {
  return database
      .query("SELECT 1 FROM event WHERE run = ? AND time = ? AND generation = ? AND step = ? AND text = ?",
             key, event.time, event.generation, event.step, event.text)
      .next();
}

}  // namespace

void take_part(Database& database, std::int64_t key, const RecordPart& part, bool is_new) {
  const RunRecord& record = part.record;
  update_run(database, key, record.run);
  put_latest(database, key, record.run.latest);
  put_tags(database, key, record.run.tags);
  put_hyperparameters(database, key, record.run.hyperparameters);
  for (const Generation& generation : record.generations) put_generation(database, key, generation);
  for (const Epoch& epoch : record.epochs) put_epoch(database, key, epoch);
  for (const Event& event : record.events)
    if (is_new || !knows(database, key, event)) add_event(database, key, event);
  if (part.ledger_from) set_ledger_from(database, key, *part.ledger_from, record.ledger);
  if (part.checkpoints) {
    database.execute("DELETE FROM checkpoint WHERE run = ?", key);
    for (const Checkpoint& checkpoint : *part.checkpoints) put_checkpoint(database, key, checkpoint);
  }
  for (const LeaseEvent& lease : part.leases) put_lease(database, key, lease);
  if (!record.model) return;
  Query newest = database.query("SELECT ifnull(max(number), 0) FROM generation WHERE run = ?", key);
  newest.next();
  put_model(database, key, static_cast<int>(newest.integer(0)), *record.model);
}

// Writes an origin without its job, and without a control that is not known.
void put_origin(Database& database, std::int64_t key, const Origin& origin) {
  database.execute(
      "INSERT INTO origin (run, host, folder, followed, control, taken) VALUES (?, ?, ?, ?, ?, ?)"
      " ON CONFLICT (run) DO UPDATE SET host = excluded.host, folder = excluded.folder,"
      " followed = excluded.followed, taken = excluded.taken,"
      " control = CASE excluded.control WHEN '[]' THEN control ELSE excluded.control END",
      key, origin.host, origin.folder, origin.followed ? 1 : 0, text_of(origin.control), origin.taken);
}

void to_json(Json& json, const ClusterJob& job) {
  json = {{"cluster", job.cluster}, {"partition", job.partition}, {"number", job.number},
          {"state", job.state},     {"reason", job.reason},       {"start", job.start},
          {"nodes", job.nodes}};
}

void from_json(const Json& json, ClusterJob& job) {
  for (const auto& [name, member] : {std::pair("cluster", &job.cluster),
                                     {"partition", &job.partition},
                                     {"number", &job.number},
                                     {"state", &job.state},
                                     {"reason", &job.reason},
                                     {"nodes", &job.nodes}})
    json.at(name).get_to(*member);
  json.at("start").get_to(job.start);
}

bool waits(const ClusterJob& job) { return job.state == "PENDING"; }

std::string place_of(const Origin& origin) {
  return origin.host.empty() ? origin.folder : origin.host + ":" + origin.folder;
}

std::string trains_elsewhere(const std::string& run, const Origin& origin) {
  // A folder of ours has the run's id for a name; any other is another tracker's.
  if (std::filesystem::path(origin.folder).filename() != run)
    return "run " + run + " was imported from " + place_of(origin) +
           ", and can be looked at and compared, but not resumed or controlled";
  return "run " + run + " does not train on this machine, but " +
         (origin.host.empty() ? "in " + origin.folder : "on " + origin.host + ", in " + origin.folder) +
         ": do this there; batchscope follow " + place_of(origin) + " keeps this store up to date with it";
}

struct Origins::Impl {
  explicit Impl(const std::filesystem::path& file)
      : database(file, catalogue_schema(), Access::write, found_runs) {}

  Database database;
};

Origins::Origins(const std::filesystem::path& catalogue) : impl_(std::make_unique<Impl>(catalogue)) {}
Origins::~Origins() = default;

std::optional<Origin> Origins::find(const std::string& run) {
  Database& database = impl_->database;
  return database.read([&]() -> std::optional<Origin> {
    const auto key = find_run_key(database, run);
    return key ? origin_of(database, *key) : std::nullopt;
  });
}

std::map<std::string, Origin> Origins::followed() {
  Database& database = impl_->database;
  return database.read([&] {
    std::map<std::string, Origin> all;
    Query query = database.query("SELECT id, " BATCHSCOPE_ORIGIN
                                 " FROM origin JOIN run ON run.key = origin.run"
                                 " WHERE followed <> 0 AND removed <= 0");
    while (query.next()) add_if_sound([&] { all.emplace(query.text(0), origin_in(query, 1)); });
    return all;
  });
}

void Origins::set_job(const std::string& run, const ClusterJob& job) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = run_key(database, run);
    if (database.execute("UPDATE origin SET job = ? WHERE run = ?", text_of(job), key) == 0)
      throw Error(ErrorKind::not_found, "run " + run + " belongs to this store");
    if (job.number.empty() || waits(job)) end_leases(database, key);
  });
}

void Origins::set_control(const std::string& run, const std::vector<std::string>& control) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = run_key(database, run);
    if (database.execute("UPDATE origin SET control = ? WHERE run = ?", text_of(control), key) == 0)
      throw Error(ErrorKind::not_found, "run " + run + " belongs to this store");
  });
}

void Origins::take(const std::string& run, const Origin& origin, std::span<const RecordPart> parts) {
  Database& database = impl_->database;
  database.write([&] {
    std::optional<std::int64_t> key = find_run_key(database, run);
    const bool is_new = !key;
    if (key) refuse_ours(database, run, *key);
    if (is_new && parts.empty()) return;
    if (is_new) {
      add_run(database, parts.front().record.run);
      key = run_key(database, run);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) take_part(database, *key, parts[i], is_new && i == 0);
    if (!origin.followed) end_leases(database, *key);  // whoever trained it elsewhere
    put_origin(database, *key, origin);
  });
}

}  // namespace batchscope::storage
