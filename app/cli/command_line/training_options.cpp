// SPDX-License-Identifier: Apache-2.0
//
// The commands that start and control a run.
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/end_notice.h"
#include "batchscope/run/supervisor.h"
#include "command_line/help_text.h"
#include "command_line/spec_options.h"

namespace batchscope::cli {
namespace {

constexpr int kMostOrdinal = 1'000'000;  // of a replica or a generation
constexpr int kMostMicroBatches = 1'000'000;

std::string aboutCheckpoint() {
  return say(
      "The checkpoint's name or number, as `batchscope show` lists them; default: the newest good one");
}
std::string aboutQuiet() { return say("Do not print the program's output; `batchscope logs` shows it"); }
std::string aboutDevices() {
  return say("Use exactly these devices, such as cpu:0,cpu:1; one replica on each unless a number is given");
}

void addRun(CommandSet& set) {
  auto run = declare(set, "run", say("Start a run and watch it"), help::kRun, runProgram);
  addSpecOptions(set, run, say("cpu, cuda, cuda:N for one GPU, or auto for GPUs where enough are free"),
                 say("How many replicas to start with, or auto[:MIN-MAX] to let goodput choose"));
  run.flag("--oversubscribe", &RunOptions::oversubscribe,
           say("Share GPUs with other runs and between replicas, which then communicate by Gloo"))
      .flag("--detach", &RunOptions::detach,
            say("Print the run's id and leave the run running, once it has begun"))
      .flag("--quiet", &RunOptions::quiet, aboutQuiet());
  run.app()
      ->add_flag("--headless")
      ->description(say("Watch in this terminal; has no effect, as this program opens no window"));
  run.option("--expect CLAIM", &RunOptions::expectations,
             say("A claim that must hold at the end, such as 'accuracy>=0.97'"), Takes::repeated)
      .option("--timeout TIME", &RunOptions::timeout,
              say("Stop with a checkpoint after this time: 90s, 10m, 2h, 3d"), timeText())
      .option("--report FILE", &RunOptions::report,
              say("Write a report in JSON to this file; -: standard output"), Values::files)
      .json();
}

void addFork(CommandSet& set) {
  const auto fork =
      declare(set, "fork", say("Start a new run from a checkpoint of another one"), help::kFork, forkRun)
          .run()
          .option("--checkpoint NAME", &ForkOptions::checkpoint, aboutCheckpoint())
          .option("--name TEXT", &ForkOptions::name,
                  say("The new run's name; default: the other run's name and \"fork\""))
          .option("--replicas N", &ForkOptions::replicas,
                  say("How many replicas; default: as many as the other run had last"),
                  range(1, protocol::kMostReplicas))
          .flag("--detach", &ForkOptions::detach,
                say("Print the run's id and leave the run running, once it has begun"))
          .flag("--quiet", &ForkOptions::quiet, aboutQuiet())
          .json();
  set.passProgramArguments(fork.app(), fork.options()->arguments);
}

void addNoise(CommandSet& set) {
  const auto noise = declare(set, "noise", say("Measure the gradient noise scale at a checkpoint"),
                             help::kNoise, measureNoise)
                         .run()
                         .option("--checkpoint NAME", &NoiseOptions::checkpoint, aboutCheckpoint())
                         .option("--micro-batches N", &NoiseOptions::microBatches,
                                 say("Compute this many gradients of the initial batch size; default: 200"),
                                 range(30, kMostMicroBatches))
                         .json();
  set.passProgramArguments(noise.app(), noise.options()->arguments);
}

void addBranch(CommandSet& set) {
  const auto branch =
      declare(set, "branch", say("Find the critical batch size at a checkpoint by training at several sizes"),
              help::kBranch, branchRun)
          .run()
          .option("--batch-sizes SIZES", &BranchOptions::batchSizes,
                  say("A..B, both and the powers of two between them, or a list such as 32,64,96"))
          .option("--samples N", &BranchOptions::samples,
                  say("Train each branch over this many samples, at least 16 steps of the largest size"),
                  range(std::int64_t{1}, std::int64_t{1'000'000'000'000}))
          .option("--checkpoint NAME", &BranchOptions::checkpoint, aboutCheckpoint())
          .option(
              "--metric SERIES", &BranchOptions::metric,
              say("Compare this series of each step, the smaller the better; default: loss, and with --show "
                  "the one that was asked for"),
              Values::series)
          .option(
              "--tolerance SHARE", &BranchOptions::tolerance,
              say("How far above the smallest size's loss another may lie, as a share of it; default: 0.01, "
                  "or the loss's standard error where that is larger"),
              range(0.0, 1.0))
          .option("--replicas N", &BranchOptions::replicas,
                  say("How many replicas of each branch; default: as many as the run had last"),
                  range(1, protocol::kMostReplicas))
          .flag("--detach", &BranchOptions::detach,
                say("Leave the branches to the queue, and do not wait for them"))
          .flag("--show", &BranchOptions::show, say("Show the branches that the run has, and start none"))
          .json();
  set.passProgramArguments(branch.app(), branch.options()->arguments);
}

// Started by run::start_run; nobody types it.
void addSupervise(CommandSet& set) {
  struct Options {
    std::string run;
    int replicas = 0;
    std::vector<std::string> devices;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = set.add(
      "supervise", "", "", [=] { return run::supervise(options->run, options->replicas, options->devices); });
  command->add_option("RUN", options->run)->required();
  command->add_option("--replicas", options->replicas)->check(CLI::Range(0, protocol::kMostReplicas));
  command->add_option("--devices", options->devices)->delimiter(',');
  command->group("");
}

// Started by a supervisor at the end of its run; nobody types it.
void addTellEnd(CommandSet& set) {
  const auto run = std::make_shared<std::string>();
  CLI::App* command = set.add("tell-end", "", "", [=] {
    run::tell_end(*run);
    return kExitOk;
  });
  command->add_option("RUN", *run)->required();
  command->group("");
}

}  // namespace

void addTrainingCommands(CommandSet& set) {
  set.beginGroup(say("Train"));
  addRun(set);
  declare(set, "rescale", say("Restart a run on another number of replicas, or on other devices"),
          help::kRescale, rescaleRun)
      .run()
      .option("N", &RescaleOptions::replicas,
              say("How many replicas, or auto[:MIN-MAX] to let goodput choose"), replicaText())
      .option("--devices NAMES", &RescaleOptions::devices, aboutDevices(), Takes::separated, deviceName())
      .json();
  declare(set, "checkpoint", say("Write a checkpoint now, and keep it"), help::kCheckpoint, checkpointRun)
      .run()
      .json();
  declare(set, "pause", say("Checkpoint a run and free its devices"), help::kPause, pauseRun).run().json();
  const auto resume =
      declare(set, "resume", say("Continue a run from its last checkpoint"), help::kResume, resumeRun)
          .run()
          .option("--replicas N", &ResumeOptions::replicas,
                  say("How many replicas; default: as many as before"), range(1, protocol::kMostReplicas))
          .option("--devices NAMES", &ResumeOptions::devices, aboutDevices(), Takes::separated, deviceName())
          .flag("--detach", &ResumeOptions::detach, say("Leave the run running, once it has begun"))
          .flag("--quiet", &ResumeOptions::quiet, aboutQuiet())
          .json();
  addFaultFlags(resume.app(), resume.options()->faults, timeText());
  addFork(set);
  addNoise(set);
  addBranch(set);
  declare(set, "stop", say("Checkpoint a run and end it"), help::kStop, stopRun).run().json();
  declare(set, "attach", say("Watch a run that trains or waits"), help::kAttach, attachToRun)
      .run()
      .flag("--quiet", &WatchOptions::quiet, aboutQuiet())
      .json();
  declare(set, "logs", say("Show what the replicas of a run printed"), help::kLogs, printLogs)
      .run()
      .flag("-f,--follow", &LogOptions::follow,
            say("Keep printing new lines, until the run no longer trains"))
      .option("--since TIME", &LogOptions::since, say("Only lines of the last 30s, 10m, 2h or 3d"),
              timeText())
      .option("--replica N", &LogOptions::replica, say("Only lines of this replica"), range(0, kMostOrdinal))
      .option("--generation N", &LogOptions::generation,
              say("Only lines of this generation; default: the newest"), range(0, kMostOrdinal))
      .json();
  addSupervise(set);
  addTellEnd(set);
}

}  // namespace batchscope::cli
