// SPDX-License-Identifier: Apache-2.0
//
// The longer texts of the help: examples below each command's flags, and the topic of exit codes.
#pragma once

namespace batchscope::cli::help {

inline constexpr char kAbout[] =
    "batchscope: elastic training on one machine. Starts training programs under a supervisor, watches "
    "them,\n"
    "and restarts them on another number of replicas without losing a sample.\n"
    "RUN is \"latest\", or a unique prefix of a run's id or name.";

inline constexpr char kOverview[] =
    "Examples:\n"
    "  batchscope run digits --replicas 2\n"
    "  batchscope rescale latest 3\n"
    "  batchscope show latest\n"
    "\n"
    "More: batchscope COMMAND --help, batchscope help exit-codes.\n";

inline constexpr char kRun[] =
    "Ctrl-C stops the run with a checkpoint and says how to resume it; a second Ctrl-C leaves it alone.\n"
    "\n"
    "Events are {epoch|step|progress|elapsed}=X:{replicas=N|checkpoint|pause|stop}. Expectations are NAME OP "
    "VALUE with\n"
    "OP one of >= <= > < == != and NAME a series (its last value counts), or generations, epochs, replicas, "
    "step, state.\n"
    "\n"
    "Examples:\n"
    "  batchscope run digits --replicas 2 -- --epochs 4\n"
    "  batchscope run digits --replicas auto:1-4\n"
    "  batchscope run ./train.py --name baseline --detach\n"
    "  batchscope run --replicas 2 -- python3 train.py --lr 0.1\n"
    "  batchscope run --recipe digits --set epochs=8\n"
    "  batchscope run --headless digits --replicas 2 --at epoch=1:replicas=1 --at epoch=2:replicas=3 \\\n"
    "      --expect 'accuracy>=0.97' --timeout 10m --report report.json\n";

inline constexpr char kList[] = "Example:\n  batchscope ls --json\n";

inline constexpr char kShow[] =
    "Examples:\n"
    "  batchscope show latest\n"
    "  batchscope show digits --json\n";

inline constexpr char kRescale[] =
    "The replicas stop after the same step, write a checkpoint, and go on from the next sample.\n"
    "\n"
    "Example:\n"
    "  batchscope rescale latest 4\n"
    "  batchscope rescale latest auto:1-4    goodput chooses, until a number is asked for\n";

inline constexpr char kCheckpoint[] = "Example:\n  batchscope checkpoint latest\n";

inline constexpr char kPause[] =
    "The supervisor stays and keeps the run ready; `batchscope resume` goes on.\n"
    "\n"
    "Example:\n"
    "  batchscope pause latest\n";

inline constexpr char kResume[] =
    "Goes on from the newest good checkpoint of a run that was paused, stopped, failed or interrupted.\n"
    "\n"
    "Examples:\n"
    "  batchscope resume latest\n"
    "  batchscope resume 3f9a --replicas 4 --detach\n";

inline constexpr char kStop[] =
    "Nothing is lost: `batchscope resume` goes on from the checkpoint.\n"
    "\n"
    "Example:\n"
    "  batchscope stop latest\n";

inline constexpr char kAttach[] =
    "Ctrl-C only stops the watching; the run goes on.\n"
    "\n"
    "Example:\n"
    "  batchscope attach latest\n";

inline constexpr char kLogs[] =
    "Examples:\n"
    "  batchscope logs latest\n"
    "  batchscope logs -f latest\n"
    "  batchscope logs --since 10m latest\n"
    "  batchscope logs --replica 1 --generation 0 digits\n";

inline constexpr char kRemove[] =
    "Asks for confirmation on a terminal. A run that is active is not removed; stop it first.\n"
    "\n"
    "Examples:\n"
    "  batchscope rm 3f9a\n"
    "  batchscope rm --yes latest\n";

inline constexpr char kCopy[] =
    "The folders: share (what the program shared), tensorboard, checkpoints, logs.\n"
    "\n"
    "Examples:\n"
    "  batchscope cp latest:share/model.pt .\n"
    "  batchscope cp digits:tensorboard /tmp/events\n";

inline constexpr char kTensorboard[] = "Example:\n  batchscope tensorboard latest\n";

inline constexpr char kDoctor[] = "Example:\n  batchscope doctor\n";

inline constexpr char kExitCodes[] =
    "Exit codes\n"
    "    0  done; of run, resume and attach: the run finished, or ended in a state that --expect asked for\n"
    "    1  failure: the run failed or lost its supervisor, doctor found a problem, the system refused\n"
    "    2  usage: a flag, a value or a name that makes no sense\n"
    "    3  not found: no such run, program, recipe or log\n"
    "    4  conflict: the run is in no state for this, or somebody else holds it\n"
    "    5  an expectation of run --expect does not hold\n"
    "    6  time-out: of run --timeout, or a supervisor that did not answer\n"
    "    7  corrupt data, or data of a newer version\n"
    "  143  the run was stopped or paused after a checkpoint; batchscope resume goes on\n"
    "\n"
    "With --json an error is also printed as {\"error\":{\"kind\":..,\"message\":..}} on standard output, "
    "the kind being\n"
    "failure, usage, not_found, conflict, corrupt, version, timeout or io.\n";

}  // namespace batchscope::cli::help
