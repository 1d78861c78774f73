// SPDX-License-Identifier: Apache-2.0
//
// The longer texts in the help of `batchscope sweep`, as those of help_text.h.
#pragma once

namespace batchscope::cli::help {

inline constexpr char kSweep[] =
    "A sweep trains one program with many hyperparameters and looks for the best: a file says what is\n"
    "searched and how, each trial is a run of the pool, and bad ones are stopped early. A process in the\n"
    "background begins the trials; terminals may be closed, and after a kill or a reboot `resume` goes on.\n"
    "NAME is \"latest\", or a unique prefix of a sweep's name; default: latest.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep new --example > my.toml     a file to begin with\n"
    "  batchscope sweep run my.toml                 train, and watch\n"
    "  batchscope sweep status latest\n"
    "  batchscope sweep best                        the command that trains the winner\n";

inline constexpr char kSweepNew[] =
    "The file is checked, and nothing trains until `batchscope sweep resume`.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep new --example > my.toml     all that it may hold: batchscope help sweep-file\n"
    "  batchscope sweep new my.toml\n";

inline constexpr char kSweepFile[] =
    "The file of a sweep, in TOML\n"
    "  name          of the sweep; default: the file's, without .toml\n"
    "  recipe        what is trained: the name of an example, or a folder with a recipe.toml; or program, "
    "as\n"
    "                batchscope run takes it\n"
    "  arguments     of the program, in front of the parameters\n"
    "  metric, goal  a series that the program records, and \"max\" or \"min\"\n"
    "  trials        points that are tried, at most; a grid may do without\n"
    "  device_hours  that all trials together may take\n"
    "  seeds         runs of each point, whose mean counts; default: 1\n"
    "  seed          of what the method draws; default: 0\n"
    "  replicas      of each run, \"1-4\" or one number; default: as many as the pool gives\n"
    "  device        auto, cpu or cuda\n"
    "  method        grid, random, sobol, or tpe, which learns from the trials so far\n"
    "\n"
    "[stop], without which every trial is trained to its end\n"
    "  kind          none; asha: the best of each rung go on; median: those that are worse than half of the\n"
    "                others end; pbt: the worst go on from copies of the best\n"
    "  min, max      the first rung and the last one, in scale-invariant iterations\n"
    "  eta           from rung to rung of asha and median; default: 3\n"
    "  unit          iterations, or steps, for programs that do not count scale-invariant iterations\n"
    "  share         of pbt: how many of the worst are replaced; default: 0.2\n"
    "  resample      of pbt: how likely a parameter is drawn anew; default: 0.25\n"
    "\n"
    "[parameter.NAME], which the program gets as --NAME VALUE\n"
    "  min, max      of a number; an integer where both are written without a point\n"
    "  scale         linear or log\n"
    "  step          of a number on a linear scale\n"
    "  values        a list, in place of min and max\n"
    "  value         of a parameter that is not searched\n"
    "  when          { OTHER = [VALUE, ..] }: it is there only where the other one has one of these values\n"
    "\n"
    "One to begin with: batchscope sweep new --example\n";

inline constexpr char kSweepRun[] =
    "Shows how many trials are done, the best so far and an estimate of the time that is left, and at the\n"
    "end the best five and the command that trains the winner. Ctrl-C leaves the sweep running and says how\n"
    "to stop it; with --headless it stops the sweep with checkpoints, and `batchscope sweep resume` goes "
    "on.\n"
    "\n"
    "With --slurm the trials are jobs of Slurm, at most --jobs of them at once, submitted and heard from "
    "this\n"
    "machine, which has Slurm's programs and sees --folder as the nodes do. A trial that waits at a rung has "
    "no\n"
    "job. batchscope sweep status says which wait in Slurm's queue, and why; pause and stop cancel the "
    "jobs,\n"
    "which leave with checkpoints.\n"
    "Exit codes: 0 when all trials are done, 1 when the sweep failed, 143 when it was stopped or paused.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep run my.toml\n"
    "  batchscope sweep run my.toml --detach\n"
    "  batchscope sweep run my.toml --headless      in CI\n"
    "  batchscope sweep run my.toml --slurm=gpu --jobs 8 --gpus-per-node 1 --folder /scratch/me\n";

inline constexpr char kSweepStatus[] =
    "Without a name all sweeps are listed. RUNG: the number of the last rung that a trial came to, from 0,\n"
    "and the iterations behind it. A trial that is paused waits at its rung until it is among the best.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep status\n"
    "  batchscope sweep status latest --watch\n"
    "  batchscope sweep status digits-lr --json\n";

inline constexpr char kSweepPause[] = "Example:\n  batchscope sweep pause latest\n";

inline constexpr char kSweepResume[] =
    "Also goes on with a sweep that was stopped, that failed, or that no process drives after a kill or a\n"
    "reboot. Nothing is trained twice: trials go on from their checkpoints.\n"
    "\n"
    "Example:\n"
    "  batchscope sweep resume latest\n";

inline constexpr char kSweepStop[] =
    "The values of its trials are kept, and `batchscope sweep resume` goes on.\n"
    "\n"
    "Example:\n"
    "  batchscope sweep stop digits-lr\n";

inline constexpr char kSweepExtend[] =
    "A sweep that is finished, stopped or failed goes on.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep extend latest --trials 16\n"
    "  batchscope sweep extend latest --device-hours 2\n";

inline constexpr char kSweepBest[] =
    "The best is, of the trials that came to the highest rung, the one of the best value. With --json:\n"
    "{\"run\":..,\"value\":..,\"parameters\":{..},\"command\":[..]}.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep best\n"
    "  batchscope sweep best digits-lr | sh\n"
    "  batchscope sweep best --json\n";

inline constexpr char kSweepExport[] =
    "All trials with parameters, value, state, rung, device-hours and runs; JSON has each leg from rung to\n"
    "rung, too. --toml gives the sweep's file back.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep export latest > trials.csv\n"
    "  batchscope sweep export latest --json -o trials.json\n"
    "  batchscope sweep export latest --toml -o again.toml\n";

inline constexpr char kSweepImport[] =
    "Reads a sweep's file of Weights & Biases. What has no counterpart here and does not change the search\n"
    "is named on standard error; what would make it another search is refused.\n"
    "\n"
    "Example:\n"
    "  batchscope sweep import sweep.yaml -o my.toml\n";

inline constexpr char kSweepRemove[] =
    "Its runs stay as runs of their own; with --runs they go into the trash, as by `batchscope rm`. Asks\n"
    "for confirmation on a terminal.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep rm digits-lr\n"
    "  batchscope sweep rm digits-lr --runs --yes\n";

}  // namespace batchscope::cli::help
