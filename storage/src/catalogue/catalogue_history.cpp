// SPDX-License-Identifier: Apache-2.0
//
// The history of a run: generations, epochs, events, checkpoints and the ledger of its samples. The rows that
// say where a run can go on from, generations and checkpoints, are written durably.
#include <algorithm>

#include "catalogue/catalogue_impl.h"
#include "database/record_table.h"

namespace batchscope::storage {

namespace {

// Returns the records that `sql` selects for a run whose key is its first parameter; each row has the key
// before the record.
template <class Record, class... Values>
std::vector<Record> select(Database& database, const std::string& sql, const Values&... values) {
  std::vector<Record> list;
  Query query = database.query(sql, values...);
  const CheckedRow row(query);
  while (query.next()) list.push_back(record_in<Record>(row, 1));
  return list;
}

template <class Record>
std::string select_sql(const std::string& rest) {
  return "SELECT run" + column_list<Record>(Columns::all) + " FROM " + rest;
}

void add_ledger(Database& database, std::int64_t key, const Ledger& stretch) {
  static const std::string sql = insert_sql<Ledger>("INSERT INTO ledger (run");
  insert(database, sql, stretch, key);
}

}  // namespace

void put_epoch(Database& database, std::int64_t key, const Epoch& epoch) {
  static const std::string sql = insert_sql<Epoch>("INSERT OR REPLACE INTO epoch (run");
  insert(database, sql, epoch, key);
}

void put_checkpoint(Database& database, std::int64_t key, const Checkpoint& checkpoint) {
  static const std::string sql = insert_sql<Checkpoint>("INSERT OR REPLACE INTO checkpoint (run");
  insert(database, sql, checkpoint, key);
}

void set_ledger_from(Database& database, std::int64_t key, std::int64_t from, std::span<const Ledger> rest) {
  database.execute(
      "DELETE FROM ledger WHERE id IN (SELECT id FROM ledger WHERE run = ? ORDER BY id LIMIT -1 OFFSET ?)",
      key, from);
  for (const Ledger& stretch : rest) add_ledger(database, key, stretch);
}

void put_generation(Database& database, std::int64_t key, const Generation& generation) {
  static const std::string sql = insert_sql<Generation>("INSERT INTO generation (run");
  database.execute("DELETE FROM generation WHERE run = ? AND number = ?", key, generation.number);
  insert(database, sql, generation, key);
  for (const auto& [name, seconds] : generation.pause_parts)
    database.execute("INSERT INTO pause_part (run, generation, name, seconds) VALUES (?, ?, ?, ?)", key,
                     generation.number, name, seconds);
}

void add_event(Database& database, std::int64_t key, const Event& event) {
  static const std::string sql = insert_sql<Event>("INSERT INTO event (run");
  insert(database, sql, event, key);
}

void Catalogue::put_generation(const std::string& id, const Generation& generation) {
  Database& database = impl_->database;
  database.write_durably([&] { storage::put_generation(database, impl_->key(id), generation); });
}

std::vector<Generation> Catalogue::generations(const std::string& id, double since) {
  static const std::string sql =
      select_sql<Generation>("generation WHERE run = ? AND (ended = 0 OR ended >= ?) ORDER BY number");
  Database& database = impl_->database;
  return impl_->read_of(id, "generations", [&](std::int64_t key) {
    std::vector<Generation> list = select<Generation>(database, sql, key, since);
    if (list.empty()) return list;
    Query query =
        database.query("SELECT generation, name, seconds FROM pause_part WHERE run = ? AND generation >= ?",
                       key, list.front().number);
    const CheckedRow row(query);
    while (query.next()) {
      const auto generation = std::find_if(list.begin(), list.end(), [&](const Generation& one) {
        return one.number == row.small_integer(0);
      });
      if (generation != list.end()) generation->pause_parts[row.text(1)] = row.real(2);
    }
    return list;
  });
}

void Catalogue::put_epoch(const std::string& id, const Epoch& epoch) {
  Database& database = impl_->database;
  database.write([&] { storage::put_epoch(database, impl_->key(id), epoch); });
}

std::vector<Epoch> Catalogue::epochs(const std::string& id) {
  static const std::string sql = select_sql<Epoch>("epoch WHERE run = ? ORDER BY generation, number");
  return impl_->read_of(id, "epochs",
                        [&](std::int64_t key) { return select<Epoch>(impl_->database, sql, key); });
}

void Catalogue::add_event(const std::string& id, int generation, std::int64_t step, const std::string& level,
                          const std::string& text) {
  Database& database = impl_->database;
  database.write([&] {
    storage::add_event(database, impl_->key(id), {0, now(), generation, step, level, text});
  });
}

std::vector<Event> Catalogue::events(const std::string& id, std::int64_t after) {
  static const std::string sql = select_sql<Event>("event WHERE run = ? AND id > ? ORDER BY id");
  return impl_->read_of(id, "events",
                        [&](std::int64_t key) { return select<Event>(impl_->database, sql, key, after); });
}

void Catalogue::put_checkpoint(const std::string& id, const Checkpoint& checkpoint) {
  Database& database = impl_->database;
  database.write_durably([&] { storage::put_checkpoint(database, impl_->key(id), checkpoint); });
}

void Catalogue::remove_checkpoint(const std::string& id, const std::string& name) {
  Database& database = impl_->database;
  database.write_durably(
      [&] { database.execute("DELETE FROM checkpoint WHERE run = ? AND name = ?", impl_->key(id), name); });
}

std::vector<Checkpoint> Catalogue::checkpoints(const std::string& id) {
  static const std::string sql =
      select_sql<Checkpoint>("checkpoint WHERE run = ? ORDER BY time DESC, step DESC, name DESC");
  return impl_->read_of(id, "checkpoints",
                        [&](std::int64_t key) { return select<Checkpoint>(impl_->database, sql, key); });
}

void Catalogue::add_ledger(const std::string& id, int generation, const protocol::LedgerEntry& entry) {
  Database& database = impl_->database;
  database.write([&] { storage::add_ledger(database, impl_->key(id), {generation, entry}); });
}

std::vector<Ledger> Catalogue::ledger(const std::string& id) {
  static const std::string sql = select_sql<Ledger>("ledger WHERE run = ? ORDER BY id");
  return impl_->read_of(id, "ledger",
                        [&](std::int64_t key) { return select<Ledger>(impl_->database, sql, key); });
}

void Catalogue::set_ledger(const std::string& id, const std::vector<Ledger>& ledger) {
  const std::vector<Ledger> there = this->ledger(id);
  // A restart changes only the last few stretches of a long run's ledger, if any.
  const auto [differs, from] = std::mismatch(there.begin(), there.end(), ledger.begin(), ledger.end());
  if (differs == there.end() && from == ledger.end()) return;
  Database& database = impl_->database;
  database.write([&, first = from] {
    set_ledger_from(database, impl_->key(id), first - ledger.begin(), {first, ledger.end()});
  });
}

}  // namespace batchscope::storage
