// SPDX-License-Identifier: Apache-2.0
//
// What happened in a run: generations, epochs, events, checkpoints and the ledger of its samples. The
// rows that say where a run can go on from, generations and checkpoints, are written durably.
#include <algorithm>

#include "catalogue_impl.h"
#include "checked_row.h"

namespace batchscope::storage {

void put_generation(Database& database, std::int64_t key, const Generation& generation) {
  database.execute("DELETE FROM generation WHERE run = ? AND number = ?", key, generation.number);
  database.execute(
      "INSERT INTO generation (run, number, replicas, reason, started, ended, first_step, last_step,"
      " checkpoint, pause, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      key, generation.number, generation.replicas, generation.reason, generation.started, generation.ended,
      generation.first_step, generation.last_step, generation.checkpoint, generation.pause,
      generation.outcome);
  for (const auto& [name, seconds] : generation.pause_parts)
    database.execute("INSERT INTO pause_part (run, generation, name, seconds) VALUES (?, ?, ?, ?)", key,
                     generation.number, name, seconds);
}

void Catalogue::put_generation(const std::string& id, const Generation& generation) {
  Database& database = impl_->database;
  database.write_durably([&] { storage::put_generation(database, impl_->key(id), generation); });
}

std::vector<Generation> Catalogue::generations(const std::string& id) {
  Database& database = impl_->database;
  return impl_->read_of(id, "generations", [&](std::int64_t key) {
    std::vector<Generation> list;
    Query query = database.query(
        "SELECT number, replicas, reason, started, ended, first_step, last_step, checkpoint, pause, outcome"
        " FROM generation WHERE run = ? ORDER BY number",
        key);
    const CheckedRow row(query);
    while (query.next()) {
      Generation& generation = list.emplace_back();
      generation.number = row.small_integer(0);
      generation.replicas = row.small_integer(1);
      generation.reason = row.text(2);
      generation.started = row.time(3);
      generation.ended = row.time(4);
      generation.first_step = row.integer(5);
      generation.last_step = row.integer(6);
      generation.checkpoint = row.text(7);
      generation.pause = row.real(8);
      generation.outcome = row.text(9);
      Query part = database.query("SELECT name, seconds FROM pause_part WHERE run = ? AND generation = ?",
                                  key, generation.number);
      const CheckedRow parts(part);
      while (part.next()) generation.pause_parts[parts.text(0)] = parts.real(1);
    }
    return list;
  });
}

void Catalogue::put_epoch(const std::string& id, const Epoch& epoch) {
  Database& database = impl_->database;
  database.write([&] {
    database.execute(
        "INSERT OR REPLACE INTO epoch (run, number, generation, started, ended, first_step, last_step)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        impl_->key(id), epoch.number, epoch.generation, epoch.started, epoch.ended, epoch.first_step,
        epoch.last_step);
  });
}

std::vector<Epoch> Catalogue::epochs(const std::string& id) {
  Database& database = impl_->database;
  return impl_->read_of(id, "epochs", [&](std::int64_t key) {
    std::vector<Epoch> list;
    Query query = database.query(
        "SELECT number, generation, started, ended, first_step, last_step FROM epoch WHERE run = ?"
        " ORDER BY generation, number",
        key);
    const CheckedRow row(query);
    while (query.next())
      list.push_back({row.small_integer(0), row.small_integer(1), row.time(2), row.time(3), row.integer(4),
                      row.integer(5)});
    return list;
  });
}

void Catalogue::add_event(const std::string& id, int generation, std::int64_t step, const std::string& level,
                          const std::string& text) {
  Database& database = impl_->database;
  database.write([&] {
    database.execute("INSERT INTO event (run, time, generation, step, level, text) VALUES (?, ?, ?, ?, ?, ?)",
                     impl_->key(id), now(), generation, step, level, text);
  });
}

std::vector<Event> Catalogue::events(const std::string& id, std::int64_t after) {
  Database& database = impl_->database;
  return impl_->read_of(id, "events", [&](std::int64_t key) {
    std::vector<Event> list;
    Query query = database.query(
        "SELECT id, time, generation, step, level, text FROM event WHERE run = ? AND id > ? ORDER BY id", key,
        after);
    const CheckedRow row(query);
    while (query.next())
      list.push_back(
          {row.integer(0), row.time(1), row.small_integer(2), row.integer(3), row.text(4), row.text(5)});
    return list;
  });
}

void Catalogue::put_checkpoint(const std::string& id, const Checkpoint& checkpoint) {
  Database& database = impl_->database;
  database.write_durably([&] {
    database.execute(
        "INSERT OR REPLACE INTO checkpoint (run, name, generation, step, epoch, progress, time, seconds,"
        " bytes, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        impl_->key(id), checkpoint.name, checkpoint.generation, checkpoint.step, checkpoint.epoch,
        checkpoint.progress, checkpoint.time, checkpoint.seconds, checkpoint.bytes, checkpoint.reason);
  });
}

void Catalogue::remove_checkpoint(const std::string& id, const std::string& name) {
  Database& database = impl_->database;
  database.write_durably(
      [&] { database.execute("DELETE FROM checkpoint WHERE run = ? AND name = ?", impl_->key(id), name); });
}

std::vector<Checkpoint> Catalogue::checkpoints(const std::string& id) {
  Database& database = impl_->database;
  return impl_->read_of(id, "checkpoints", [&](std::int64_t key) {
    std::vector<Checkpoint> list;
    Query query = database.query(
        "SELECT name, generation, step, epoch, progress, time, seconds, bytes, reason FROM checkpoint"
        " WHERE run = ? ORDER BY time DESC, step DESC, name DESC",
        key);
    const CheckedRow row(query);
    while (query.next())
      list.push_back({row.text(0), row.small_integer(1), row.integer(2), row.small_integer(3), row.real(4),
                      row.time(5), row.real(6), row.integer(7), row.text(8)});
    return list;
  });
}

namespace {

void insert(Database& database, std::int64_t key, const Ledger& stretch) {
  const protocol::LedgerEntry& entry = stretch.entry;
  database.execute(
      "INSERT INTO ledger (run, generation, loader, epoch, pass, from_position, to_position, padding,"
      " dataset_size, step) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      key, stretch.generation, entry.loader, entry.epoch, entry.pass, entry.from, entry.to, entry.padding,
      entry.dataset_size, entry.step);
}

}  // namespace

void Catalogue::add_ledger(const std::string& id, int generation, const protocol::LedgerEntry& entry) {
  Database& database = impl_->database;
  database.write([&] { insert(database, impl_->key(id), {generation, entry}); });
}

std::vector<Ledger> Catalogue::ledger(const std::string& id) {
  Database& database = impl_->database;
  return impl_->read_of(id, "ledger", [&](std::int64_t key) {
    std::vector<Ledger> list;
    Query query = database.query(
        "SELECT generation, loader, epoch, pass, from_position, to_position, padding, dataset_size, step"
        " FROM ledger WHERE run = ? ORDER BY id",
        key);
    const CheckedRow row(query);
    while (query.next())
      list.push_back({row.small_integer(0),
                      {row.text(1), row.small_integer(2), row.small_integer(3), row.integer(4),
                       row.integer(5), row.integer(6), row.integer(7), row.integer(8)}});
    return list;
  });
}

void Catalogue::set_ledger(const std::string& id, const std::vector<Ledger>& ledger) {
  const std::vector<Ledger> there = this->ledger(id);
  // Of a long run's ledger a restart changes the last few stretches, if any.
  const auto [differs, from] = std::mismatch(there.begin(), there.end(), ledger.begin(), ledger.end());
  if (differs == there.end() && from == ledger.end()) return;
  Database& database = impl_->database;
  database.write([&, first = from] {
    const std::int64_t key = impl_->key(id);
    database.execute(
        "DELETE FROM ledger WHERE id IN (SELECT id FROM ledger WHERE run = ? ORDER BY id LIMIT -1 OFFSET ?)",
        key, static_cast<std::int64_t>(first - ledger.begin()));
    for (auto stretch = first; stretch != ledger.end(); ++stretch) insert(database, key, *stretch);
  });
}

}  // namespace batchscope::storage
