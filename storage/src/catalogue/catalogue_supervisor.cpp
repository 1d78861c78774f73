// SPDX-License-Identifier: Apache-2.0
//
// The claims of supervisors on runs. A claim is the supervisor's process id and the moment that process
// began, so it ends with the process, and no other process that gets the same id can be taken for it.
#include <fmt/core.h>
#include <unistd.h>

#include "batchscope/protocol/process_id.h"
#include "catalogue/catalogue_impl.h"

namespace batchscope::storage {
namespace {

protocol::ProcessId claim_on(Database& database, std::int64_t key) {
  Query row = database.query("SELECT supervisor_pid, supervisor_start FROM run WHERE key = ?", key);
  row.next();
  return {static_cast<pid_t>(row.integer(0)), row.integer(1)};
}

void refuse_removed(Database& database, const std::string& id, std::int64_t key) {
  Query row = database.query("SELECT removed FROM run WHERE key = ?", key);
  row.next();
  if (row.real(0) > 0)
    throw Error(ErrorKind::conflict,
                "run " + id + " is in the trash; restore it with: batchscope restore " + id);
}

void set_claim(Database& database, std::int64_t key, const protocol::ProcessId& claim) {
  database.execute("UPDATE run SET supervisor_pid = ?, supervisor_start = ? WHERE key = ?", claim.pid,
                   claim.start, key);
}

}  // namespace

bool Catalogue::claim_supervisor(const std::string& id) {
  Database& database = impl_->database;
  const protocol::ProcessId self = protocol::identify(getpid());
  protocol::ProcessId before;
  const bool claimed = database.write([&] {
    const std::int64_t key = impl_->key(id);
    refuse_removed(database, id, key);
    before = claim_on(database, key);
    if (before != self && is_alive(before)) return false;
    set_claim(database, key, self);
    return true;
  });
  // The one before was killed, maybe while it wrote, maybe with the machine.
  if (claimed && before.pid != 0 && before != self) database.quick_check();
  return claimed;
}

void Catalogue::release_supervisor(const std::string& id) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    if (claim_on(database, key) == protocol::identify(getpid())) set_claim(database, key, {});
  });
}

bool Catalogue::Impl::is_supervised(std::int64_t key) { return is_alive(claim_on(database, key)); }

void Catalogue::Impl::refuse_while_supervised(const std::string& id, std::int64_t key) {
  if (const protocol::ProcessId holder = claim_on(database, key); is_alive(holder))
    throw Error(ErrorKind::conflict,
                fmt::format("run {} has a supervisor (process {}): stop the run first", id, holder.pid));
}

void Catalogue::Impl::refuse_others_claim(const std::string& id, std::int64_t key) {
  if (claim_on(database, key) != protocol::identify(getpid())) refuse_while_supervised(id, key);
}

}  // namespace batchscope::storage
