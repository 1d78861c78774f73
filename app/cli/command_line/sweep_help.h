// SPDX-License-Identifier: Apache-2.0
//
// The longer help texts of `batchscope sweep` (see help_text.h).
#pragma once

#include <QtGlobal>

namespace batchscope::cli::help {

inline constexpr char kSweep[] = QT_TR_NOOP(
    "A sweep trains one program with many hyperparameters and finds the best. A file says what is searched\n"
    "and how. Each trial is a run of the pool, and bad trials are stopped early. A background process "
    "begins\n"
    "the trials, so you may close the terminal. After a kill or a reboot `batchscope sweep resume` "
    "continues.\n"
    "NAME is \"latest\", or a unique prefix of a sweep's name; default: latest.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep new --example > my.toml     a file to begin with\n"
    "  batchscope sweep run my.toml                 train, and watch\n"
    "  batchscope sweep status latest\n"
    "  batchscope sweep best                        the command that trains the winner\n");

inline constexpr char kSweepNew[] = QT_TR_NOOP(
    "Checks the file and adds the sweep. Nothing trains until `batchscope sweep resume`.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep new --example > my.toml     all that it may hold: batchscope help sweep-file\n"
    "  batchscope sweep new my.toml\n");

inline constexpr char kSweepFile[] = QT_TR_NOOP(
    "The file of a sweep, in TOML\n"
    "  name          the sweep's name; default: the file's, without .toml\n"
    "  recipe        what is trained: the name of an example, or a folder with a recipe.toml\n"
    "  program       in place of recipe: a program, as `batchscope run` takes it\n"
    "  arguments     the program's arguments, in front of the parameters\n"
    "  metric, goal  a series that the program records, and \"max\" or \"min\"\n"
    "  trials        at most this many points are tried; a grid needs no limit\n"
    "  device_hours  at most this many device-hours for all trials together\n"
    "  seeds         runs of each point, of which the mean counts; default: 1\n"
    "  seed          the seed of the method's random numbers; default: 0\n"
    "  replicas      replicas of each run, \"1-4\" or one number; default: as many as the pool gives\n"
    "  device        auto, cpu or cuda\n"
    "  method        grid, random, sobol, or tpe, which learns from the trials so far\n"
    "\n"
    "[stop], without which every trial is trained to its end\n"
    "  kind          none; asha: the best trials of each rung go on; median: trials worse than half of the\n"
    "                others end; pbt: the worst trials go on from copies of the best\n"
    "  min, max      the first rung and the last one, in scale-invariant iterations\n"
    "  eta           with asha and median: the factor from rung to rung; default: 3\n"
    "  unit          iterations, or steps, for programs that do not count scale-invariant iterations\n"
    "  share         with pbt: the fraction of trials that are replaced; default: 0.2\n"
    "  resample      with pbt: the probability that a parameter is drawn again; default: 0.25\n"
    "\n"
    "[parameter.NAME], which the program gets as --NAME VALUE\n"
    "  min, max      the range of a number; an integer where both are written without a point\n"
    "  scale         linear or log\n"
    "  step          the step between values on a linear scale\n"
    "  values        a list, in place of min and max\n"
    "  value         one value, for a parameter that is not searched\n"
    "  when          { OTHER = [VALUE, ..] }: used only where parameter OTHER has one of these values\n"
    "\n"
    "A file to begin with: batchscope sweep new --example\n");

inline constexpr char kSweepRun[] = QT_TR_NOOP(
    "Shows how many trials are done, the best so far and the estimated time left. At the end it shows the\n"
    "best five trials and the command that trains the winner. Ctrl-C leaves the sweep running and says how "
    "to\n"
    "stop it. With --headless, Ctrl-C stops the sweep with checkpoints, and `batchscope sweep resume`\n"
    "continues it.\n"
    "\n"
    "With --slurm each trial is a job of Slurm, at most --jobs of them at once. This machine submits the "
    "jobs,\n"
    "so it needs Slurm's programs and must see --folder as the nodes do. A trial that waits at a rung has "
    "no\n"
    "job. `batchscope sweep status` says which trials wait in Slurm's queue, and why. `batchscope sweep "
    "pause`\n"
    "and `stop` cancel the jobs, which write checkpoints and end.\n"
    "Exit codes: 0 when all trials are done, 1 when the sweep failed, 143 when it was stopped or paused.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep run my.toml\n"
    "  batchscope sweep run my.toml --detach\n"
    "  batchscope sweep run my.toml --headless      in CI\n"
    "  batchscope sweep run my.toml --slurm=gpu --jobs 8 --gpus-per-node 1 --folder /scratch/me\n");

inline constexpr char kSweepStatus[] = QT_TR_NOOP(
    "Lists all sweeps, or with NAME the trials of one. RUNG is the number of the last rung that a trial\n"
    "reached, from 0, with the rung's iterations. A paused trial waits at its rung until it is among the "
    "best.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep status\n"
    "  batchscope sweep status latest --watch\n"
    "  batchscope sweep status digits-lr --json\n");

inline constexpr char kSweepPause[] = QT_TR_NOOP("Example:\n  batchscope sweep pause latest\n");

inline constexpr char kSweepResume[] = QT_TR_NOOP(
    "Continues a sweep that was paused, stopped or failed, or whose process ended by a kill or a reboot.\n"
    "Nothing is trained twice: trials continue from their checkpoints.\n"
    "\n"
    "Example:\n"
    "  batchscope sweep resume latest\n");

inline constexpr char kSweepStop[] = QT_TR_NOOP(
    "The values of its trials are kept, and `batchscope sweep resume` continues the sweep.\n"
    "\n"
    "Example:\n"
    "  batchscope sweep stop digits-lr\n");

inline constexpr char kSweepExtend[] = QT_TR_NOOP(
    "A finished, stopped or failed sweep continues.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep extend latest --trials 16\n"
    "  batchscope sweep extend latest --device-hours 2\n");

inline constexpr char kSweepBest[] = QT_TR_NOOP(
    "The winner is the trial with the best value among those that reached the highest rung. With --json:\n"
    "{\"run\":..,\"value\":..,\"parameters\":{..},\"command\":[..]}.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep best\n"
    "  batchscope sweep best digits-lr | sh\n"
    "  batchscope sweep best --json\n");

inline constexpr char kSweepExport[] = QT_TR_NOOP(
    "Writes each trial with its parameters, value, state, rung, device-hours and runs. JSON also has each\n"
    "trial's legs from rung to rung. --toml writes the sweep's file instead.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep export latest > trials.csv\n"
    "  batchscope sweep export latest --json -o trials.json\n"
    "  batchscope sweep export latest --toml -o again.toml\n");

inline constexpr char kSweepImport[] = QT_TR_NOOP(
    "Settings that have no counterpart here are named on standard error and left out. The file is refused "
    "if\n"
    "the search would be a different one without them.\n"
    "\n"
    "Example:\n"
    "  batchscope sweep import sweep.yaml -o my.toml\n");

inline constexpr char kSweepRemove[] = QT_TR_NOOP(
    "The sweep's runs are kept as ordinary runs; with --runs they go into the trash, as by `batchscope rm`.\n"
    "Asks for confirmation on a terminal.\n"
    "\n"
    "Examples:\n"
    "  batchscope sweep rm digits-lr\n"
    "  batchscope sweep rm digits-lr --runs --yes\n");

}  // namespace batchscope::cli::help
