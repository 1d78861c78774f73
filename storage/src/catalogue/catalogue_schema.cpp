// SPDX-License-Identifier: Apache-2.0
//
// The layouts of runs.db, each as what makes it of the one before; one that was released never changes.
// Columns of REAL that may be NULL hold NaN as NULL.
#include "catalogue/catalogue_schema.h"
#include "batchscope/protocol/process_id.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/core.h>

namespace batchscope::storage {
namespace {

constexpr char kRuns[] = R"sql(
CREATE TABLE run (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  spec TEXT NOT NULL,
  state TEXT NOT NULL,
  message TEXT NOT NULL DEFAULT '',
  created REAL NOT NULL,
  ended REAL NOT NULL DEFAULT 0,
  step INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER NOT NULL DEFAULT 0,
  epochs INTEGER NOT NULL DEFAULT 0,
  fraction REAL DEFAULT 0,
  supervisor_pid INTEGER NOT NULL DEFAULT 0,
  supervisor_start INTEGER NOT NULL DEFAULT 0,
  note TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX run_by_name ON run (name);

CREATE TABLE latest (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  series TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (run, series)
) STRICT, WITHOUT ROWID;

CREATE TABLE tag (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE hyperparameter (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE model (
  run INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE,
  generation INTEGER NOT NULL,
  message TEXT NOT NULL
) STRICT;

CREATE TABLE generation (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  replicas INTEGER NOT NULL,
  reason TEXT NOT NULL,
  started REAL NOT NULL,
  ended REAL NOT NULL,
  first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL,
  checkpoint TEXT NOT NULL,
  pause REAL,
  outcome TEXT NOT NULL,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE pause_part (
  run INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  name TEXT NOT NULL,
  seconds REAL,
  PRIMARY KEY (run, generation, name),
  FOREIGN KEY (run, generation) REFERENCES generation (run, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE epoch (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  started REAL NOT NULL,
  ended REAL NOT NULL,
  first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL,
  PRIMARY KEY (run, generation, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  time REAL NOT NULL,
  generation INTEGER NOT NULL,
  step INTEGER NOT NULL,
  level TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_run ON event (run, id);

CREATE TABLE checkpoint (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  generation INTEGER NOT NULL,
  step INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  progress REAL,
  time REAL NOT NULL,
  seconds REAL,
  bytes INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  generation INTEGER NOT NULL,
  loader TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  pass INTEGER NOT NULL,
  from_position INTEGER NOT NULL,
  to_position INTEGER NOT NULL,
  padding INTEGER NOT NULL,
  dataset_size INTEGER NOT NULL,
  step INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_by_run ON ledger (run, id);
)sql";

// No foreign key to a device: which there are is the machine's to say. Two runs may share one.
constexpr char kLeases[] = R"sql(
CREATE TABLE lease (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  device TEXT NOT NULL,
  holder_pid INTEGER NOT NULL,
  holder_start INTEGER NOT NULL,
  PRIMARY KEY (run, device)
) STRICT, WITHOUT ROWID;
)sql";

// When the run was put into the trash; 0: it is not there.
constexpr char kTrash[] = "ALTER TABLE run ADD COLUMN removed REAL NOT NULL DEFAULT 0";

// The queue, who had which device when, and what the pool was told and decided. A job's run outlives it. And
// of each restart what the model predicted, and what came of it.
constexpr char kPool[] = R"sql(
CREATE TABLE job (
  run INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE,
  submitted REAL NOT NULL,
  priority INTEGER NOT NULL,
  after TEXT NOT NULL,
  held INTEGER NOT NULL,
  preemptible INTEGER NOT NULL,
  preempted INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  target TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  expected_end REAL NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE lease_event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  device TEXT NOT NULL,
  generation INTEGER NOT NULL,
  since REAL NOT NULL,
  until REAL NOT NULL DEFAULT 0,
  why TEXT NOT NULL
) STRICT;
CREATE INDEX lease_event_by_run ON lease_event (run, until);
CREATE INDEX lease_event_by_time ON lease_event (since);

CREATE TABLE pool (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  settings TEXT NOT NULL
) STRICT;

CREATE TABLE decision (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time REAL NOT NULL,
  message TEXT NOT NULL
) STRICT;

ALTER TABLE generation ADD COLUMN predicted_throughput REAL DEFAULT -1;
ALTER TABLE generation ADD COLUMN predicted_goodput REAL DEFAULT -1;
ALTER TABLE generation ADD COLUMN obtained_throughput REAL DEFAULT -1;
ALTER TABLE generation ADD COLUMN obtained_goodput REAL DEFAULT -1;
)sql";

// Sweeps, the legs of their trials, and the runs that train these. Whether a run that rests is to go on, as a
// sweep says it; what the pool says is `preempted`.
constexpr char kSweeps[] = R"sql(
CREATE TABLE sweep (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,
  spec TEXT NOT NULL,
  state TEXT NOT NULL,
  message TEXT NOT NULL DEFAULT '',
  width INTEGER NOT NULL,
  created REAL NOT NULL,
  ended REAL NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE sweep_leg (
  sweep INTEGER NOT NULL REFERENCES sweep (key) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  trial INTEGER NOT NULL,
  rung INTEGER NOT NULL,
  heard INTEGER NOT NULL,
  origin INTEGER,
  parameters TEXT NOT NULL,
  began REAL NOT NULL,
  ended REAL NOT NULL DEFAULT 0,
  outcome TEXT NOT NULL DEFAULT '',
  value REAL,
  device_hours REAL NOT NULL DEFAULT 0,
  at_end INTEGER NOT NULL DEFAULT 0,
  message TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (sweep, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial (
  sweep INTEGER NOT NULL REFERENCES sweep (key) ON DELETE CASCADE,
  trial INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  leg INTEGER NOT NULL,
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  PRIMARY KEY (sweep, trial, seed)
) STRICT, WITHOUT ROWID;
CREATE INDEX trial_by_run ON trial (run);

ALTER TABLE job ADD COLUMN resumed INTEGER NOT NULL DEFAULT 0;
)sql";

// Where a run was taken from that trains, or has trained, on another machine, and how much of its record.
constexpr char kOrigins[] = R"sql(
CREATE TABLE origin (
  run INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE,
  host TEXT NOT NULL,
  folder TEXT NOT NULL,
  followed INTEGER NOT NULL,
  control TEXT NOT NULL,
  taken INTEGER NOT NULL
) STRICT;
)sql";

// Where the trials of a sweep train, as whoever starts them there has written it.
constexpr char kWorkplaces[] = "ALTER TABLE sweep ADD COLUMN workplace TEXT NOT NULL DEFAULT ''";

// The cluster's last news of the job of a run that is followed, as JSON; empty: nothing yet.
constexpr char kClusterJobs[] = "ALTER TABLE origin ADD COLUMN job TEXT NOT NULL DEFAULT ''";

// By what share a prediction may be off.
constexpr char kPredictionErrors[] = "ALTER TABLE generation ADD COLUMN predicted_error REAL DEFAULT -1";

// Nodes beside this machine whose devices the pool gives away, as it saw them last.
constexpr char kPoolNodes[] = R"sql(
CREATE TABLE pool_node (
  name TEXT PRIMARY KEY,
  message TEXT NOT NULL
) STRICT;
)sql";

// Supervisors write the catalogue as they know it: none may be alive while it changes its shape.
std::string living_supervisor(SQLite::Database& connection) {
  SQLite::Statement row(connection,
                        "SELECT id, supervisor_pid, supervisor_start FROM run WHERE supervisor_pid > 0");
  while (row.executeStep()) {
    const protocol::ProcessId supervisor{row.getColumn(1).getInt(), row.getColumn(2).getInt64()};
    if (is_alive(supervisor))
      return fmt::format("the supervisor of run {} (process {})", row.getColumn(0).getString(),
                         supervisor.pid);
  }
  return "";
}

}  // namespace

const Schema& catalogue_schema() {
  static const Schema schema{0x42536361,  // "BSca"
                             "a run catalogue",
                             {kRuns, kLeases, kTrash, kPool, kSweeps, kOrigins, kWorkplaces, kClusterJobs,
                              kPredictionErrors, kPoolNodes},
                             living_supervisor};
  return schema;
}

}  // namespace batchscope::storage
