// SPDX-License-Identifier: Apache-2.0
//
// The longer texts of the help: examples below each command's flags, and the topic of exit codes.
#pragma once

#include <QtGlobal>

namespace batchscope::cli::help {

inline constexpr char kAbout[] = QT_TR_NOOP(
    "batchscope: elastic training on one machine. Starts training programs under a supervisor, watches\n"
    "them, and restarts them on another number of replicas without losing a sample.\n"
    "RUN is \"latest\", or a unique prefix of a run's id or name.");

inline constexpr char kOverview[] = QT_TR_NOOP(
    "Examples:\n"
    "  batchscope run digits --replicas 2\n"
    "  batchscope rescale latest 3\n"
    "  batchscope show latest\n"
    "  batchscope submit digits --replicas 1-4\n"
    "  batchscope queue\n"
    "\n"
    "More: batchscope COMMAND --help, batchscope help exit-codes.\n");

inline constexpr char kRun[] = QT_TR_NOOP(
    "Prints what replica 0 prints, and below it the run's progress. `batchscope logs` has all replicas.\n"
    "Ctrl-C stops the run with a checkpoint and says how to resume it. A second Ctrl-C does not wait for\n"
    "the checkpoint and leaves the run to its supervisor.\n"
    "\n"
    "EVENT of --at is {epoch|step|iterations|elapsed}=X:{replicas=N|checkpoint|pause|stop}. CLAIM of "
    "--expect\n"
    "is NAME OP VALUE. OP is one of >= <= > < == !=. NAME is a series, of which the last value counts, or\n"
    "generations, epochs, replicas, step or state.\n"
    "\n"
    "The shell calls CMD of --notify with a sentence as its last argument, and with the details as JSON in\n"
    "$BATCHSCOPE_NOTICE. To a URL the same JSON is posted. Put a secret URL into $BATCHSCOPE_NOTIFY, "
    "because\n"
    "the run's record keeps what is given here.\n"
    "\n"
    "Examples:\n"
    "  batchscope run digits --replicas 2 -- --epochs 4\n"
    "  batchscope run digits --replicas auto:1-4\n"
    "  batchscope run ./train --name baseline --group ablation --detach\n"
    "  batchscope run --replicas 2 train.py -- --lr 0.1          run by $PYTHON, else /usr/bin/python3\n"
    "  batchscope run --replicas 2 -- python3 train.py --lr 0.1\n"
    "  batchscope run digits --replicas auto:1-4 --cores 1      a core each: 4 replicas have 4 cores\n"
    "  batchscope run --device cuda --devices-per-replica 2 ./train    a model on two GPUs\n"
    "  batchscope run --notify 'notify-send BatchScope' ./train\n"
    "  BATCHSCOPE_NODES=2 BATCHSCOPE_NODE_COMMAND='batchscope-node each n2' batchscope run --tls ./train\n"
    "  batchscope run --recipe digits --set epochs=8\n"
    "  batchscope run examples/digits --set epochs=8            the recipe in this folder\n"
    "  batchscope run --headless digits --replicas 2 --at epoch=1:replicas=1 --at epoch=2:replicas=3 \\\n"
    "      --expect 'accuracy>=0.97' --timeout 10m --report report.json\n");

inline constexpr char kList[] = QT_TR_NOOP(
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
    "  batchscope ls --json --where 'group=ablation'\n");

inline constexpr char kShow[] = QT_TR_NOOP(
    "Examples:\n"
    "  batchscope show latest\n"
    "  batchscope show latest --epochs\n"
    "  batchscope show latest --predictions\n"
    "  batchscope show digits --json\n");

inline constexpr char kRescale[] = QT_TR_NOOP(
    "The replicas stop after the same step, write a checkpoint, and go on from the next sample.\n"
    "\n"
    "Examples:\n"
    "  batchscope rescale latest 4\n"
    "  batchscope rescale latest auto:1-4    goodput chooses, until you ask for a number\n"
    "  batchscope rescale latest --devices cpu:1    one replica, on that core\n");

inline constexpr char kCheckpoint[] = QT_TR_NOOP("Example:\n  batchscope checkpoint latest\n");

inline constexpr char kPause[] = QT_TR_NOOP(
    "The supervisor keeps running. `batchscope resume` continues the run.\n"
    "\n"
    "Example:\n"
    "  batchscope pause latest\n");

inline constexpr char kResume[] = QT_TR_NOOP(
    "Continues a run that was paused, stopped, failed or interrupted, from its newest good checkpoint.\n"
    "\n"
    "Examples:\n"
    "  batchscope resume latest\n"
    "  batchscope resume 3f9a --replicas 4 --detach\n"
    "  batchscope resume latest --devices cuda:0,cuda:1\n"
    "  batchscope resume latest --hang-timeout 5m --rescale-timeout 6m --checkpoint-timeout 6m\n");

inline constexpr char kFork[] = QT_TR_NOOP(
    "The new run begins with the step after the checkpoint. The other run is not changed, and may be "
    "training\n"
    "or finished. Arguments after \"--\" replace all arguments of the program.\n"
    "\n"
    "Examples:\n"
    "  batchscope fork latest\n"
    "  batchscope fork 3f9a --checkpoint 12 --name \"lr 0.01\" -- --lr 0.01\n"
    "  batchscope fork latest --checkpoint checkpoint-000003 --replicas 4 --detach\n");

inline constexpr char kNoise[] = QT_TR_NOOP(
    "Starts the run's program from a copy of the checkpoint, on one replica, and computes gradients of the\n"
    "initial batch size without taking a step. Prints the noise scale with its standard error, and beside "
    "it\n"
    "the value that the run recorded there. The run is not changed and nothing is recorded. The program "
    "must\n"
    "use AdaptiveDataParallel, in C++ or Python. Arguments after \"--\" replace all arguments of the "
    "program.\n"
    "\n"
    "Examples:\n"
    "  batchscope noise latest\n"
    "  batchscope noise 3f9a --checkpoint 12 --micro-batches 1000\n"
    "  batchscope noise latest --json\n");

inline constexpr char kBranch[] = QT_TR_NOOP(
    "Puts one run for each batch size into the queue. Each begins at a copy of the checkpoint, keeps its "
    "batch\n"
    "size, gets its learning rate by the program's scaling rule, and trains over the same samples in the "
    "same\n"
    "order. Then their losses over the last quarter of the samples are compared, block by block. The "
    "largest\n"
    "size whose loss is within the tolerance of the smallest size's is the critical batch size: up to it,\n"
    "larger batches cost no samples. The run itself is not changed, but for the series critical_batch_size,\n"
    "which the chart of the noise scale shows. The program must loop over an AdaptiveDataLoader, in C++ or\n"
    "Python, and record its loss at each step. Arguments after \"--\" replace all arguments of the program.\n"
    "\n"
    "Examples:\n"
    "  batchscope branch latest --batch-sizes 32..1024 --samples 65536\n"
    "  batchscope branch 3f9a --checkpoint 12 --batch-sizes 64,128,192 --samples 20000 --tolerance 0.02\n"
    "  batchscope branch 3f9a --show\n"
    "  batchscope plot 3f9a noise_scale batch_size critical_batch_size --x progress --log\n");

inline constexpr char kStop[] = QT_TR_NOOP(
    "Nothing is lost: `batchscope resume` continues from the checkpoint.\n"
    "\n"
    "Example:\n"
    "  batchscope stop latest\n");

inline constexpr char kAttach[] = QT_TR_NOOP(
    "Prints what replica 0 prints from now on, and below it the run's progress. A run in the queue shows "
    "its\n"
    "place until it begins. Ctrl-C ends the watching; the run goes on.\n"
    "\n"
    "Example:\n"
    "  batchscope attach latest\n");

inline constexpr char kLogs[] = QT_TR_NOOP(
    "Examples:\n"
    "  batchscope logs latest\n"
    "  batchscope logs -f latest\n"
    "  batchscope logs --since 10m latest\n"
    "  batchscope logs --replica 1 --generation 0 digits\n");

inline constexpr char kDiff[] = QT_TR_NOOP(
    "Compares hyperparameters, generations, last values, and how the runs were started.\n"
    "\n"
    "Examples:\n"
    "  batchscope diff baseline latest\n"
    "  batchscope diff 3f9a 81cc --all --json\n");

inline constexpr char kPlot[] = QT_TR_NOOP(
    "Broken lines mark restarts; the number behind a line is the number of replicas after it. `--list` "
    "lists\n"
    "the charts of the window and the page, with the series of each that this run has recorded. `batchscope\n"
    "show RUN` lists all series.\n"
    "\n"
    "Examples:\n"
    "  batchscope plot latest --list\n"
    "  batchscope plot latest loss\n"
    "  batchscope plot latest accuracy --x time --with baseline\n"
    "  batchscope plot latest throughput goodput --from 1000 --to 2000\n"
    "  batchscope plot latest loss --log --output loss.png --width 1600 --height 900\n");

inline constexpr char kTail[] = QT_TR_NOOP(
    "Ends when the run no longer trains, or at Ctrl-C.\n"
    "\n"
    "Examples:\n"
    "  batchscope tail latest\n"
    "  batchscope tail latest loss gain -n 100 --once\n"
    "  batchscope tail latest accuracy --json\n");

inline constexpr char kTag[] = QT_TR_NOOP(
    "Examples:\n"
    "  batchscope tag latest +paper -draft\n"
    "  batchscope ls --where tag=paper\n");

inline constexpr char kNote[] = QT_TR_NOOP(
    "Examples:\n"
    "  batchscope note latest 'warm-up of 500 steps'\n"
    "  batchscope note latest - < notes.txt\n"
    "  batchscope note latest ''               clears it\n");

inline constexpr char kRename[] = QT_TR_NOOP("Example:\n  batchscope rename latest baseline\n");

inline constexpr char kExport[] = QT_TR_NOOP(
    "jsonl and sqlite hold the whole record, and `batchscope import` reads it back exactly. csv has one "
    "line\n"
    "for each sample. tensorboard is a folder with an event file. No format holds checkpoints, logs or the\n"
    "run's own event files: `batchscope cp` copies those. Files of the run store are never overwritten.\n"
    "\n"
    "html is the page of `batchscope serve` with the run's data, in one file that opens in a browser "
    "without\n"
    "server or network: charts, goodput explorer, events, generations, checkpoints and hyperparameters as\n"
    "they were recorded by then, with the run's name, group, tags and note. It holds no token, program,\n"
    "argument, environment variable, or name of a folder or a machine, unless one of these texts or a "
    "series\n"
    "names it. A line has at most 4,000 points, each with the lowest, mean and highest of its samples, and\n"
    "fewer where a run has very many series: the file has about 4 MB at most, and its page says how many.\n"
    "\n"
    "--follow appends new records to a jsonl file about once a second, beginning where the file ends. When\n"
    "started again, it repeats nothing and leaves nothing out. It waits while the run is paused, and while "
    "the\n"
    "supervisor may still continue a run that stopped or failed. It ends when the run is finished, or when "
    "the\n"
    "supervisor has left it stopped, failed or interrupted. SIGTERM and Ctrl-C end it after everything "
    "recorded\n"
    "so far has been written. The file is synced to disk at each checkpoint and at the end.\n"
    "\n"
    "Examples:\n"
    "  batchscope export latest --format csv\n"
    "  batchscope export latest --format csv --series loss -o - | head\n"
    "  batchscope export 3f9a --format sqlite -o digits.sqlite\n"
    "  batchscope export latest --format tensorboard -o events\n"
    "  batchscope export latest --format html -o digits.html\n"
    "  batchscope export 3f9a --follow -o /shared/3f9a12bc/record.jsonl\n");

inline constexpr char kImport[] = QT_TR_NOOP(
    "PATH is a file that `batchscope export` wrote, or what another experiment tracker wrote:\n"
    "  TensorBoard  events.out.tfevents.*, or a folder above them: scalars and hyperparameters (hparams).\n"
    "               The files of one folder are one run, and each file is a generation\n"
    "  CSV          FILE.csv: the first line names the columns. Steps are in the column step, global_step,\n"
    "               iteration, iter or epoch (without one, rows count from 1), times in the column time,\n"
    "               timestamp or wall_time\n"
    "  W&B          wandb, or a folder run-DATE-ID in it: the .wandb file, config.yaml, wandb-summary.json\n"
    "               and wandb-metadata.json\n"
    "  MLflow       mlruns, or a folder EXPERIMENT/RUN in it: metrics, params, tags and meta.yaml\n"
    "The answer names each thing that was not read, with its file and the reason. Importing a path again "
    "adds\n"
    "what is new and repeats nothing. --watch does so until Ctrl-C, and also takes new runs below a folder.\n"
    "\n"
    "An exported run keeps its id, or gets a new one where a run with that id exists. Imported runs can be\n"
    "shown and compared, but not resumed.\n"
    "\n"
    "--run-folder takes a run from a shared folder that is named by the run's id. Its run.json says what to\n"
    "start; its record.jsonl was written by `batchscope export --follow` (without it the run is new). The "
    "run\n"
    "keeps its id, and `batchscope resume` continues from the newest checkpoint in the folder. Checkpoints,\n"
    "logs and the replicas' common folder stay there and are linked. Importing the folder again adds what "
    "is\n"
    "new. Lines of the record that cannot be read are skipped and counted.\n"
    "\n"
    "Examples:\n"
    "  batchscope import digits-3f9a12bc.jsonl\n"
    "  batchscope import runs/**/events.out.tfevents.*\n"
    "  batchscope import --watch runs\n"
    "  batchscope import wandb mlruns results.csv\n"
    "  batchscope import --run-folder /shared/3f9a12bc\n");

inline constexpr char kFollow[] = QT_TR_NOOP(
    "DIR holds the record.jsonl that `batchscope export --follow` writes where the run trains. HOST is a "
    "name\n"
    "that ssh knows; it needs the program tail, but no open port. A broken connection is tried again and\n"
    "continues without gaps or repeats, and so does a second `batchscope follow` after Ctrl-C.\n"
    "\n"
    "The run appears here live, like any other, with its Slurm job: why the job waits and when it is "
    "expected\n"
    "to start. Commands such as rescale, stop, hold, cancel and resume are handed to the machine where the "
    "run\n"
    "trains, over ssh if need be (batchscope must be in PATH there). ControlMaster in ~/.ssh/config saves a\n"
    "login each time. The command ends when the run has ended, or at Ctrl-C, which leaves the run alone.\n"
    "\n"
    "BATCHSCOPE_SSH names a program to use instead of ssh. BATCHSCOPE_SLURM_INTERVAL is the number of "
    "seconds\n"
    "between questions to Slurm while a job waits; default: 5.\n"
    "\n"
    "Examples:\n"
    "  batchscope follow /shared/runs/3f9a12bc\n"
    "  batchscope follow login.cluster:/scratch/me/runs/3f9a12bc\n");

inline constexpr char kSql[] = QT_TR_NOOP(
    "Queries cannot change the store. Tables: run, generation, epoch, event, checkpoint, hyperparameter,\n"
    "latest, tag, ledger and others (storage/FORMAT.md). --run adds the table sample (run, series,\n"
    "generation, step, value), in which NULL is NaN. Joins of samples by step are fast. Ctrl-C and "
    "--timeout\n"
    "end any query.\n"
    "\n"
    "Examples:\n"
    "  batchscope sql \"SELECT id, name, state FROM run WHERE removed = 0\"\n"
    "  batchscope sql --run latest \"SELECT generation, avg(value) FROM sample WHERE series = 'loss'\n"
    "      GROUP BY 1\"\n"
    "  batchscope sql --run latest \"SELECT a.step, a.value, b.value FROM sample a JOIN sample b\n"
    "      USING (run, generation, step) WHERE a.series = 'loss' AND b.series = 'gain'\" --timeout 30s\n"
    "  batchscope sql --csv \"SELECT * FROM event\" > events.csv\n");

inline constexpr char kCompact[] = QT_TR_NOOP(
    "Rewrites the samples of runs that do not train, and frees unused space.\n"
    "\n"
    "Examples:\n"
    "  batchscope compact\n"
    "  batchscope compact latest\n");

inline constexpr char kBackup[] = QT_TR_NOOP(
    "Copies the catalogue and all series, each as of one moment, without checkpoints and logs.\n"
    "\n"
    "Example:\n"
    "  batchscope backup /mnt/backup/batchscope-monday\n");

inline constexpr char kRemove[] = QT_TR_NOOP(
    "A run in the trash stays complete until `batchscope gc` deletes it after 30 days. Stop an active run\n"
    "first. --purge asks for confirmation on a terminal.\n"
    "\n"
    "Examples:\n"
    "  batchscope rm 3f9a\n"
    "  batchscope ls --trash\n"
    "  batchscope rm --purge --yes latest\n");

inline constexpr char kRestore[] = QT_TR_NOOP(
    "Example:\n"
    "  batchscope restore latest        the run that was removed last\n");

inline constexpr char kCollect[] = QT_TR_NOOP(
    "Prints what it would delete, and asks on a terminal. Folders of runs that the catalogue does not list\n"
    "are kept: `batchscope adopt` lists such a run, and `batchscope rm --purge` then deletes it.\n"
    "\n"
    "Examples:\n"
    "  batchscope gc --dry-run\n"
    "  batchscope gc --days 7 --checkpoints --yes\n");

inline constexpr char kAdopt[] = QT_TR_NOOP(
    "Lists runs whose folders were added or missed after the catalogue was made. If the catalogue itself is\n"
    "lost, you need not call this: the next command makes a new one from the runs' folders. Tags, notes,\n"
    "events and hyperparameters of adopted runs are lost.\n"
    "\n"
    "Examples:\n"
    "  batchscope adopt\n"
    "  batchscope adopt k3v90abc\n");

inline constexpr char kCopy[] = QT_TR_NOOP(
    "PATH begins with one of the folders share (what the program shared), tensorboard, checkpoints and "
    "logs.\n"
    "\n"
    "Examples:\n"
    "  batchscope cp latest:share/model.pt .\n"
    "  batchscope cp digits:tensorboard /tmp/events\n"
    "  batchscope cp latest:share/metrics.json -          to standard output\n");

inline constexpr char kServeAbout[] = QT_TR_NOOP("Show the runs in a browser, on this machine or another");
inline constexpr char kServe[] = QT_TR_NOOP(
    "Prints an address with a token, and serves until Ctrl-C. Nobody gets in without the token. To look "
    "from\n"
    "another machine, type the ssh line that is printed there, and open the same address. The token stays\n"
    "the same when the server is started again.\n"
    "\n"
    "Examples:\n"
    "  batchscope serve --open\n"
    "  batchscope serve --read-only --port 0\n"
    "  batchscope serve --token anna --token ben:control    an address for each of them\n"
    "  batchscope serve link latest                         one run, for a day\n"
    "  batchscope serve --metrics-port 9471                 http://localhost:9471/metrics for Prometheus\n"
    "  batchscope serve --socket ~/.batchscope/web.sock     ssh -L 8471:PATH reaches it\n"
    "  batchscope serve --listen 0.0.0.0 --host-name lab7 --certificate lab7.pem --key lab7.key\n");

inline constexpr char kServeTokensAbout[] = QT_TR_NOOP("List, make and revoke the tokens of other people");
inline constexpr char kServeTokens[] = QT_TR_NOOP(
    "Each token has a name and lets one person in: to look, or to control runs as their owner can. A "
    "running\n"
    "server applies a change at once. Only --add prints a token's secret; the list does not show it.\n"
    "\n"
    "Examples:\n"
    "  batchscope serve tokens\n"
    "  batchscope serve tokens --add anna --add ben:control\n"
    "  batchscope serve tokens --revoke anna\n");

inline constexpr char kServeLinkAbout[] = QT_TR_NOOP("Make a link that shows one run, for a day");
inline constexpr char kServeLink[] = QT_TR_NOOP(
    "Whoever has the link can look at this run and its log, and at nothing else. The link cannot change the\n"
    "run, and expires. `batchscope serve tokens` lists links, and revokes them by name.\n"
    "\n"
    "Examples:\n"
    "  batchscope serve link latest\n"
    "  batchscope serve link k3v9 --hours 2\n");

inline constexpr char kTensorboard[] = QT_TR_NOOP(
    "TensorBoard shows several runs under their names.\n"
    "\n"
    "Examples:\n"
    "  batchscope tensorboard latest\n"
    "  batchscope tensorboard baseline latest --port 7007\n");

inline constexpr char kDoctor[] = QT_TR_NOOP(
    "Examples:\n"
    "  batchscope doctor\n"
    "  batchscope doctor --store        checks every file of the store against its checksums\n"
    "  batchscope doctor --tighten      0700 for the store's folders, 0600 for its files\n"
    "  batchscope doctor --slurm --folder /scratch/me    holds two jobs for a moment, and cancels them\n");

inline constexpr char kSimulateAbout[] =
    QT_TR_NOOP("Compute how long a workload would take under each policy");
inline constexpr char kSimulate[] = QT_TR_NOOP(
    "Computes, without any device, how long a workload would take under each policy.\n"
    "Policies that give each job the devices it asked for: fifo (in order; no job is stopped), las or "
    "tiresias\n"
    "(least attained service first), srtf (shortest remaining time first), optimus (devices go where they "
    "save\n"
    "the most time). Policies by goodput: pollux, sia, adaptdl, and BatchScope's fair and fast, which "
    "prefers\n"
    "jobs with little work left.\n"
    "\n"
    "WORKLOAD is a CSV file with the columns name,time,application,num_replicas,batch_size. DIR holds a "
    "folder\n"
    "for each application, with placements.csv (placement,local_bsz,step_time,sync_time) and, for each "
    "measured\n"
    "batch size B, validation-B.csv (progress,iteration,grad_sqr,grad_var; a line for each epoch). Times are "
    "in\n"
    "seconds. Optional files are scalability.csv, limits.csv and between.csv (see "
    "tools/pollux_profiles.py).\n"
    "Placements that were not measured are refused, unless --interpolate is given. Worst fairness: the time\n"
    "of the worst-served job, divided by its time with a fair share of the devices.\n"
    "\n"
    "With --profiles runs:GROUP the jobs are the runs of that group. Each is submitted when its run was "
    "made,\n"
    "and has the performance model, gradient statistics and epochs that the run recorded; a waiting run has "
    "the\n"
    "profile of another run of the same program. Devices are given away as the pool does it, with its turns, "
    "and\n"
    "a start takes as long as theirs did. That answers: what if I had four GPUs, or another policy?\n"
    "A scenario file holds workload, profiles, policies, the other settings, and claims such as "
    "\"fast.mean_jct <\n"
    "0.9 * fifo.mean_jct\" (see examples/simulation/scenario.toml). Claims use the names that --json "
    "prints.\n"
    "\n"
    "Examples:\n"
    "  batchscope simulate workload.csv --profiles profiles\n"
    "  batchscope simulate workload.csv --profiles profiles --policy fifo,pollux,fast --nodes 2 --gpus 8\n"
    "  batchscope simulate workload.csv --profiles profiles --policy fair --gantt fair.svg\n"
    "  batchscope simulate --profiles runs:night --gpus 4 --policy fifo,fair,fast\n"
    "  batchscope simulate scenario.toml --expect 'fast.worst_fairness < 2'\n");

inline constexpr char kCompletion[] = QT_TR_NOOP(
    "Completes commands, flags, and the present names of runs, series and fields.\n"
    "\n"
    "Examples:\n"
    "  source <(batchscope completion bash)                  for this shell; in ~/.bashrc for all\n"
    "  batchscope completion zsh > ~/.zfunc/_batchscope      a folder of fpath\n"
    "  batchscope completion fish > ~/.config/fish/completions/batchscope.fish\n");

inline constexpr char kExitCodes[] = QT_TR_NOOP(
    "Exit codes\n"
    "    0  done. After run, resume and attach: the run finished, or ended in a state that --expect asked "
    "for.\n"
    "       After sweep run: all trials are done\n"
    "    1  failure: the run or sweep failed or lost its supervisor, doctor found a problem, or the system\n"
    "       refused, for example because a disk is full\n"
    "    2  usage: a flag, a value or a name makes no sense\n"
    "    3  not found: no such run, program, recipe or log\n"
    "    4  conflict: the state of the run does not allow it, or something else holds what it needs\n"
    "    5  a claim of run --expect or simulate --expect does not hold\n"
    "    6  time-out of run --timeout or sql --timeout, or the supervisor did not answer\n"
    "    7  corrupt data, or data of a newer version\n"
    "  130  Ctrl-C. A file that export, import or backup had begun is removed (SIGTERM: 143, SIGHUP: 129)\n"
    "  143  the run or sweep was stopped or paused after a checkpoint; `batchscope resume` or `batchscope\n"
    "       sweep resume` continues it\n"
    "\n"
    "With --json an error is also printed on standard output as {\"error\":{\"kind\":..,\"message\":..}}.\n"
    "Kinds are failure, usage, not_found, conflict, corrupt, version, timeout and io.\n");

}  // namespace batchscope::cli::help
