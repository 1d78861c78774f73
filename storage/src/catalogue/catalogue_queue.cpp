// SPDX-License-Identifier: Apache-2.0
//
// The queue of the pool. What people write of a job (submit, hold, priority) and what the pool writes of it
// are columns apart, so that neither takes back what the other has just said.
#include <fmt/core.h>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/process_id.h"
#include "catalogue/catalogue_impl.h"
#include "catalogue/device_names.h"
#include "database/checked_row.h"

namespace batchscope::storage {
namespace {

void check_priority(int priority) {
  if (priority < -protocol::kMostPriority || priority > protocol::kMostPriority)
    throw Error(ErrorKind::usage, fmt::format("a priority of {}: expected {} to {}", priority,
                                              -protocol::kMostPriority, protocol::kMostPriority));
}

#define BATCHSCOPE_SELECT_JOBS                                                                      \
  "SELECT id, job.submitted, job.priority, job.after, job.held, job.preemptible, job.preempted,"    \
  " job.crashes, job.target, job.reason, job.expected_end, state IN ('paused', 'pausing') AND NOT " \
  "job.resumed FROM job JOIN "                                                                      \
  "run ON run.key = job.run "
#define BATCHSCOPE_NOT_ENDED "removed <= 0 AND state NOT IN ('stopped', 'finished', 'failed')"

// "k3j2h1g0", "k3j2h1g0:end", "k3j2h1g0:fail"
constexpr const char* kEnd = ":end";
constexpr const char* kFail = ":fail";

std::string after_text(const Job& job) {
  if (job.after.empty()) return "";
  return job.after + (job.after_end == AfterEnd::end ? kEnd : job.after_end == AfterEnd::fail ? kFail : "");
}

void read_after(const std::string& text, Job& job) {
  job.after = text.substr(0, text.find(':'));
  if (text.ends_with(kEnd)) job.after_end = AfterEnd::end;
  if (text.ends_with(kFail)) job.after_end = AfterEnd::fail;
}

Job job_in(const Query& query) {
  const CheckedRow row(query);
  Job job;
  int column = 0;
  const auto read = [&](auto& member, Meaning meaning = Meaning::plain) {
    row.get(column++, member, meaning);
  };
  read(job.run);
  read(job.submitted, Meaning::time);
  read(job.priority);
  std::string after;
  read(after);
  read_after(after, job);
  read(job.held);
  read(job.preemptible);
  read(job.preempted);
  read(job.crashes);
  std::string target;
  read(target);
  job.target = device_names(target);
  read(job.reason);
  read(job.expected_end, Meaning::later_time);
  read(job.rests);
  return job;
}

void add_job(Database& database, std::int64_t key, const Job& job) {
  database.execute(
      "INSERT OR IGNORE INTO job (run, submitted, priority, after, held, preemptible) VALUES (?, ?, ?, ?, ?, "
      "?)",
      key, job.submitted, job.priority, after_text(job), job.held, job.preemptible);
}

}  // namespace

Submission::Submission(const protocol::RunSpec& spec, const Job& job) : run_(new_run(spec)), job_(job) {
  check_priority(job.priority);
  run_.state = RunState::pending;
  job_.submitted = run_.created;
}

std::int64_t Submission::add(Database& database) const {
  insist_on_new(add_run(database, run_), run_.id);
  const std::int64_t key = run_key(database, run_.id);
  add_job(database, key, job_);
  return key;
}

std::string Catalogue::submit_run(const protocol::RunSpec& spec, const Job& job) {
  const Submission submission(spec, job);
  impl_->database.write([&] { submission.add(impl_->database); });
  return submission.id();
}

void Catalogue::enlist(const std::string& id) {
  Job job;
  job.submitted = now();
  Database& database = impl_->database;
  database.write([&] { add_job(database, impl_->key(id), job); });
}

std::vector<Job> Catalogue::jobs() {
  Database& database = impl_->database;
  return database.read([&] {
    std::vector<Job> list;
    Query row = database.query(BATCHSCOPE_SELECT_JOBS "WHERE " BATCHSCOPE_NOT_ENDED
                                                      " ORDER BY job.priority DESC, job.submitted, job.run");
    while (row.next()) add_if_sound([&] { list.push_back(job_in(row)); });
    return list;
  });
}

std::optional<Job> Catalogue::job(const std::string& id) {
  Database& database = impl_->database;
  return database.read([&]() -> std::optional<Job> {
    Query row = database.query(BATCHSCOPE_SELECT_JOBS "WHERE run.id = ?", id);
    if (!row.next()) return std::nullopt;
    return job_in(row);
  });
}

void Catalogue::hold(const std::string& id, bool held) {
  impl_->update(id, "UPDATE job SET held = ? WHERE run = ?", held);
}

void Catalogue::go_on(const std::string& id) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    database.execute(
        "UPDATE job SET held = 0, resumed = (SELECT state IN ('paused', 'pausing') FROM run WHERE key = "
        "job.run)"
        " WHERE run = ?",
        key);
    const int back = database.execute(
        "UPDATE run SET state = 'pending', message = '', ended = 0"
        " WHERE key = ?1 AND state IN ('stopped', 'failed') AND EXISTS (SELECT 1 FROM job WHERE run = ?1)",
        key);
    if (back > 0) database.execute("UPDATE job SET preempted = 0, crashes = 0 WHERE run = ?", key);
  });
}

