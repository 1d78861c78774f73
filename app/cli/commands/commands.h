// SPDX-License-Identifier: Apache-2.0
//
// The commands. Each is a function of its parsed options, returns an exit code (protocol/error.h), and throws
// Error for what a person can fix. The declarations in command_line fill in the options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/trash.h"
#include "commands/fault_options.h"

namespace batchscope::cli {

// The parts of a run, as `run` and `submit` take them.
struct SpecOptions {
  std::string program;  // a path, the name of a program beside ours or on PATH, or a recipe's folder or file
  std::vector<std::string> arguments;  // the program's own, after "--"
  std::string recipe;
  std::vector<std::string> settings;       // "epochs=3"
  std::string replicas;                    // "2", "1-4", "auto"; empty: not said
  std::optional<double> efficiency_floor;  // of auto replicas
  std::string name;
  std::string group;
  std::vector<std::string> tags;
  std::string note;
  std::optional<std::string> device;
  int devices_per_replica = 0, cores = 0;  // 0: not said
  bool oversubscribe = false;
  bool tls = false;  // to other nodes
  std::vector<std::string> triggers;
  std::string checkpoint_every;  // a duration; "0": never
  std::string resume_argument;   // tells a program the path of its own snapshot; empty: it is not told
  std::string notify;            // as run::check_notify takes it
  FaultOptions faults;
};

struct RunOptions : SpecOptions {
  bool detach = false;
  std::vector<std::string> expectations;
  std::string timeout;
  std::string report;
  bool quiet = false;  // leave out what the program prints
  bool json = false;
};
int runProgram(const RunOptions& options);

struct ResumeOptions {
  std::string run;
  int replicas = 0;                  // 0: as many as before, or as there are devices
  std::vector<std::string> devices;  // none: any that are free
  FaultOptions faults;
  bool detach = false;
  bool quiet = false;  // leave out what the program prints
  bool json = false;
};
int resumeRun(const ResumeOptions& options);

struct ForkOptions {
  std::string run;
  std::string checkpoint;  // a name or a number; empty: the newest good one
  std::string name;
  int replicas = 0;                    // 0: as many as the other run had
  std::vector<std::string> arguments;  // of the program, from behind "--"; none: the same
  bool detach = false;
  bool quiet = false;  // leave out what the program prints
  bool json = false;
};
int forkRun(const ForkOptions& options);

struct NoiseOptions {
  std::string run;
  std::string checkpoint;  // a name or a number; empty: the newest good one
  int microBatches = 200;
  std::vector<std::string> arguments;  // of the program, from behind "--"; none: the same
  bool json = false;
};
int measureNoise(const NoiseOptions& options);

struct BranchOptions {
  std::string run;
  std::string batchSizes;    // "32..1024" or "32,64,96"
  std::int64_t samples = 0;  // that each branch trains over
  std::string checkpoint;    // a name or a number; empty: the newest good one
  std::string metric;
  std::optional<double> tolerance;  // share of the smallest batch size's metric
  int replicas = 0;                 // 0: as many as the run had last
  bool detach = false;
  bool show = false;                   // what was branched before, and nothing new
  std::vector<std::string> arguments;  // of the program, from behind "--"; none: the same
  bool json = false;
};
int branchRun(const BranchOptions& options);

struct RunReference {
  std::string run;  // "latest", or a unique prefix of an id or a name
  bool json = false;
};
int checkpointRun(const RunReference& options);
int pauseRun(const RunReference& options);
int stopRun(const RunReference& options);

struct WatchOptions : RunReference {
  bool quiet = false;  // leave out what the program prints
};
int attachToRun(const WatchOptions& options);

struct ShowOptions : RunReference {
  bool epochs = false;       // all of them
  bool predictions = false;  // only these
};
int showRun(const ShowOptions& options);

struct RescaleOptions : RunReference {
  std::string replicas;              // "3", "auto:1-4"; empty: as many as there are devices
  std::vector<std::string> devices;  // none: any that are free
};
int rescaleRun(const RescaleOptions& options);

struct ListOptions {
  std::string where;                 // storage/run_filter.h
  std::string sort;                  // a field; behind "-": descending. Empty: newest first
  std::vector<std::string> columns;  // fields; none: the usual ones
  std::optional<int> limit;
  bool trash = false;   // the removed runs in place of the others
  bool all = false;     // with the recorded runs of lessons
  bool trials = false;  // of sweeps one by one
  bool watch = false;
  bool json = false;
};
int listRuns(const ListOptions& options);

struct TagOptions {
  std::string run;
  std::vector<std::string> changes;  // "+a" or "a" adds, "-b" removes; none: show the tags
  bool json = false;
};
int tagRun(const TagOptions& options);

struct NoteOptions {
  std::string run;
  std::optional<std::string> text;  // "-": from standard input; none: show the note
  bool json = false;
};
int noteRun(const NoteOptions& options);

struct RenameOptions {
  std::string run;
  std::string name;
  bool json = false;
};
int renameRun(const RenameOptions& options);

struct DiffOptions {
  std::string first, second;  // runs
  bool all = false;           // also what is the same
  bool json = false;
};
int diffRuns(const DiffOptions& options);

struct PlotOptions {
  std::string run;
  std::vector<std::string> series;  // none: loss
  bool list = false;                // list the charts instead
  std::vector<std::string> with;    // further runs, over the first
  std::string axis;                 // step (or ""), time, progress, epoch
  bool logarithmic = false;
  std::optional<std::int64_t> from, to;  // steps
  std::optional<int> width, height;      // cells, or pixels of a picture
  std::string output;                    // *.svg or *.png, "-": SVG to standard output; empty: the terminal
  bool force = false;                    // overwrite
  bool json = false;
};
int plotRun(const PlotOptions& options);

struct TailOptions {
  std::string run;
  std::vector<std::string> series;  // none: the usual ones
  int lines = 10;                   // steps before the newest
  bool once = false;                // do not wait for more
  bool json = false;
};
int tailRun(const TailOptions& options);

struct LogOptions {
  std::string run;
  bool follow = false;
  std::optional<int> replica;     // none: all
  std::optional<int> generation;  // none: the newest
  std::string since;              // a duration, or empty: from the beginning
  bool json = false;
};
int printLogs(const LogOptions& options);

struct RemoveOptions {
  std::string run;
  bool purge = false;  // delete for good rather than put into the trash
  bool yes = false;    // do not ask
  bool json = false;
};
int removeRun(const RemoveOptions& options);
int restoreRun(const RunReference& options);

struct CollectOptions {
  double days = storage::kTrashDays;  // in the trash, at the least
  bool checkpoints = false;           // also old ones that are not pinned
  bool dryRun = false;
  bool yes = false;
  bool json = false;
};
int collectGarbage(const CollectOptions& options);

struct AdoptOptions {
  std::vector<std::string> runs;  // ids of folders; none: all that are not listed
  bool json = false;
};
int adoptRuns(const AdoptOptions& options);

struct ExportOptions {
  std::string run;
  std::string format = "jsonl";     // csv, html, json, jsonl, tensorboard, sqlite
  std::string output;               // "-": standard output; empty: NAME-ID.FORMAT here
  std::vector<std::string> series;  // none: all
  bool force = false;               // overwrite
  bool follow = false;              // append what is new while the run goes on
  bool json = false;
};
int exportRun(const ExportOptions& options);

struct ImportOptions {
  std::vector<std::string> files;  // or folders
  std::string runFolder;           // in place of a file: FOLDER/ID
  std::string name;                // empty: as it was called
  bool watch = false;              // take what is being written, until Ctrl-C
  bool json = false;
};
int importRun(const ImportOptions& options);

struct FollowOptions {
  std::string place;  // [HOST:]DIR
  bool once = false;  // only what is there now
  bool json = false;
};
int followRecord(const FollowOptions& options);

struct SqlOptions {
  std::string sql;
  std::vector<std::string> runs;  // their samples fill the table `sample`
  std::string timeout;            // a duration; empty: none
  bool csv = false;
  bool json = false;  // an object a row
};
int askSql(const SqlOptions& options);

struct CompactOptions {
  std::vector<std::string> runs;  // none: all, and the catalogue
  bool json = false;
};
int compactStore(const CompactOptions& options);

struct BackupOptions {
  std::string folder;
  bool json = false;
};
int backUpStore(const BackupOptions& options);

struct CopyOptions {
  std::string source;  // "RUN:PATH", the path relative to the run's folder
  std::string destination;
  bool force = false;  // overwrite
  bool json = false;
};
int copyFromRun(const CopyOptions& options);

struct TensorboardOptions {
  std::vector<std::string> runs;
  std::optional<int> port;
};
int openTensorboard(const TensorboardOptions& options);  // returns only by an Error

struct DoctorOptions {
  bool store = false;    // only the store, but all of it
  bool tighten = false;  // first deny other users the store
  bool json = false;
};
int examineMachine(const DoctorOptions& options);

struct CompletionOptions {
  std::string shell;  // bash, zsh or fish
};
int printCompletionScript(const CompletionOptions& options);

}  // namespace batchscope::cli
