-- A catalogue as version 1 made it, with a finished run and one whose supervisor is long gone.
PRAGMA application_id = 1112761185;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
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
INSERT INTO "checkpoint" VALUES(1,'checkpoint-000001',0,40,1,20.5,1500.0,0.1,4096,'rescale');
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
INSERT INTO "epoch" VALUES(1,0,0,1000.0,1500.0,1,40);
CREATE TABLE event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  time REAL NOT NULL,
  generation INTEGER NOT NULL,
  step INTEGER NOT NULL,
  level TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
INSERT INTO "event" VALUES(9,1,1500.0,0,40,'info','rescaled');
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
INSERT INTO "generation" VALUES(1,0,2,'start',1000.0,1500.0,1,40,'',NULL,'checkpointed');
INSERT INTO "generation" VALUES(1,1,1,'rescale',1500.5,2000.0,41,80,'checkpoint-000001',0.5,'finished');
CREATE TABLE hyperparameter (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "hyperparameter" VALUES(1,'lr','0.1');
CREATE TABLE latest (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  series TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (run, series)
) STRICT, WITHOUT ROWID;
INSERT INTO "latest" VALUES(1,'gain',NULL);
INSERT INTO "latest" VALUES(1,'loss',0.5);
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
INSERT INTO "ledger" VALUES(1,1,0,'train',0,0,0,64,0,64,1);
CREATE TABLE model (
  run INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE,
  generation INTEGER NOT NULL,
  message TEXT NOT NULL
) STRICT;
CREATE TABLE pause_part (
  run INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  name TEXT NOT NULL,
  seconds REAL,
  PRIMARY KEY (run, generation, name),
  FOREIGN KEY (run, generation) REFERENCES generation (run, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO "pause_part" VALUES(1,1,'launch',0.25);
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
INSERT INTO "run" VALUES(1,'aaaaaaaa','digits','{"name": "digits", "program": "/usr/bin/true", "arguments": ["--data", "a b"], "working_directory": "/", "recipe": "", "replicas": 2, "auto_replicas": null, "efficiency_floor": 0.5, "oversubscribe": false, "device": "auto", "group": "", "triggers": ["step=400:checkpoint"], "environment": {"KEY": "value"}, "checkpoint_timeout": 120.0, "rescale_timeout": 60.0, "checkpoint_interval": 60.0, "restart_budget": 5}','finished','',1000.0,2000.0,80,2,2,1.0,0,0,'a note');
INSERT INTO "run" VALUES(3,'bbbbbbbb','cifar','{"name": "cifar", "program": "/usr/bin/true", "arguments": ["--data", "a b"], "working_directory": "/", "recipe": "", "replicas": 2, "auto_replicas": null, "efficiency_floor": 0.5, "oversubscribe": false, "device": "auto", "group": "", "triggers": ["step=400:checkpoint"], "environment": {"KEY": "value"}, "checkpoint_timeout": 120.0, "rescale_timeout": 60.0, "checkpoint_interval": 60.0, "restart_budget": 5}','running','',3000.0,0.0,7,0,5,0.1,2147483000,1,'');
CREATE TABLE tag (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "tag" VALUES(1,'kept');
CREATE INDEX run_by_name ON run (name);
CREATE INDEX event_by_run ON event (run, id);
CREATE INDEX ledger_by_run ON ledger (run, id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('run',3);
INSERT INTO "sqlite_sequence" VALUES('event',9);
COMMIT;