void Catalogue::forget_after(const std::string& id) {
  impl_->update(id, "UPDATE job SET after = '' WHERE run = ?");
}

void Catalogue::prioritise(const std::string& id, int priority) {
  check_priority(priority);
  impl_->update(id, "UPDATE job SET priority = ? WHERE run = ?", priority);
}

void Catalogue::put_job(const Job& job) {
  impl_->update(job.run,
                "UPDATE job SET preempted = ?, crashes = ?, target = ?, reason = ?, expected_end = ?"
                " WHERE run = ?",
                job.preempted, job.crashes, device_text(job.target), job.reason,
                known_time(job.expected_end));
}

void Catalogue::put_job_decision(const Job& job) {
  impl_->update(job.run, "UPDATE job SET target = ?, reason = ?, expected_end = ? WHERE run = ?",
                device_text(job.target), job.reason, known_time(job.expected_end));
}

void Catalogue::leave_to_pool(const std::string& id) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    database.execute("UPDATE job SET preempted = 1, target = ?2 WHERE run = ?1", key, device_text({}));
    database.execute("UPDATE run SET state = 'pausing' WHERE key = ?", key);
  });
}

void Catalogue::forget_preemption(const std::string& id) {
  impl_->update(id,
                "UPDATE job SET preempted = 0 WHERE run = ?"
                " AND (SELECT state FROM run WHERE key = job.run) = 'running'");
}

void Catalogue::forget_crashes(const std::string& id) {
  impl_->update(id, "UPDATE job SET crashes = 0 WHERE run = ?");
}

bool Catalogue::cancel_waiting(const std::string& id, const std::string& message) {
  Database& database = impl_->database;
  return database.write([&] {
    const std::int64_t key = impl_->key(id);
    if (impl_->is_supervised(key) || !leased_devices(database, key).empty()) return false;
    return database.execute(
               "UPDATE run SET state = 'stopped', message = ?, ended = ?"
               " WHERE key = ? AND " BATCHSCOPE_NOT_ENDED,
               message, now(), key) > 0;
  });
}

bool Catalogue::pool_needed() {
  Database& database = impl_->database;
  return database.read([&] {
    Query row = database.query(
        "SELECT state, supervisor_pid, supervisor_start, job.held, job.preempted,"
        " job.resumed, json_extract(spec, '$.auto_replicas') IS NOT NULL FROM run LEFT JOIN job ON job.run = "
        "run.key"
        " WHERE json_valid(spec) AND " BATCHSCOPE_NOT_ENDED);
    int elastic = 0;
    while (row.next()) {
      const bool in_queue = !row.null(3), held = row.integer(3) != 0, preempted = row.integer(4) != 0;
      const std::string state = row.text(0);
      const bool rests = (state == "paused" || state == "pausing") && row.integer(5) == 0;
      const protocol::ProcessId supervisor{static_cast<pid_t>(row.integer(1)), row.integer(2)};
      const bool lives = is_alive(supervisor);
      // One that is held gives its devices back; one that a person has paused is his.
      if (in_queue && (held ? lives && state != "paused" : !rests || preempted)) return true;
      if (lives && row.integer(6) != 0 && !rests) ++elastic;
    }
    return elastic > 1;
  });
}

}  // namespace batchscope::storage
