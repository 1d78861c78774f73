// SPDX-License-Identifier: Apache-2.0
//
// The longer texts of the help: examples below each command's flags, and the topic of exit codes.
#pragma once

namespace batchscope::cli::help {

inline constexpr char kAbout[] =
    "batchscope: elastic training on one machine. Starts training programs under a supervisor, watches\n"
    "them, and restarts them on another number of replicas without losing a sample.\n"
    "RUN is \"latest\", or a unique prefix of a run's id or name.";

inline constexpr char kOverview[] =
    "Examples:\n"
    "  batchscope run digits --replicas 2\n"
    "  batchscope rescale latest 3\n"
    "  batchscope show latest\n"
    "  batchscope submit digits --replicas 1-4\n"
    "  batchscope queue\n"
    "\n"
    "More: batchscope COMMAND --help, batchscope help exit-codes.\n";

inline constexpr char kRun[] =
    "Shows what replica 0 prints, and below it how far the run is; `batchscope logs` shows all replicas.\n"
    "Ctrl-C stops the run with a checkpoint and says how to resume it; a second Ctrl-C leaves it alone.\n"
    "\n"
    "Events are {epoch|step|iterations|elapsed}=X:{replicas=N|checkpoint|pause|stop}. Expectations are NAME\n"
    "OP VALUE with OP one of >= <= > < == != and NAME a series (its last value counts), or generations,\n"
    "epochs, replicas, step, state.\n"
    "\n"
    "Examples:\n"
    "  batchscope run digits --replicas 2 -- --epochs 4\n"
    "  batchscope run digits --replicas auto:1-4\n"
    "  batchscope run ./train --name baseline --group ablation --detach\n"
    "  batchscope run --replicas 2 train.py -- --lr 0.1          by $PYTHON, else /usr/bin/python3\n"
    "  batchscope run --replicas 2 -- python3 train.py --lr 0.1\n"
    "  batchscope run --recipe digits --set epochs=8\n"
    "  batchscope run examples/digits --set epochs=8            the recipe in this folder\n"
    "  batchscope run --headless digits --replicas 2 --at epoch=1:replicas=1 --at epoch=2:replicas=3 \\\n"
    "      --expect 'accuracy>=0.97' --timeout 10m --report report.json\n";

inline constexpr char kList[] =
    "A FILTER compares fields by = != < <= > >= ~ (contains) or !~, with and, or, not and parentheses.\n"
    "Fields are age, created, device, devices, duration, ended, epoch, epochs, fraction, group, id,\n"
    "message, name, note, program, replicas, restarts, state, step, sweep, tag, trial, the newest value of\n"
    "any series (loss, accuracy, goodput, ..), and hyperparameters; series:NAME and param:NAME tell the "
    "last\n"
    "two apart.\n"
    "Values: 0.97, 97%, 2h, 2026-05-03, finished, 'two words'.\n"
    "The trials of a sweep are one row, unless --trials is given, or FILTER, --sort or --columns name sweep\n"
    "or trial. With --json every run is listed.\n"
    "\n"
    "Examples:\n"
    "  batchscope ls --where 'accuracy>0.97 and replicas=2 and (tag=paper or name~digits)'\n"
    "  batchscope ls --where 'state=failed and age<2d' --columns id,name,message\n"
    "  batchscope ls --sort -accuracy --limit 10 --columns id,name,lr,batch_size,accuracy\n"
    "  batchscope ls --where sweep=digits-lr --sort -accuracy\n"
    "  batchscope ls --watch\n"
    "  batchscope ls --json --where 'group=ablation'\n";

inline constexpr char kShow[] =
    "Examples:\n"
    "  batchscope show latest\n"
    "  batchscope show latest --epochs\n"
    "  batchscope show latest --predictions\n"
    "  batchscope show digits --json\n";

inline constexpr char kRescale[] =
    "The replicas stop after the same step, write a checkpoint, and go on from the next sample.\n"
    "\n"
    "Examples:\n"
    "  batchscope rescale latest 4\n"
    "  batchscope rescale latest auto:1-4    goodput chooses, until you ask for a number\n"
    "  batchscope rescale latest --devices cpu:1    one replica, on that core\n";

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
    "  batchscope resume 3f9a --replicas 4 --detach\n"
    "  batchscope resume latest --devices cuda:0,cuda:1\n"
    "  batchscope resume latest --hang-timeout 5m --rescale-timeout 6m --checkpoint-timeout 6m\n";

inline constexpr char kFork[] =
    "The new run begins with the step after the checkpoint; the other one is left as it is, whether it\n"
    "trains or is finished. Arguments after \"--\" replace all arguments of the program.\n"
    "\n"
    "Examples:\n"
    "  batchscope fork latest\n"
    "  batchscope fork 3f9a --checkpoint 12 --name \"lr 0.01\" -- --lr 0.01\n"
    "  batchscope fork latest --checkpoint checkpoint-000003 --replicas 4 --detach\n";

inline constexpr char kNoise[] =
    "Starts the run's program once more from a copy of the checkpoint, on one replica, computes gradients "
    "of\n"
    "the initial batch size without a step, and tells the noise scale with its standard error beside what "
    "the\n"
    "run had recorded there. The run is left as it is, and nothing is recorded. For programs on the engine\n"
    "with AdaptiveDataParallel, in C++ or Python. Arguments after \"--\" replace all arguments of the "
    "program.\n"
    "\n"
    "Examples:\n"
    "  batchscope noise latest\n"
    "  batchscope noise 3f9a --checkpoint 12 --micro-batches 1000\n"
    "  batchscope noise latest --json\n";

inline constexpr char kStop[] =
    "Nothing is lost: `batchscope resume` goes on from the checkpoint.\n"
    "\n"
    "Example:\n"
    "  batchscope stop latest\n";

inline constexpr char kAttach[] =
    "Shows what replica 0 prints from now on, and below it how far the run is. Ctrl-C only stops the\n"
    "watching; the run goes on. For a run in the queue its place is shown, until it begins.\n"
    "\n"
    "Example:\n"
    "  batchscope attach latest\n";

inline constexpr char kLogs[] =
    "Examples:\n"
    "  batchscope logs latest\n"
    "  batchscope logs -f latest\n"
    "  batchscope logs --since 10m latest\n"
    "  batchscope logs --replica 1 --generation 0 digits\n";

inline constexpr char kDiff[] =
    "Compares how the runs were made, hyperparameters, generations and last values.\n"
    "\n"
    "Examples:\n"
    "  batchscope diff baseline latest\n"
    "  batchscope diff 3f9a 81cc --all --json\n";

inline constexpr char kPlot[] =
    "Restarts are marked by broken lines and the number of replicas after them. `--list` lists the charts "
    "of\n"
    "the window and the page, with the series that this run has of each; `batchscope show RUN` all series.\n"
    "\n"
    "Examples:\n"
    "  batchscope plot latest --list\n"
    "  batchscope plot latest loss\n"
    "  batchscope plot latest accuracy --x time --with baseline\n"
    "  batchscope plot latest throughput goodput --from 1000 --to 2000\n"
    "  batchscope plot latest loss --log --output loss.png --width 1600 --height 900\n";

inline constexpr char kTail[] =
    "Ends when the run no longer trains, or by Ctrl-C.\n"
    "\n"
    "Examples:\n"
    "  batchscope tail latest\n"
    "  batchscope tail latest loss gain -n 100 --once\n"
    "  batchscope tail latest accuracy --json\n";

inline constexpr char kTag[] =
    "Examples:\n"
    "  batchscope tag latest +paper -draft\n"
    "  batchscope ls --where tag=paper\n";

inline constexpr char kNote[] =
    "Examples:\n"
    "  batchscope note latest 'warm-up of 500 steps'\n"
    "  batchscope note latest - < notes.txt\n"
    "  batchscope note latest ''               clears it\n";

inline constexpr char kRename[] = "Example:\n  batchscope rename latest baseline\n";

inline constexpr char kExport[] =
    "jsonl and sqlite hold the whole record, and import reads it back exactly. Checkpoints, logs and event\n"
    "files are not part of it: batchscope cp copies those. csv has one line for each sample; tensorboard is\n"
    "a folder with an event file. Files of the run store are never overwritten.\n"
    "\n"
    "--follow appends to a file of jsonl what is new of the run, about once in a second, and begins where "
    "the\n"
    "file ends: started again it repeats nothing and leaves nothing out. It waits for a run that has "
    "stopped\n"
    "or failed to go on, goes on while one is paused, and ends when the run is finished, or when its\n"
    "supervisor has left it as stopped, failed or interrupted; SIGTERM and Ctrl-C end it as well, when all\n"
    "that is there has been written. The file is on disk with each checkpoint and at the end.\n"
    "\n"
    "Examples:\n"
    "  batchscope export latest --format csv\n"
    "  batchscope export latest --format csv --series loss -o - | head\n"
    "  batchscope export 3f9a --format sqlite -o digits.sqlite\n"
    "  batchscope export latest --format tensorboard -o events\n"
    "  batchscope export 3f9a --follow -o /shared/3f9a12bc/record.jsonl\n";

inline constexpr char kImport[] =
    "PATH is a file that export wrote, or what another experiment tracker has written:\n"
    "  TensorBoard  events.out.tfevents.*, or a folder above them: scalars and hyperparameters (hparams).\n"
    "               Files of one folder are one run, each of them a generation\n"
    "  CSV          FILE.csv: the first line names the columns; one called step, global_step, iteration,\n"
    "               iter or epoch has the steps (else rows count from 1), one called time, timestamp or\n"
    "               wall_time the time\n"
    "  W&B          wandb, or a folder run-DATE-ID in it: the .wandb file, config.yaml, wandb-summary.json\n"
    "               and wandb-metadata.json\n"
    "  MLflow       mlruns, or a folder EXPERIMENT/RUN in it: metrics, params, tags and meta.yaml\n"
    "The answer names what was not read, with its file and the reason. Imported again, a run gets what is\n"
    "new and nothing twice; --watch repeats this until Ctrl-C, and takes new runs below a folder as well.\n"
    "\n"
    "Where an exported run of that id exists already, it gets a new one. An imported run can be looked at "
    "and\n"
    "compared, but not resumed.\n"
    "\n"
    "--run-folder takes a run from a folder that several machines see, named by the run's id: run.json says\n"
    "what to start, record.jsonl is what export --follow wrote (none: a new run). The run keeps its id, and\n"
    "resume goes on from the newest checkpoint in the folder; checkpoints, logs and the replicas' common\n"
    "folder stay there, by links. Done again it takes what is new. Lines of the record that cannot be read\n"
    "are passed over and counted.\n"
    "\n"
    "Examples:\n"
    "  batchscope import digits-3f9a12bc.jsonl\n"
    "  batchscope import runs/**/events.out.tfevents.*\n"
    "  batchscope import --watch runs\n"
    "  batchscope import wandb mlruns results.csv\n"
    "  batchscope import --run-folder /shared/3f9a12bc\n";

inline constexpr char kFollow[] =
    "DIR holds the record.jsonl that export --follow writes where the run trains; HOST is one that ssh "
    "knows,\n"
    "and needs tail and no open port. A connection that breaks is tried again and goes on where it was: "
    "there\n"
    "are neither gaps nor repeats, also after Ctrl-C and another follow. The run appears here as any other,\n"
    "live, with the job that trains it or waits to, why it waits and when it is expected to start. What is\n"
    "asked of it, such as rescale, stop, hold, cancel and resume, is handed to where it trains, over ssh as "
    "well\n"
    "(where batchscope is in PATH there); ControlMaster in ~/.ssh/config spares a login each time. Ends when "
    "the\n"
    "run has ended, or at Ctrl-C, which leaves it alone. BATCHSCOPE_SSH names another program than ssh;\n"
    "BATCHSCOPE_SLURM_INTERVAL says how often Slurm is asked while a job waits, in seconds; default: 5.\n"
    "\n"
    "Examples:\n"
    "  batchscope follow /shared/runs/3f9a12bc\n"
    "  batchscope follow login.cluster:/scratch/me/runs/3f9a12bc\n";

inline constexpr char kSql[] =
    "Nothing can be changed. Tables: run, generation, epoch, event, checkpoint, hyperparameter, latest,\n"
    "tag, ledger, .. (storage/FORMAT.md), and with --run also sample (run, series, generation, step,\n"
    "value), where NULL is NaN. Joined by step, samples are looked up step by step. Ctrl-C and --timeout\n"
    "end any query.\n"
    "\n"
    "Examples:\n"
    "  batchscope sql \"SELECT id, name, state FROM run WHERE removed = 0\"\n"
    "  batchscope sql --run latest \"SELECT generation, avg(value) FROM sample WHERE series = 'loss'\n"
    "      GROUP BY 1\"\n"
    "  batchscope sql --run latest \"SELECT a.step, a.value, b.value FROM sample a JOIN sample b\n"
    "      USING (run, generation, step) WHERE a.series = 'loss' AND b.series = 'gain'\" --timeout 30s\n"
    "  batchscope sql --csv \"SELECT * FROM event\" > events.csv\n";

inline constexpr char kCompact[] =
    "Rewrites the samples of runs that do not train, and frees the space that is no longer used.\n"
    "\n"
    "Examples:\n"
    "  batchscope compact\n"
    "  batchscope compact latest\n";

inline constexpr char kBackup[] =
    "The catalogue and all series, each as of one moment; no checkpoints and no logs.\n"
    "\n"
    "Example:\n"
    "  batchscope backup /mnt/backup/batchscope-monday\n";

inline constexpr char kRemove[] =
    "A run in the trash stays complete; batchscope gc deletes it after 30 days. An active run has to be\n"
    "stopped first. --purge asks for confirmation on a terminal.\n"
    "\n"
    "Examples:\n"
    "  batchscope rm 3f9a\n"
    "  batchscope ls --trash\n"
    "  batchscope rm --purge --yes latest\n";

inline constexpr char kRestore[] =
    "Example:\n"
    "  batchscope restore latest        the run that was removed last\n";

inline constexpr char kCollect[] =
    "Says what it would delete and asks on a terminal. The folder of a run that the catalogue does not list\n"
    "is left alone: batchscope adopt adds it to the list, and batchscope rm --purge then deletes it.\n"
    "\n"
    "Examples:\n"
    "  batchscope gc --dry-run\n"
    "  batchscope gc --days 7 --checkpoints --yes\n";

inline constexpr char kAdopt[] =
    "If the catalogue is lost, the next command makes a new one from the runs' folders; this is for folders\n"
    "that came later, or that were missed. Tags, notes, events and hyperparameters are lost.\n"
    "\n"
    "Examples:\n"
    "  batchscope adopt\n"
    "  batchscope adopt k3v90abc\n";

inline constexpr char kCopy[] =
    "The folders: share (what the program shared), tensorboard, checkpoints, logs.\n"
    "\n"
    "Examples:\n"
    "  batchscope cp latest:share/model.pt .\n"
    "  batchscope cp digits:tensorboard /tmp/events\n"
    "  batchscope cp latest:share/metrics.json -          to standard output\n";

inline constexpr char kServeAbout[] = "Show the runs in a browser, also one on another machine";
inline constexpr char kServe[] =
    "Prints an address with a token, which keeps everybody else out, and serves until Ctrl-C. On another\n"
    "machine, type the ssh line that it prints, and open the same address there. A server that is\n"
    "started again has the same token.\n"
    "\n"
    "Examples:\n"
    "  batchscope serve --open\n"
    "  batchscope serve --read-only --port 0\n"
    "  batchscope serve --metrics-port 9471                 http://localhost:9471/metrics for Prometheus\n"
    "  batchscope serve --socket ~/.batchscope/web.sock     ssh -L 8471:PATH reaches it\n"
    "  batchscope serve --listen 0.0.0.0 --host-name lab7 --certificate lab7.pem --key lab7.key\n";

inline constexpr char kTensorboard[] =
    "Several runs are compared under their names.\n"
    "\n"
    "Examples:\n"
    "  batchscope tensorboard latest\n"
    "  batchscope tensorboard baseline latest --port 7007\n";

inline constexpr char kDoctor[] =
    "Examples:\n"
    "  batchscope doctor\n"
    "  batchscope doctor --store        checks every file of the store against its checksums\n"
    "  batchscope doctor --tighten      0700 for the store's folders, 0600 for its files\n"
    "  batchscope doctor --slurm --folder /scratch/me    holds two jobs for a moment, and cancels them\n";

inline constexpr char kSubmit[] =
    "The run waits for its turn, then trains by itself; the terminal may be closed. The runs of the queue\n"
    "share the devices by goodput: `batchscope queue` says which get more, which get fewer, which are\n"
    "paused for a turn, and why. A device is a GPU, or a core with one thread, and each replica has one.\n"
    "A run whose turn has come gets devices even if others lose some; with --pin it keeps them until it\n"
    "ends.\n"
    "\n"
    "Examples:\n"
    "  batchscope submit digits -- --epochs 20\n"
    "  for lr in 0.01 0.03 0.1; do batchscope submit digits --name lr-$lr --group rates -- --lr $lr; done\n"
    "  batchscope submit --recipe digits --set epochs=8 --replicas 1-4 --priority 2\n"
    "  batchscope submit ./train.py --replicas 2 --after latest\n"
    "  batchscope submit --hold digits; batchscope release latest\n"
    "\n"
    "With --slurm the run goes to a cluster: its folder is made on a file system that the nodes share, and "
    "a\n"
    "script there is submitted by sbatch. Each job of the run submits the next, which waits until it has "
    "ended,\n"
    "so that the run goes on after time limits, preemption and lost nodes, from its last checkpoint.\n"
    "It is followed then, as `batchscope follow` does; Ctrl-C leaves it alone. `batchscope doctor --slurm` "
    "says\n"
    "what the site allows.\n"
    "  batchscope submit --slurm digits --print\n"
    "  batchscope submit --slurm=gpu ./train --nodes 1-4 --gpus-per-node 2 --time 12:00:00 --folder "
    "/scratch/me\n"
    "  batchscope slurm-job /scratch/me/ID -- show latest     and rescale, checkpoint, stop, ..\n"
    "  scancel --name batchscope-ID                           ends the run; its next job, too\n";

inline constexpr char kSlurmJob[] =
    "The script of each job of a run calls it. Behind \"--\" it is for people: a command of batchscope about "
    "the\n"
    "run, carried out by `srun --overlap` where it trains, from any machine that shares its folder. A "
    "rescale to\n"
    "more replicas than the job's nodes have room for ends the job with a checkpoint, and the next gets "
    "more\n"
    "nodes, up to those that `batchscope submit --nodes` said. While it waits, stop and cancel end it, hold "
    "and\n"
    "release do what Slurm calls so, and resume submits it where it has no job.\n"
    "\n"
    "Examples:\n"
    "  batchscope slurm-job /scratch/me/k3v90abc -- show latest\n"
    "  batchscope slurm-job /scratch/me/k3v90abc -- rescale latest 4\n"
    "  batchscope slurm-job /scratch/me/k3v90abc -- stop latest\n";

inline constexpr char kQueue[] =
    "Ordered by priority, then by when they were submitted.\n"
    "REPLICAS: what a run has -> what the pool wants it to have; in parentheses what it asks for. LEFT: the\n"
    "time until it ends, where that can be estimated. Below each run the pool says why.\n"
    "Trials that wait at a rung of their sweep, or have ended, are one row a sweep; --trials lists them.\n"
    "\n"
    "Examples:\n"
    "  batchscope queue\n"
    "  batchscope queue --watch\n"
    "  batchscope queue --all --json\n";

inline constexpr char kPool[] =
    "Without a setting it shows them, and the last decision: DEVICES that each run is to have, how many it\n"
    "had BEFORE, and WHY: worth (what it gains by them), turn (it had waited long enough), fixed (it keeps\n"
    "its own), waits, impossible. The pool is a process that starts and ends by itself, as there is\n"
    "something to decide.\n"
    "\n"
    "Examples:\n"
    "  batchscope pool\n"
    "  batchscope pool --policy fast\n"
    "  batchscope pool --policy sia            as a published scheduler would share them\n"
    "  batchscope pool --devices 2             leave the other devices to others\n"
    "  batchscope pool --drain                 start nothing new, for example before a shutdown\n"
    "  batchscope pool --decisions 3\n"
    "  batchscope pool --price 0.9 --scale-command ./machines.sh\n"
    "  batchscope pool --advise --json\n";

inline constexpr char kCancel[] =
    "A run that waits leaves the queue; one that trains stops with a checkpoint, and `batchscope resume`\n"
    "goes on.\n"
    "\n"
    "Examples:\n"
    "  batchscope cancel latest\n"
    "  batchscope cancel 3f9a 81cc\n";

inline constexpr char kHold[] =
    "One that trains is paused with a checkpoint, and its devices go to others.\n"
    "\n"
    "Example:\n"
    "  batchscope hold 3f9a 81cc\n";

inline constexpr char kRelease[] = "Example:\n  batchscope release 3f9a 81cc\n";

inline constexpr char kPriority[] =
    "Examples:\n"
    "  batchscope priority 3f9a 5\n"
    "  batchscope priority latest -3\n";

inline constexpr char kSimulateAbout[] = "What a workload would take under a policy";
inline constexpr char kSimulate[] =
    "How long a workload would take under each policy, computed without any device. Policies that give jobs\n"
    "what they asked for: fifo (in order, nobody is stopped), las or tiresias (least attained service\n"
    "first), srtf (shortest remaining time first), optimus (devices where they save most time). By goodput:\n"
    "pollux, sia, adaptdl, and ours: fair, and fast, which prefers jobs with little work left.\n"
    "\n"
    "WORKLOAD has lines name,time,application,num_replicas,batch_size; DIR a folder for each application\n"
    "with placements.csv (placement,local_bsz,step_time,sync_time) and a validation-B.csv\n"
    "(progress,iteration,grad_sqr,grad_var) for each batch size B measured, an epoch a line; times in\n"
    "seconds, and if they are there scalability.csv, limits.csv and between.csv (tools/pollux_profiles.py\n"
    "says what these are). Placements that were not measured are refused, unless --interpolate is given.\n"
    "Worst fairness: how many times as long as with a fair share of the devices the worst-served job takes.\n"
    "\n"
    "With --profiles runs:GROUP the jobs are the runs of that group, each submitted when it was made, with\n"
    "the performance model, gradient statistics and epochs that it has recorded; a run that waits has the\n"
    "profile of another of the same program. That answers: what if I had four GPUs, or another policy?\n"
    "A scenario (examples/simulation/scenario.toml is one) keeps workload, profiles, policies and the rest,\n"
    "with claims such as \"fast.mean_jct < 0.9 * fifo.mean_jct\"; measures are those of --json.\n"
    "\n"
    "Examples:\n"
    "  batchscope simulate workload.csv --profiles profiles\n"
    "  batchscope simulate workload.csv --profiles profiles --policy fifo,pollux,fast --nodes 2 --gpus 8\n"
    "  batchscope simulate workload.csv --profiles profiles --policy fair --gantt fair.svg\n"
    "  batchscope simulate --profiles runs:night --gpus 4 --policy fifo,fair,fast\n"
    "  batchscope simulate scenario.toml --expect 'fast.worst_fairness < 2'\n";

inline constexpr char kCompletion[] =
    "Names of runs, series and fields are completed as they are at that moment.\n"
    "\n"
    "Examples:\n"
    "  source <(batchscope completion bash)                  for this shell; in ~/.bashrc for all\n"
    "  batchscope completion zsh > ~/.zfunc/_batchscope      a folder of fpath\n"
    "  batchscope completion fish > ~/.config/fish/completions/batchscope.fish\n";

inline constexpr char kExitCodes[] =
    "Exit codes\n"
    "    0  done; of run, resume and attach: the run finished, or ended in a state that --expect asked for;\n"
    "       of sweep run: all trials are done\n"
    "    1  failure: the run or sweep failed or lost its supervisor, doctor found a problem, or the system\n"
    "       refused, for example because a disk is full\n"
    "    2  usage: a flag, a value or a name that makes no sense\n"
    "    3  not found: no such run, program, recipe or log\n"
    "    4  conflict: the state of the run does not allow it, or something else holds what it needs\n"
    "    5  an expectation of run or simulate --expect does not hold\n"
    "    6  time-out: of run --timeout or sql --timeout, or a supervisor that did not answer\n"
    "    7  corrupt data, or data of a newer version\n"
    "  130  Ctrl-C; what export, import or backup had written is removed (143 and 129 by SIGTERM\n"
    "       and SIGHUP)\n"
    "  143  the run or sweep was stopped or paused after a checkpoint; batchscope resume, or sweep resume,\n"
    "       goes on\n"
    "\n"
    "With --json an error is also printed as {\"error\":{\"kind\":..,\"message\":..}} on standard output,\n"
    "the kind being failure, usage, not_found, conflict, corrupt, version, timeout or io.\n";

}  // namespace batchscope::cli::help
