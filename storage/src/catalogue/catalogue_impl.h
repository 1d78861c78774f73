// SPDX-License-Identifier: Apache-2.0
//
// The state that the parts of Catalogue share.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/catalogue.h"
#include "catalogue/catalogue_schema.h"
#include "database/database.h"

namespace batchscope::storage {

struct Origin;      // origins.h
struct RecordPart;  // the same

// Returns the content of a new catalogue: the runs whose folders lie beside it.
std::function<void(Database&)> found_runs(const std::filesystem::path& catalogue);

// Finds a run's key, within a transaction. Throws Error(not_found).
inline std::int64_t run_key(Database& database, const std::string& id) {
  Query row = database.query("SELECT key FROM run WHERE id = ?", id);
  if (!row.next())
    throw Error(ErrorKind::not_found,
                "there is no run '" + id + "' in " + database.file().string() + ": see batchscope ls");
  return row.integer(0);
}

struct Catalogue::Impl {
  explicit Impl(const std::filesystem::path& file)
      : database(file, catalogue_schema(), Access::write, found_runs) {}

  std::int64_t key(const std::string& id) { return run_key(database, id); }

  // `body` of the run's key, in one transaction. What it finds unreadable is told with the run.
  template <class Body>
  auto read_of(const std::string& id, const char* what, Body&& body) {
    try {
      return database.read([&] { return body(key(id)); });
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::corrupt) throw;
      throw Error(ErrorKind::corrupt, "run " + id + ": its " + what + " cannot be read: " + error.what() +
                                          "; put a backup of " + database.file().string() +
                                          " in its place, or batchscope rm --purge " + id);
    }
  }

  // Writes the run's record into its folder, for a catalogue that has to be made again; does nothing where
  // there is no folder, or it cannot be written.
  void keep_record(Catalogue& catalogue, const std::string& id) noexcept;
  // The same every few seconds, for who calls more often.
  void keep_record_at_times(Catalogue& catalogue, const std::string& id) noexcept;

  // Changes one run in one transaction.
  template <class... Values>
  void update(const std::string& id, std::string_view sql, const Values&... values) {
    database.write([&] { database.execute(sql, values..., key(id)); });
  }

  // Refuses, within a transaction. Throws Error(conflict) while a living process has the claim.
  void refuse_while_supervised(const std::string& id, std::int64_t key);
  // The same where that process is another than this one.
  void refuse_others_claim(const std::string& id, std::int64_t key);
  bool is_supervised(std::int64_t key);  // by a living process

  Database database;
  std::map<std::string, double> keep_again;  // by run: when its record may be kept next, s
};

// Write a run when it is made, when it is found and when it comes from elsewhere; each within a transaction.
bool add_run(Database& database, const Run& run);  // false where there is one of its id
Run new_run(const protocol::RunSpec& spec);        // created now, with an id of its own
void insist_on_new(bool added, const std::string& id);
void put_latest(Database& database, std::int64_t key, const std::map<std::string, double>& latest);
void put_generation(Database& database, std::int64_t key, const Generation& generation);
void put_epoch(Database& database, std::int64_t key, const Epoch& epoch);
void add_event(Database& database, std::int64_t key, const Event& event);
void put_checkpoint(Database& database, std::int64_t key, const Checkpoint& checkpoint);
void put_hyperparameters(Database& database, std::int64_t key,
                         const std::map<std::string, std::string>& values);
void put_model(Database& database, std::int64_t key, int generation, const protocol::Model& model);
void put_tags(Database& database, std::int64_t key, const std::vector<std::string>& tags);
// The ledger from its stretch number `from` on, 0 being the first.
void set_ledger_from(Database& database, std::int64_t key, std::int64_t from, std::span<const Ledger> rest);
// All that add_run writes, but for its id and whether it is in the trash.
void update_run(Database& database, std::int64_t key, const Run& run);

void put_origin(Database& database, std::int64_t key, const Origin& origin);
// All that it tells, of a run that is listed; within a transaction. `is_new`: none of its events are known.
void take_part(Database& database, std::int64_t key, const RecordPart& part, bool is_new);

// A new run on its way into the queue.
class Submission {
 public:
  Submission(const protocol::RunSpec& spec, const Job& job);
  const std::string& id() const { return run_.id; }
  std::int64_t add(Database& database) const;  // its key; within a transaction

 private:
  Run run_;
  Job job_;
};

// Returns the devices of this run, by their names; within a transaction.
std::vector<std::string> leased_devices(Database& database, std::int64_t key);
// The same of one that is only followed, whose leases are another machine's.
std::vector<std::string> told_devices(Database& database, std::int64_t key);
// Ends what this process, or a dead one, has leased for the run; within a transaction.
void end_leases_of(Database& database, std::int64_t key);

}  // namespace batchscope::storage
