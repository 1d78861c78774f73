-- The catalogue of a store of version 3, with one run, as its programs left it.
PRAGMA application_id = 1112761185;
PRAGMA user_version = 3;
BEGIN TRANSACTION;
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
, removed REAL NOT NULL DEFAULT 0) STRICT;
INSERT INTO run VALUES(1,'h3oiyw5j','fitted','{"arguments":["--epochs","2","--no-autoscale","--batch-size","512"],"auto_replicas":null,"checkpoint_interval":60.0,"checkpoint_timeout":120.0,"collective_timeout":30.0,"device":"auto","efficiency_floor":0.5,"environment":{},"group":"kept","hang_timeout":45.0,"max_local_batch_size":0,"name":"fitted","non_finite":"skip","oversubscribe":false,"program":"/tmp/kept/bin/linear_regression","recipe":"","replicas":1,"rescale_timeout":60.0,"restart_budget":5,"triggers":["epoch=1:replicas=2"],"working_directory":"/tmp/kept"}','finished','',1795319917.1796827316,1795319918.0938355922,32,2,2,1.0,0,0,'made to be read',0.0);
CREATE TABLE latest (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  series TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (run, series)
) STRICT, WITHOUT ROWID;
INSERT INTO latest VALUES(1,'accumulation_steps',0.0);
INSERT INTO latest VALUES(1,'batch_size',512.0);
INSERT INTO latest VALUES(1,'efficiency',1.0);
INSERT INTO latest VALUES(1,'epoch',2.0);
INSERT INTO latest VALUES(1,'gain',1.0);
INSERT INTO latest VALUES(1,'gain_raw',1.0);
INSERT INTO latest VALUES(1,'goodput',419699.30791851412506);
INSERT INTO latest VALUES(1,'grad_sqr',4.0553287409664404705);
INSERT INTO latest VALUES(1,'grad_var',0.16124344191318137897);
INSERT INTO latest VALUES(1,'local_batch_size',256.0);
INSERT INTO latest VALUES(1,'loss',1.1894059181213378906);
INSERT INTO latest VALUES(1,'lr',1.2038183319507956708e-06);
INSERT INTO latest VALUES(1,'lr_factor',1.0);
INSERT INTO latest VALUES(1,'model_step_time',0.00056327965413270370421);
INSERT INTO latest VALUES(1,'noise_scale',20.357570873495816955);
INSERT INTO latest VALUES(1,'predicted_gain',1.0);
INSERT INTO latest VALUES(1,'progress',32.0);
INSERT INTO latest VALUES(1,'replicas',2.0);
INSERT INTO latest VALUES(1,'samples',16384.0);
INSERT INTO latest VALUES(1,'scale',1.0);
INSERT INTO latest VALUES(1,'step_time',0.0012199210013932315632);
INSERT INTO latest VALUES(1,'sync_time',0.00080122299914364702999);
INSERT INTO latest VALUES(1,'throughput',419699.30791851412506);
INSERT INTO latest VALUES(1,'validation_loss',1.2268244028091430664);
CREATE TABLE tag (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
INSERT INTO tag VALUES(1,'kept');
INSERT INTO tag VALUES(1,'small');
CREATE TABLE hyperparameter (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
INSERT INTO hyperparameter VALUES(1,'batch_size','512');
INSERT INTO hyperparameter VALUES(1,'data','');
INSERT INTO hyperparameter VALUES(1,'epochs','2');
INSERT INTO hyperparameter VALUES(1,'features','16');
INSERT INTO hyperparameter VALUES(1,'lr','0.0005');
INSERT INTO hyperparameter VALUES(1,'max_batch_size','1024');
INSERT INTO hyperparameter VALUES(1,'micro_batches','0');
INSERT INTO hyperparameter VALUES(1,'no_accumulation','false');
INSERT INTO hyperparameter VALUES(1,'no_autoscale','true');
INSERT INTO hyperparameter VALUES(1,'noise','0.5');
INSERT INTO hyperparameter VALUES(1,'samples','8192');
INSERT INTO hyperparameter VALUES(1,'scaling_rule','adascale');
INSERT INTO hyperparameter VALUES(1,'schedule','cosine');
INSERT INTO hyperparameter VALUES(1,'seed','0');
CREATE TABLE model (
  run INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE,
  generation INTEGER NOT NULL,
  message TEXT NOT NULL
) STRICT;
INSERT INTO model VALUES(1,1,replace('{"accumulation":false,"grad_sqr":3.975274686934427,"grad_var":0.18811791890766472,"init_batch_size":512,"max_batch_size":0,"max_local_batch_size":0,"max_profiled_replicas":1,"min_local_batch_size":1,"perf":[0.0003755168666733273,7.33425852419861e-07,1.1000000000000001e-08,1.1000000000000001e-08,1e-08,1e-08,1.0461580595316342],"step":17,"type":"model"}\n','\n',char(10)));
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
INSERT INTO generation VALUES(1,0,1,'start',1795319917.8198225498,1795319917.8678984641,1,16,'',-1.0,'checkpointed');
INSERT INTO generation VALUES(1,1,2,'trigger',1795319917.8682930469,1795319918.0922493935,17,32,'checkpoint-000000',0.062722801001655170693,'finished');
CREATE TABLE pause_part (
  run INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  name TEXT NOT NULL,
  seconds REAL,
  PRIMARY KEY (run, generation, name),
  FOREIGN KEY (run, generation) REFERENCES generation (run, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO pause_part VALUES(1,1,'checkpoint',0.0040475540008628740906);
INSERT INTO pause_part VALUES(1,1,'first step',0.0059574110000539803877);
INSERT INTO pause_part VALUES(1,1,'launch',0.03809932799958914984);
INSERT INTO pause_part VALUES(1,1,'restore',0.0053557570008706534281);
INSERT INTO pause_part VALUES(1,1,'stop',0.0092627510002785129472);
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
INSERT INTO epoch VALUES(1,0,0,1795319917.8394041061,1795319917.8553807735,1,16);
INSERT INTO epoch VALUES(1,1,0,1795319917.855407238,1795319917.9425563811,17,32);
CREATE TABLE event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  time REAL NOT NULL,
  generation INTEGER NOT NULL,
  step INTEGER NOT NULL,
  level TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
INSERT INTO event VALUES(1,1,1795319917.8514807224,0,7,'info','training on 1 replica, forked');
INSERT INTO event VALUES(2,1,1795319917.8603415488,0,16,'info','scripted event epoch=1:replicas=2');
INSERT INTO event VALUES(3,1,1795319917.9190871715,1,17,'info','restarted on 2 replicas in 0.063 s, forked');
INSERT INTO event VALUES(4,1,1795319918.0936059951,1,32,'info','finished');
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
INSERT INTO checkpoint VALUES(1,'checkpoint-000000',0,16,1,16.0,1795319917.8590302466,0.0032895370004553114995,7043,'trigger');
INSERT INTO checkpoint VALUES(1,'checkpoint-000001',1,32,2,32.0,1795319917.9461371898,0.0030271840005298145115,12135,'exit');
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
INSERT INTO ledger VALUES(1,1,0,'train-0',0,0,0,8192,0,8192,16);
INSERT INTO ledger VALUES(2,1,1,'train-0',1,0,0,8192,0,8192,32);
CREATE TABLE lease (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  device TEXT NOT NULL,
  holder_pid INTEGER NOT NULL,
  holder_start INTEGER NOT NULL,
  PRIMARY KEY (run, device)
) STRICT, WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('run',1);
INSERT INTO sqlite_sequence VALUES('event',4);
CREATE INDEX run_by_name ON run (name);
CREATE INDEX event_by_run ON event (run, id);
CREATE INDEX ledger_by_run ON ledger (run, id);
COMMIT;
