// SPDX-License-Identifier: Apache-2.0
//
// The longer help texts of the queue's commands (see help_text.h).
#pragma once

#include <QtGlobal>

namespace batchscope::cli::help {

inline constexpr char kSubmit[] = QT_TR_NOOP(
    "The run waits for its turn, then trains in the background; you may close the terminal. Runs in the "
    "queue\n"
    "share the devices by goodput. `batchscope queue` shows which runs get more devices, which get fewer, "
    "which\n"
    "are paused for a turn, and why. A device is a GPU or a core, and each replica has one. A run whose "
    "turn\n"
    "has come gets devices even if others lose some; with --pin it keeps them until it ends.\n"
    "\n"
    "Examples:\n"
    "  batchscope submit digits -- --epochs 20\n"
    "  for lr in 0.01 0.03 0.1; do batchscope submit digits --name lr-$lr --group rates -- --lr $lr; done\n"
    "  batchscope submit --recipe digits --set epochs=8 --replicas 1-4 --priority 2\n"
    "  batchscope submit ./train.py --replicas 2 --after latest\n"
    "  batchscope submit --hold digits; batchscope release latest\n"
    "\n"
    "With --slurm the run trains on a cluster. Its folder is made on a file system that the nodes share, "
    "and\n"
    "sbatch submits a script in that folder. Each job submits the next one, which waits until the job has\n"
    "ended, so the run continues from its last checkpoint after time limits, preemption and lost nodes. The\n"
    "command then follows the run, as `batchscope follow` does; Ctrl-C leaves the run alone. `batchscope "
    "doctor\n"
    "--slurm` says what the site allows.\n"
    "  batchscope submit --slurm digits --print\n"
    "  batchscope submit --slurm=gpu ./train --nodes 1-4 --gpus-per-node 2 --time 12:00:00 --folder "
    "/scratch/me\n"
    "  batchscope slurm-job /scratch/me/ID -- show latest     and rescale, checkpoint, stop, ..\n"
    "  scancel --name batchscope-ID                           ends the run and its next job\n");

inline constexpr char kSlurmJob[] = QT_TR_NOOP(
    "The script of each Slurm job calls this command. People call it with a batchscope command after "
    "\"--\",\n"
    "from any machine that shares the run's folder: `srun --overlap` carries the command out where the run\n"
    "trains. A rescale to more replicas than the job's nodes have room for ends the job with a checkpoint; "
    "the\n"
    "next job gets more nodes, at most those given by `batchscope submit --nodes`. While the job waits, "
    "stop\n"
    "and cancel end it, and hold and release do what they do in Slurm. resume submits the run if it has no "
    "job.\n"
    "\n"
    "Examples:\n"
    "  batchscope slurm-job /scratch/me/k3v90abc -- show latest\n"
    "  batchscope slurm-job /scratch/me/k3v90abc -- rescale latest 4\n"
    "  batchscope slurm-job /scratch/me/k3v90abc -- stop latest\n");

inline constexpr char kSlurmNodes[] = QT_TR_NOOP(
    "The pool calls this command where `batchscope pool --slurm` said so. It submits and cancels jobs that "
    "hold\n"
    "a node each, and prints the nodes of those that run.\n"
    "\n"
    "Example:\n"
    "  squeue --me --name $(squeue --me --noheader --format %j | grep batchscope-pool)\n");

inline constexpr char kQueue[] = QT_TR_NOOP(
    "Runs are ordered by priority, then by the time of submission. The pool says below each run why it "
    "waits\n"
    "or has its devices.\n"
    "  REPLICAS  the number that the run has -> the number that the pool will give it (the number asked "
    "for)\n"
    "  LEFT      the estimated time until the run ends, where it can be estimated\n"
    "Trials of a sweep that wait at a rung, or have ended, share one row; --trials lists them.\n"
    "Where the pool shares several machines, a line for each says which of its devices runs have.\n"
    "\n"
    "Examples:\n"
    "  batchscope queue\n"
    "  batchscope queue --watch\n"
    "  batchscope queue --all --json\n");

inline constexpr char kPool[] = QT_TR_NOOP(
    "Without flags, shows the settings and the pool's last decision:\n"
    "  DEVICES  the number of devices that a run will have\n"
    "  BEFORE   the number that it had\n"
    "  WHY      worth (what it gains by them), turn (it had waited long enough), fixed (it keeps its own),\n"
    "           waits, or impossible\n"
    "The pool is a process that starts when there is something to decide, and ends by itself.\n"
    "\n"
    "Examples:\n"
    "  batchscope pool\n"
    "  batchscope pool --policy fast\n"
    "  batchscope pool --policy sia            as a published scheduler would share them\n"
    "  batchscope pool --devices 2             leave the other devices to others\n"
    "  batchscope pool --agents n2,n3          share the devices of other machines too, as ssh reaches them\n"
    "  batchscope pool --agents n2,n3 --tls    the same, with encrypted lines to them\n"
    "  batchscope pool --slurm=gpu --nodes 1-8 --gpus-per-node 4 --time 8:00:00    jobs hold nodes of Slurm\n"
    "  batchscope pool --slurm=off             give them back\n"
    "  batchscope pool --nodes-from ./nodes.sh     nodes of any cluster or cloud; engine/run/NODES.md has "
    "more\n"
    "  batchscope pool --drain                 start nothing new, for example before a shutdown\n"
    "  batchscope pool --decisions 3\n"
    "  batchscope pool --price 0.9 --scale-command ./machines.sh\n"
    "  batchscope pool --advise --json\n");

inline constexpr char kCancel[] = QT_TR_NOOP(
    "A waiting run leaves the queue. A training run stops with a checkpoint, and `batchscope resume`\n"
    "continues it.\n"
    "\n"
    "Examples:\n"
    "  batchscope cancel latest\n"
    "  batchscope cancel 3f9a 81cc\n");

inline constexpr char kHold[] = QT_TR_NOOP(
    "A training run is paused with a checkpoint, and its devices go to other runs. `batchscope release` "
    "lets\n"
    "it go on.\n"
    "\n"
    "Example:\n"
    "  batchscope hold 3f9a 81cc\n");

inline constexpr char kRelease[] = QT_TR_NOOP("Example:\n  batchscope release 3f9a 81cc\n");

inline constexpr char kPriority[] = QT_TR_NOOP(
    "Examples:\n"
    "  batchscope priority 3f9a 5\n"
    "  batchscope priority latest -3\n");

}  // namespace batchscope::cli::help
