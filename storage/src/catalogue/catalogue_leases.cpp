// SPDX-License-Identifier: Apache-2.0
//
// The leases of devices by runs. A lease names the process that took it and the moment that process began, as
// the claim of a supervisor does: it ends with the process, however that ended. What is looked at and what is
// taken is one transaction, so that two runs that start at the same moment see one another.
#include <unistd.h>

#include <algorithm>

#include "batchscope/protocol/process_id.h"
#include "catalogue/catalogue_impl.h"
#include "database/checked_row.h"

namespace batchscope::storage {
namespace {

// Numbers of devices have no leading zeros, so that the shorter name is the smaller number.
#define BATCHSCOPE_BY_DEVICE " ORDER BY length(device), device"

protocol::ProcessId holder_in(const Query& row, int column) {
  return {static_cast<pid_t>(row.integer(column)), row.integer(column + 1)};
}

std::vector<Lease> living_leases(Database& database, std::int64_t other_than) {
  std::vector<Lease> list;
  Query row = database.query(
      "SELECT device, id, name, holder_pid, holder_start, job.run IS NOT NULL FROM lease"
      " JOIN run ON run.key = lease.run LEFT JOIN job ON job.run = lease.run"
      " WHERE lease.run <> ?" BATCHSCOPE_BY_DEVICE ", created, key",
      other_than);
  while (row.next())
    if (is_alive(holder_in(row, 3)))
      list.push_back({row.text(0), row.text(1), row.text(2), row.integer(5) != 0});
  return list;
}

std::vector<protocol::ProcessId> dead_holders(Database& database) {
  std::vector<protocol::ProcessId> dead;
  Query row = database.query("SELECT DISTINCT holder_pid, holder_start FROM lease");
  while (row.next())
    if (const protocol::ProcessId holder = holder_in(row, 0); !is_alive(holder)) dead.push_back(holder);
  return dead;
}

void remove_leases(Database& database, const protocol::ProcessId& holder) {
  database.execute("DELETE FROM lease WHERE holder_pid = ? AND holder_start = ?", holder.pid, holder.start);
}

// An event is open as long as its lease is there, and ends now, whoever found out. The leases of a run that
// is only followed are another machine's.
void close_books(Database& database) {
  database.execute(
      "UPDATE lease_event SET until = ? WHERE until = 0 AND NOT EXISTS"
      " (SELECT 1 FROM lease WHERE lease.run = lease_event.run AND lease.device = lease_event.device)"
      " AND run NOT IN (SELECT run FROM origin WHERE followed)",
      now());
}

void remove_dead(Database& database) {
  for (const protocol::ProcessId& holder : dead_holders(database)) remove_leases(database, holder);
  close_books(database);
}

}  // namespace

std::vector<std::string> leased_devices(Database& database, std::int64_t key) {
  std::vector<std::string> devices;
  Query row = database.query(
      "SELECT device, holder_pid, holder_start FROM lease WHERE run = ?" BATCHSCOPE_BY_DEVICE, key);
  while (row.next())
    if (is_alive(holder_in(row, 1))) devices.push_back(row.text(0));
  return devices;
}

std::vector<std::string> told_devices(Database& database, std::int64_t key) {
  std::vector<std::string> devices;
  Query row = database.query(
      "SELECT DISTINCT device FROM lease_event WHERE run = ? AND until = 0" BATCHSCOPE_BY_DEVICE, key);
  while (row.next()) devices.push_back(row.text(0));
  return devices;
}

std::vector<Lease> Catalogue::leases() {
  Database& database = impl_->database;
  constexpr std::int64_t kNobody = 0;  // the keys of runs begin with 1
  return database.read([&] { return living_leases(database, kNobody); });
}

void Catalogue::lease_devices(const std::string& id, const Choice& choose, int generation,
                              const std::string& why) {
  Database& database = impl_->database;
  const protocol::ProcessId self = protocol::identify(getpid());
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    impl_->refuse_others_claim(id, key);
    remove_dead(database);
    const std::vector<std::string> before = leased_devices(database, key);
    const std::vector<std::string> devices = choose(living_leases(database, key), before);
    database.execute("DELETE FROM lease WHERE run = ?", key);
    for (const std::string& device : devices) {
      database.execute("INSERT INTO lease (run, device, holder_pid, holder_start) VALUES (?, ?, ?, ?)", key,
                       device, self.pid, self.start);
      if (std::find(before.begin(), before.end(), device) == before.end())
        database.execute(
            "INSERT INTO lease_event (run, device, generation, since, why) VALUES (?, ?, ?, ?, ?)", key,
            device, generation, now(), why);
    }
    close_books(database);
  });
}

void end_leases_of(Database& database, std::int64_t key) {
  const protocol::ProcessId self = protocol::identify(getpid());
  database.execute("DELETE FROM lease WHERE run = ? AND holder_pid = ? AND holder_start = ?", key, self.pid,
                   self.start);
  remove_dead(database);
}

void Catalogue::release_devices(const std::string& id) {
  impl_->database.write([&] { end_leases_of(impl_->database, impl_->key(id)); });
}

std::vector<LeaseEvent> Catalogue::lease_events(double since) {
  Database& database = impl_->database;
  try {
    if (database.read([&] { return !dead_holders(database).empty(); }))
      database.write([&] { remove_dead(database); });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::corrupt) throw;  // else the next one who can write closes the books
  }
  return database.read([&] {
    std::vector<LeaseEvent> list;
    Query query = database.query(
        "SELECT run.id, name, device, generation, since, until, why FROM lease_event"
        " JOIN run ON run.key = lease_event.run WHERE until = 0 OR until >= ? ORDER BY since, lease_event.id",
        since);
    const CheckedRow row(query);
    while (query.next())
      add_if_sound([&] {
        list.push_back({row.text(0), row.text(1), row.text(2), row.small_integer(3), row.time(4), row.time(5),
                        row.text(6)});
      });
    return list;
  });
}

}  // namespace batchscope::storage
