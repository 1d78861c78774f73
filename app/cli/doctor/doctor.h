// SPDX-License-Identifier: Apache-2.0
//
// The checks of `batchscope doctor`. Each check yields findings. A finding that is not ok says what to do,
// with the command if there is one.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "commands/commands.h"

namespace batchscope::cli {

struct Finding {
  enum class Level { ok, warning, problem };

  Level level = Level::ok;
  std::string subject;  // "cores", "BLAS"
  std::string text;
  std::string remedy = {};  // empty where nothing needs mending
};

// Cores, memory and GPUs.
std::vector<Finding> examineHardware();

// Examines LibTorch, which batchscope-probe beside our program reports on. `gpus`: as the driver shows them.
std::vector<Finding> examineLibTorch(int gpus);

// Judges the probe's answer: {"torch","blas","blas_library","threads","cuda","cuda_devices","backends",
// "onednn","onednn_limit","amx_fault"}.
std::vector<Finding> judgeProbe(const protocol::Json& probe, int gpus);

// Examines the store, the runtime directory with what dead supervisors left in it, and free space.
std::vector<Finding> examineStore();

// Examines which runs hold which devices, and which are free. No findings if the store cannot be read, which
// examineStore reports.
std::vector<Finding> examineDevices();

// Reports by how much replicas slow one another down here, as runs have measured. No findings if none has, or
// if the store cannot be read.
std::vector<Finding> examineContention();

// Examines whether other users may read or lock files of the store. A folder that only the owner may enter
// closes everything below it.
std::vector<Finding> examineRights();

// Denies other users the catalogue's files, the folder of runs and everything below. examineRights finds what
// this could not change.
void tightenRights();

// Reads every file of the store completely, which takes as long as the disk needs.
std::vector<Finding> examineStoreFiles();

// Options of `doctor`.
struct Examination : DoctorOptions {
  bool slurm = false;   // only this site's Slurm
  std::string folder;   // with slurm: the folder of runs, on the shared file system; empty: the current one
  bool tryJob = false;  // with slurm: start a short job, to learn whether nodes see the folder
};
int examineMachineOrSite(const Examination& options);

// Examines whether this site's Slurm allows what runs on it need. Blocks at most 10 s for each of Slurm's
// programs. Submits two held jobs, and cancels them.
std::vector<Finding> examineSlurm(const Examination& options);

}  // namespace batchscope::cli
