// SPDX-License-Identifier: Apache-2.0
//
// The commands about runs that wait for the devices of this machine, and share them.
#include "batchscope/protocol/pool.h"
#include "command_line/help_text.h"
#include "command_line/slurm_options.h"
#include "command_line/spec_options.h"
#include "queue/queue_commands.h"
#include "slurm/slurm_job.h"

namespace batchscope::cli {
namespace {

constexpr int kMostDecisions = 1000;
constexpr char kUsualDecisions[] = "10";

CLI::Validator priority() { return range(-protocol::kMostPriority, protocol::kMostPriority); }

void addSubmit(CommandSet& set) {
  auto submit = declare(set, "submit", "Put a run into the queue", help::kSubmit, submitRun);
  addSpecOptions(
      set, submit, "cpu, cuda, or auto for GPUs where there are some",
      "MIN-MAX lets the pool choose, one number is all or nothing; default: the pool chooses among all "
      "that this machine has");
  submit.flag("--pin", &SubmitOptions::pin, "Keep the devices that it gets until it ends")
      .option("--after RUN", &SubmitOptions::after,
              "Begin when this run has finished; RUN:end, has ended, RUN:fail, has failed", Values::runs)
      .option("--priority N", &SubmitOptions::priority, "From -10 to 10, larger goes first; default: 0",
              priority())
      .flag("--hold", &SubmitOptions::hold, "Keep it waiting until `batchscope release`")
      .flag("--follow", &SubmitOptions::follow, "Watch it, as `batchscope attach` does")
      .json();
  addSlurmOptions(submit, "Let Slurm start it");
  submit.flag("--detach", &SubmitOptions::detach, "With --slurm: do not follow it; nor does --json");
}

// Nobody types it but with a command behind "--".
void addSlurmJob(CommandSet& set) {
  const auto job =
      declare(set, "slurm-job", "Train a run in a job of Slurm", help::kSlurmJob, workAsSlurmJob)
          .option("FOLDER", &SlurmJobOptions::folder, "The run's, as `batchscope submit --slurm` names it",
                  Takes::required, Values::files)
          .option("--nodes N", &SlurmJobOptions::nodes, "How many its jobs may have, such as 1-4")
          .flag("--state", &SlurmJobOptions::state, "Print, as JSON, what Slurm's queue says of it");
  set.passProgramArguments(job.app(), job.options()->command);
  job.app()->group("");
}

void addPool(CommandSet& set) {
  const auto pool =
      declare(set, "pool", "See and change how runs share the devices", help::kPool, showPool)
          .option(
              "--policy NAME", &PoolOptions::policy,
              "fair to every run; fast: runs with little left go first; or as Pollux, AdaptDL or Sia would",
              OneOf{{protocol::kPoolPolicies.begin(), protocol::kPoolPolicies.end()}})
          .flag("--pause", &PoolOptions::pause, "Start nothing; all runs keep the devices that they have")
          .flag("--resume", &PoolOptions::resume, "End --pause")
          .flag("--drain", &PoolOptions::drain, "Start nothing; runs that train go on")
          .flag("--no-drain", &PoolOptions::noDrain, "End --drain")
          .option("--devices N", &PoolOptions::devices, "Use at most N devices of each kind, or all")
          .option("--turn TIME", &PoolOptions::turn,
                  "How long a turn lasts where there are more runs than devices: at least fifty times the "
                  "longest "
                  "restart; default: 30s")
          .option("--price P", &PoolOptions::price,
                  "The price of a device for an hour, if one run an hour sooner is worth 1; 0: none",
                  CommandSet::between(0, 1e9))
          .option("--scale-command CMD", &PoolOptions::scaleCommand,
                  "Called with the number of devices worth having, when that changes; '': none", Takes::empty)
          .option("--preempt-notice CMD", &PoolOptions::preemptNotice,
                  "A command or URL that tells when this machine is about to be taken away; '': none",
                  Takes::empty)
          .option("--decisions N", &PoolOptions::decisions, "The last N decisions; default: 10",
                  range(1, kMostDecisions))
          .flag("--advise", &PoolOptions::advise, "Only what more devices would be worth")
          .json()
          .app();
  pool->get_option("--decisions")->expected(0, 1)->default_str(kUsualDecisions);
}

void addJobCommand(CommandSet& set, const char* name, const char* description, const char* footer,
                   int (*function)(const JobsReference&)) {
  declare(set, name, description, footer, function)
      .option("RUN", &JobsReference::runs, "\"latest\", or a prefix of id or name; several if wanted",
              Takes::required, Values::jobs)
      .json();
}

}  // namespace

void addQueueCommands(CommandSet& set) {
  set.beginGroup("Many runs, one machine");
  addSubmit(set);
  declare(set, "queue", "Show which runs wait, which have which devices, and why", help::kQueue, showQueue)
      .flag("--all", &QueueOptions::all, "Also runs that have ended")
      .flag("--trials", &QueueOptions::trials,
            "Trials that wait at a rung one by one, not under their sweeps")
      .flag("--watch", &QueueOptions::watch, "Keep showing what changes, until Ctrl-C")
      .json();
  addPool(set);
  addSlurmJob(set);
  addJobCommand(set, "cancel", "Take runs out of the queue, or stop them", help::kCancel, cancelRuns);
  addJobCommand(set, "hold", "Keep runs waiting, without devices", help::kHold, holdRuns);
  addJobCommand(set, "release", "Let runs that are held go on", help::kRelease, releaseRuns);
  declare(set, "priority", "Change the place of a run in the queue", help::kPriority, setPriority)
      .run(Values::jobs)
      .option("N", &PriorityOptions::priority, "From -10 to 10, larger goes first", Takes::required,
              priority())
      .json();
  set.addProgram("simulate", help::kSimulateAbout);
}

}  // namespace batchscope::cli
