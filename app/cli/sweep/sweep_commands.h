// SPDX-License-Identifier: Apache-2.0
//
// The commands of `batchscope sweep` (see commands/commands.h).
#pragma once

#include <optional>
#include <string>

#include "slurm/slurm_options.h"

namespace batchscope::cli {

struct NewSweepOptions {
  std::string file;
  bool example = false;  // print a file to begin with
  int width = 0;         // trials that train at once; 0: as many as there are devices
  bool json = false;
};
int newSweep(const NewSweepOptions& options);

struct RunSweepOptions : SlurmOptions {
  std::string file;
  std::optional<int> jobs;  // of Slurm, at once
  bool detach = false;
  bool headless = false;  // Ctrl-C stops it
  int width = 0;          // as above
  bool json = false;
};
int runSweep(const RunSweepOptions& options);

struct SweepReference {
  std::string sweep = "latest";  // or a unique prefix of a name
  bool json = false;
};
int pauseSweep(const SweepReference& options);
int resumeSweep(const SweepReference& options);
int stopSweep(const SweepReference& options);
int showBestTrial(const SweepReference& options);

struct SweepStatusOptions {
  std::string sweep;  // empty: the list of all
  bool watch = false;
  bool json = false;
};
int showSweeps(const SweepStatusOptions& options);

struct ExtendSweepOptions : SweepReference {
  int trials = 0;          // more than until now
  double deviceHours = 0;  // the same
};
int extendSweep(const ExtendSweepOptions& options);

struct ExportSweepOptions : SweepReference {
  bool csv = false, toml = false;  // neither, and no JSON: CSV
  std::string output = "-";        // "-": standard output
  bool force = false;              // overwrite
};
int exportSweep(const ExportSweepOptions& options);

struct ImportSweepOptions {
  std::string file;
  std::string output = "-";  // "-": standard output
  bool force = false;        // overwrite
};
int importSweep(const ImportSweepOptions& options);

struct RemoveSweepOptions : SweepReference {
  bool runs = false;  // with its runs
  bool yes = false;   // do not ask
};
int removeSweep(const RemoveSweepOptions& options);

}  // namespace batchscope::cli
