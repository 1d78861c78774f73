// SPDX-License-Identifier: Apache-2.0
//
// The commands that start a run, and those that control it.
#include <fmt/core.h>

#include "batchscope/protocol/devices.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/supervisor.h"
#include "command_line/command_builder.h"
#include "command_line/help_text.h"

namespace batchscope::cli {
namespace {

constexpr int kMostOrdinal = 1'000'000;  // of a replica or a generation

// What `read` throws nothing for.
template <class Read>
CLI::Validator readable(Read read) {
  return {[read](const std::string& text) {
            try {
              read(text);
              return std::string();
            } catch (const Error& error) {
              return std::string(error.what());
            }
          },
          ""};
}

CLI::Validator replicaText() { return readable(protocol::ReplicaCount::parse); }

CLI::Validator deviceNames() {
  return readable([](const std::string& name) { protocol::check_devices({name}); });
}

CLI::Validator device() {
  return {[](const std::string& text) {
            const bool known = text == "auto" || text == "cpu" || text == "cuda" || text.starts_with("cuda:");
            return known ? std::string() : fmt::format("'{}' is none of auto, cpu, cuda, cuda:N", text);
          },
          ""};
}

void addRun(CommandSet& set) {
  auto run = declare(set, "run", "Start a run and watch it", help::kRun, runProgram);
  set.passProgramArguments(run.app(), run.options()->arguments);
  run.option(
         "PROGRAM", &RunOptions::program,
         "A path, a name such as digits, or a recipe's folder; its arguments, or all of it, behind \"--\"",
         Values::files)
      .option("--replicas N", &RunOptions::replicas,
              "How many replicas to start with, or auto[:MIN-MAX] for as many as pay", replicaText())
      .option("--efficiency-floor X", &RunOptions::efficiency_floor,
              "Of auto: the least speed-up per replica, 0.5 if not said", CommandSet::between(0, 1))
      .option("--name TEXT", &RunOptions::name, "The run's name; else the program's")
      .option("--group TEXT", &RunOptions::group, "A name for runs that belong together")
      .option("--device NAME", &RunOptions::device,
              "cpu, cuda, cuda:N for one GPU, or auto for GPUs where enough are free", device())
      .flag("--oversubscribe", &RunOptions::oversubscribe,
            "Share GPUs: with other runs, and between replicas, which then use Gloo")
      .option("--recipe TEXT", &RunOptions::recipe, "A recipe's name, file or folder instead of a program")
      .option("--set TEXT", &RunOptions::settings, "A parameter of the recipe, KEY=VALUE", Takes::repeated)
      .flag("--detach", &RunOptions::detach, "Print the run's id and leave it running, once it has begun");
  run.app()
      ->add_flag("--headless")
      ->description("No window: watch in this terminal, as this program always does");
  run.option("--at EVENT", &RunOptions::triggers, "A scripted event, such as epoch=2:replicas=1",
             Takes::repeated)
      .option("--checkpoint-every TIME", &RunOptions::checkpoint_every,
              "Checkpoint this often: 60s if not said; 0: never")
      .option("--expect CLAIM", &RunOptions::expectations,
              "What must hold at the end, such as 'accuracy>=0.97'", Takes::repeated)
      .option("--timeout TIME", &RunOptions::timeout,
              "Stop with a checkpoint after this time: 90s, 10m, 2h, 3d")
      .option("--report FILE", &RunOptions::report, "Write a report in JSON to this file; -: standard output",
              Values::files)
      .json();
  addFaultFlags(run.app(), run.options()->faults);
}

void addFork(CommandSet& set) {
  const auto fork =
      declare(set, "fork", "Start a new run from a checkpoint of another one", help::kFork, forkRun)
          .run()
          .option("--checkpoint NAME", &ForkOptions::checkpoint,
                  "Its name or number, as `batchscope show` lists them; else the newest good one")
          .option("--name TEXT", &ForkOptions::name,
                  "The new run's name; else that of the other and \"fork\"")
          .option("--replicas N", &ForkOptions::replicas, "How many; else as many as the other had last",
                  range(1, protocol::kMostReplicas))
          .flag("--detach", &ForkOptions::detach,
                "Print the run's id and leave it running, once it has begun")
          .json();
  set.passProgramArguments(fork.app(), fork.options()->arguments);
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

}  // namespace

void addTrainingCommands(CommandSet& set) {
  set.beginGroup("Train");
  addRun(set);
  declare(set, "rescale", "Restart a run on another number of replicas", help::kRescale, rescaleRun)
      .run()
      .option("N", &RescaleOptions::replicas, "How many replicas, or auto[:MIN-MAX]", replicaText())
      .option("--devices NAMES", &RescaleOptions::devices,
              "On these and no others, such as cpu:0,cpu:1; one replica on each without N", Takes::separated,
              deviceNames())
      .json();
  declare(set, "checkpoint", "Write a checkpoint now, and keep it", help::kCheckpoint, checkpointRun)
      .run()
      .json();
  declare(set, "pause", "Checkpoint a run and free its devices", help::kPause, pauseRun).run().json();
  const auto resume =
      declare(set, "resume", "Go on with a run from its last checkpoint", help::kResume, resumeRun)
          .run()
          .option("--replicas N", &ResumeOptions::replicas, "How many; else as many as before",
                  range(1, protocol::kMostReplicas))
          .option("--devices NAMES", &ResumeOptions::devices,
                  "On these and no others, such as cpu:0,cpu:1; one replica on each without --replicas",
                  Takes::separated, deviceNames())
          .flag("--detach", &ResumeOptions::detach, "Leave it running, once it has begun")
          .json();
  addFaultFlags(resume.app(), resume.options()->faults);
  addFork(set);
  declare(set, "stop", "Checkpoint a run and end it", help::kStop, stopRun).run().json();
  declare(set, "attach", "Watch a run that is going on", help::kAttach, attachToRun).run().json();
  declare(set, "logs", "What the replicas of a run wrote", help::kLogs, printLogs)
      .run()
      .flag("-f,--follow", &LogOptions::follow, "Go on printing what comes, until the run is at rest")
      .option("--since TIME", &LogOptions::since, "Of the last 30s, 10m, 2h or 3d only")
      .option("--replica N", &LogOptions::replica, "Of this replica only", range(0, kMostOrdinal))
      .option("--generation N", &LogOptions::generation, "Of this generation; else the newest",
              range(0, kMostOrdinal))
      .json();
  addSupervise(set);
}

}  // namespace batchscope::cli
