// SPDX-License-Identifier: Apache-2.0
//
// The commands for runs that wait for this machine's devices and share them.
#include "batchscope/protocol/pool.h"
#include "command_line/help_text.h"
#include "command_line/queue_help.h"
#include "command_line/slurm_options.h"
#include "command_line/spec_options.h"
#include "queue/queue_commands.h"
#include "slurm/pool_nodes.h"
#include "slurm/slurm_job.h"

namespace batchscope::cli {
namespace {

constexpr int kMostDecisions = 1000;
constexpr int kMostWanted = 1 << 20;  // nodes
constexpr char kUsualDecisions[] = "10";

CLI::Validator priority() { return range(-protocol::kMostPriority, protocol::kMostPriority); }

void addSubmit(CommandSet& set) {
  auto submit = declare(set, "submit", say("Put a run into the queue"), help::kSubmit, submitRun);
  addSpecOptions(
      set, submit, say("cpu, cuda, or auto for GPUs where there are some"),
      say("MIN-MAX lets the pool choose; one number is all or nothing; default: the pool chooses up to all "
          "devices of this machine"));
  submit.flag("--pin", &SubmitOptions::pin, say("Let the run keep its devices until it ends"))
      .option("--after RUN", &SubmitOptions::after,
              say("Begin when this run has finished; RUN:end: has ended, RUN:fail: has failed"), Values::runs)
      .option("--priority N", &SubmitOptions::priority,
              say("The run's priority, from -10 to 10; larger goes first; default: 0"), priority())
      .flag("--hold", &SubmitOptions::hold, say("Keep the run waiting until `batchscope release`"))
      .flag("--follow", &SubmitOptions::follow, say("Watch the run, as `batchscope attach` does"))
      .json();
  addSlurmOptions(submit, say("Let Slurm start the run"));
  submit.flag("--detach", &SubmitOptions::detach,
              say("With --slurm: do not follow the run; --json does not either"));
}

// People type this only with a command after "--".
void addSlurmJob(CommandSet& set) {
  const auto job = declare(set, "slurm-job", say("Train a run in a Slurm job, or send a command to it"),
                           help::kSlurmJob, workAsSlurmJob)
                       .option("FOLDER", &SlurmJobOptions::folder,
                               say("The run's folder, as `batchscope submit --slurm` prints it"),
                               Takes::required, Values::files)
                       .option("--nodes N", &SlurmJobOptions::nodes,
                               say("How many nodes the run's jobs may have, such as 1-4"))
                       .flag("--state", &SlurmJobOptions::state,
                             say("Print the state of the run's job in Slurm's queue, in JSON"));
  set.passProgramArguments(job.app(), job.options()->command);
  job.app()->group("");
}

void addPool(CommandSet& set) {
  auto pool = declare(set, "pool", say("See and change how runs share the devices"), help::kPool, showPool);
  pool.option("--policy NAME", &PoolOptions::policy,
              say("fair: every run gets a fair share; fast: runs with little work left go first; pollux, "
                  "adaptdl or sia: as those schedulers share devices"),
              OneOf{{protocol::kPoolPolicies.begin(), protocol::kPoolPolicies.end()}})
      .flag("--pause", &PoolOptions::pause, say("Start nothing; all runs keep the devices that they have"))
      .flag("--resume", &PoolOptions::resume, say("End --pause"))
      .flag("--drain", &PoolOptions::drain, say("Start nothing; runs that train go on"))
      .flag("--no-drain", &PoolOptions::noDrain, say("End --drain"))
      .option("--devices N", &PoolOptions::devices, say("Use at most N devices of each kind, or all"))
      .option("--turn TIME", &PoolOptions::turn,
              say("How long a turn lasts where there are more runs than devices, at least fifty times the "
                  "longest restart; default: 30s"),
              timeText())
      .option("--price P", &PoolOptions::price,
              say("The price of a device-hour, where finishing one run an hour sooner is worth 1; 0: none"),
              CommandSet::between(0, 1e9))
      .option("--scale-command CMD", &PoolOptions::scaleCommand,
              say("Call this with the number of devices worth having, when that changes; '': none"),
              Takes::empty)
      .option("--preempt-notice CMD", &PoolOptions::preemptNotice,
              say("A command or URL that tells when this machine is about to be taken away; '': none"),
              Takes::empty)
      .option("--agents NODES", &PoolOptions::agents,
              say("Give away the devices of these nodes too: n2,n3=HOST, as ssh reaches them; '': none"),
              Takes::empty)
      .option("--agents-by CMD", &PoolOptions::agentsBy,
              say("Reach nodes by this command in place of ssh, as CMD HOST PROGRAM ARGUMENTS; '': ssh"),
              Takes::empty)
      .option("--tls ANSWER", &PoolOptions::tls,
              say("yes, also without an answer: encrypt the lines to nodes; no: send them as they are"),
              OneOf{{"yes", "no"}})
      .option(
          "--nodes-from CMD", &PoolOptions::nodesFrom,
          say("Share nodes that come and go: call CMD with the number of nodes worth having, and use those "
              "that it prints; '': give them back"),
          Takes::empty)
      .option("--here ANSWER", &PoolOptions::here,
              say("yes: give away this machine's devices; no: only those of nodes"), OneOf{{"yes", "no"}})
      .option("--decisions N", &PoolOptions::decisions, say("Show the last N decisions; default: 10"),
              range(1, kMostDecisions))
      .flag("--advise", &PoolOptions::advise, say("Show only what more devices would be worth"))
      .json();
  addSlurmNodeOptions(
      pool, say("Share nodes of Slurm, of which jobs hold as many as are worth having, and none of this "
                "machine's devices; --slurm=off gives them back"));
  pool.app()->get_option("--tls")->expected(0, 1)->default_str("yes");
  pool.app()->get_option("--decisions")->expected(0, 1)->default_str(kUsualDecisions);
}

// The pool calls this, where `pool --slurm` said so.
void addSlurmNodes(CommandSet& set) {
  auto nodes =
      declare(set, "slurm-nodes", say("Have as many nodes of Slurm as the pool wants, and name them"),
              help::kSlurmNodes, tendSlurmNodes);
  nodes
      .option("WANTED", &SlurmNodesOptions::wanted, say("How many nodes are worth having"), Takes::required,
              range(0, kMostWanted))
      .option("EMPTY", &SlurmNodesOptions::empty, say("Nodes that are needed no more"));
  addSlurmNodeOptions(nodes, say("Take the site's partition"));
  nodes.app()->group("");
}

void addJobCommand(CommandSet& set, const char* name, const std::string& description, const char* footer,
                   int (*function)(const JobsReference&)) {
  declare(set, name, description, footer, function)
      .option("RUN", &JobsReference::runs, say("\"latest\", or a prefix of id or name; several if wanted"),
              Takes::required, Values::jobs)
      .json();
}

}  // namespace

void addQueueCommands(CommandSet& set) {
  set.beginGroup(say("Many runs, one machine"));
  addSubmit(set);
  declare(set, "queue", say("Show which runs wait, which have which devices, and why"), help::kQueue,
          showQueue)
      .flag("--all", &QueueOptions::all, say("Also show runs that have ended"))
      .flag("--trials", &QueueOptions::trials,
            say("Show trials that wait at a rung one by one, not one row a sweep"))
      .flag("--watch", &QueueOptions::watch, say("Keep showing what changes, until Ctrl-C"))
      .json();
  addPool(set);
  addSlurmNodes(set);
  addSlurmJob(set);
  addJobCommand(set, "cancel", say("Take runs out of the queue, or stop them"), help::kCancel, cancelRuns);
  addJobCommand(set, "hold", say("Keep runs waiting, without devices"), help::kHold, holdRuns);
  addJobCommand(set, "release", say("Let runs that are held go on"), help::kRelease, releaseRuns);
  declare(set, "priority", say("Change the place of a run in the queue"), help::kPriority, setPriority)
      .run(Values::jobs)
      .option("N", &PriorityOptions::priority, say("The priority, from -10 to 10; larger goes first"),
              Takes::required, priority())
      .json();
  set.addProgram("simulate", help::kSimulateAbout);
}

}  // namespace batchscope::cli
