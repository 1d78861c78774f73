// SPDX-License-Identifier: Apache-2.0
//
// The examinations of `batchscope doctor`. Each examination yields findings; a finding that is not ok says
// what to do, with the command where one mends it.
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

// LibTorch as batchscope-probe beside our program reports it. `gpus` as the driver shows them.
std::vector<Finding> examineLibTorch(int gpus);

// The probe's answer judged: {"torch","blas","blas_library","threads","cuda","cuda_devices","backends",
// "onednn","onednn_limit","amx_fault"}.
std::vector<Finding> judgeProbe(const protocol::Json& probe, int gpus);

// The store, the runtime directory with what dead supervisors left in it, free space.
std::vector<Finding> examineStore();

// Examines which runs hold which devices, and what is free. Nothing where the store cannot be read, as
// examineStore says.
std::vector<Finding> examineDevices();

// Says by how much replicas slow one another down here, as runs have shown. Nothing where none has, or the
// store cannot be read.
std::vector<Finding> examineContention();

// Whether other users may read or lock what the store has; what is the owner's alone keeps them out of all
// that lies below it.
std::vector<Finding> examineRights();

// Takes all of it out of others' reach: the catalogue's files, the folder of runs and everything below. What
// it could not change examineRights finds.
void tightenRights();

// Every file of the store, read as a whole: takes as long as the disk does.
std::vector<Finding> examineStoreFiles();

// Options of `doctor`.
struct Examination : DoctorOptions {
  bool slurm = false;   // of this site's Slurm only
  std::string folder;   // there: for runs, on the shared file system; empty: the present one
  bool tryJob = false;  // there: start a short job, to learn whether nodes see the folder
};
int examineMachineOrSite(const Examination& options);

// Examines what this site's Slurm allows of what runs there rest on. Blocks 10 s at most for each of Slurm's
// programs; submits two jobs that are held, and cancels them.
std::vector<Finding> examineSlurm(const Examination& options);

}  // namespace batchscope::cli
