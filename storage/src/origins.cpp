// SPDX-License-Identifier: Apache-2.0
#include "batchscope/storage/origins.h"

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/process_id.h"
#include "catalogue_impl.h"
#include "checked_row.h"

namespace batchscope::storage {
namespace {

using protocol::Json;

std::string text_of(const std::vector<std::string>& words) {
  return Json(words).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> words_in(const std::string& text) {
  try {
    return Json::parse(text).get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::corrupt, "the command by which a run elsewhere is controlled cannot be read");
  }
}

std::optional<std::int64_t> key_of(Database& database, const std::string& run) {
  Query row = database.query("SELECT key FROM run WHERE id = ?", run);
  return row.next() ? std::optional(row.integer(0)) : std::nullopt;
}

std::optional<Origin> origin_of(Database& database, std::int64_t key) {
  Query query =
      database.query("SELECT host, folder, followed, control, taken FROM origin WHERE run = ?", key);
  if (!query.next()) return std::nullopt;
  const CheckedRow row(query);
  return Origin{row.text(0), row.text(1), row.integer(2) != 0, words_in(row.text(3)), row.integer(4)};
}

void refuse_ours(Database& database, const std::string& run, std::int64_t key) {
  Query row = database.query("SELECT supervisor_pid, supervisor_start FROM run WHERE key = ?", key);
  row.next();
  const protocol::ProcessId supervisor{static_cast<pid_t>(row.integer(0)), row.integer(1)};
  if (is_alive(supervisor))
    throw Error(ErrorKind::conflict, "run " + run + " trains here, in the hands of process " +
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
  if (!record.model) return;
  Query newest = database.query("SELECT ifnull(max(number), 0) FROM generation WHERE run = ?", key);
  newest.next();
  put_model(database, key, static_cast<int>(newest.integer(0)), *record.model);
}

}  // namespace

void put_origin(Database& database, std::int64_t key, const Origin& origin) {
  database.execute(
      "INSERT OR REPLACE INTO origin (run, host, folder, followed, control, taken) VALUES (?, ?, ?, ?, ?, ?)",
      key, origin.host, origin.folder, origin.followed ? 1 : 0, text_of(origin.control), origin.taken);
}

std::string place_of(const Origin& origin) {
  return origin.host.empty() ? origin.folder : origin.host + ":" + origin.folder;
}

std::string trains_elsewhere(const std::string& run, const Origin& origin) {
  return "run " + run + " is not of this machine, it trains " +
         (origin.host.empty() ? "in " + origin.folder : "on " + origin.host + ", in " + origin.folder) +
         ": ask for it there; batchscope follow " + place_of(origin) + " keeps this store up to date with it";
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
    const auto key = key_of(database, run);
    return key ? origin_of(database, *key) : std::nullopt;
  });
}

void Origins::set_control(const std::string& run, const std::vector<std::string>& control) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = run_key(database, run);
    std::optional<Origin> origin = origin_of(database, key);
    if (!origin) throw Error(ErrorKind::not_found, "run " + run + " is of this store");
    origin->control = control;
    put_origin(database, key, *origin);
  });
}

void Origins::take(const std::string& run, const Origin& origin, std::span<const RecordPart> parts) {
  Database& database = impl_->database;
  database.write([&] {
    std::optional<std::int64_t> key = key_of(database, run);
    const bool is_new = !key;
    if (key) refuse_ours(database, run, *key);
    if (is_new && parts.empty()) return;
    if (is_new) {
      add_run(database, parts.front().record.run);
      key = run_key(database, run);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) take_part(database, *key, parts[i], is_new && i == 0);
    put_origin(database, *key, origin);
  });
}

}  // namespace batchscope::storage
