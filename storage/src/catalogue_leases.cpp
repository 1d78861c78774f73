// SPDX-License-Identifier: Apache-2.0
//
// Which run has which device. A lease names the process that took it and the moment that process began, as
// the claim of a supervisor does: it ends with the process, however that ended. What is looked at and what is
// taken is one transaction, so that two runs that start at the same moment see one another.
#include <unistd.h>

#include <algorithm>

#include "batchscope/protocol/process_id.h"
#include "catalogue_impl.h"
#include "checked_row.h"

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
      "SELECT device, id, name, holder_pid, holder_start FROM lease JOIN run ON run.key = lease.run"
      " WHERE lease.run <> ?" BATCHSCOPE_BY_DEVICE ", created, key",
      other_than);
  while (row.next())
    if (is_alive(holder_in(row, 3))) list.push_back({row.text(0), row.text(1), row.text(2)});
  return list;
}

// The run has this device no more. In the books it is until now, whoever found out.
void end_lease(Database& database, std::int64_t key, const std::string& device) {
  database.execute("UPDATE lease_event SET until = ? WHERE run = ? AND device = ? AND until = 0", now(), key,
                   device);
}

void remove_dead(Database& database) {
  std::vector<protocol::ProcessId> holders;
  {
    Query row = database.query("SELECT DISTINCT holder_pid, holder_start FROM lease");
    while (row.next()) holders.push_back(holder_in(row, 0));
  }
  for (const protocol::ProcessId& holder : holders) {
    if (is_alive(holder)) continue;
    database.execute(
        "UPDATE lease_event SET until = ? WHERE until = 0 AND run IN"
        " (SELECT run FROM lease WHERE holder_pid = ? AND holder_start = ?)",
        now(), holder.pid, holder.start);
    database.execute("DELETE FROM lease WHERE holder_pid = ? AND holder_start = ?", holder.pid, holder.start);
  }
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
    const std::vector<std::string> devices = choose(living_leases(database, key));
    const std::vector<std::string> before = leased_devices(database, key);
    const auto has = [](const std::vector<std::string>& list, const std::string& device) {
      return std::find(list.begin(), list.end(), device) != list.end();
    };
    for (const std::string& device : before)
      if (!has(devices, device)) end_lease(database, key, device);
    database.execute("DELETE FROM lease WHERE run = ?", key);
    for (const std::string& device : devices) {
      database.execute("INSERT INTO lease (run, device, holder_pid, holder_start) VALUES (?, ?, ?, ?)", key,
                       device, self.pid, self.start);
      if (!has(before, device))
        database.execute(
            "INSERT INTO lease_event (run, device, generation, since, why) VALUES (?, ?, ?, ?, ?)", key,
            device, generation, now(), why);
    }
  });
}

void Catalogue::release_devices(const std::string& id) {
  Database& database = impl_->database;
  const protocol::ProcessId self = protocol::identify(getpid());
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    database.execute(
        "UPDATE lease_event SET until = ?1 WHERE run = ?2 AND until = 0 AND device IN"
        " (SELECT device FROM lease WHERE run = ?2 AND holder_pid = ?3 AND holder_start = ?4)",
        now(), key, self.pid, self.start);
    database.execute("DELETE FROM lease WHERE run = ? AND holder_pid = ? AND holder_start = ?", key, self.pid,
                     self.start);
  });
}

std::vector<LeaseEvent> Catalogue::lease_events(double since) {
  Database& database = impl_->database;
  return database.read([&] {
    std::vector<LeaseEvent> list;
    Query query = database.query(
        "SELECT run.id, name, device, generation, since, until, why FROM lease_event"
        " JOIN run ON run.key = lease_event.run WHERE until = 0 OR until >= ? ORDER BY since, lease_event.id",
        since);
    const CheckedRow row(query);
    while (query.next())
      list.push_back({row.text(0), row.text(1), row.text(2), row.small_integer(3), row.time(4), row.time(5),
                      row.text(6)});
    return list;
  });
}

}  // namespace batchscope::storage
