// SPDX-License-Identifier: Apache-2.0
//
// The words of run, and of what controls a run.
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/supervisor.h"
#include "command_line/command_set.h"
#include "command_line/help_text.h"

namespace batchscope::cli {
namespace {

constexpr int kMostOrdinal = 1'000'000;  // of a replica or a generation

CLI::Validator replicaCount() { return CLI::Range(1, protocol::kMostReplicas).description(""); }

CLI::Validator replicaText() {
  return {[](const std::string& text) {
            try {
              protocol::ReplicaCount::parse(text);
              return std::string();
            } catch (const Error& error) {
              return std::string(error.what());
            }
          },
          ""};
}

CLI::Validator device() {
  return {[](const std::string& text) {
            const bool known = text == "auto" || text == "cpu" || text == "cuda" || text.starts_with("cuda:");
            return known ? std::string() : "'" + text + "' is none of auto, cpu, cuda, cuda:N";
          },
          ""};
}

CLI::Validator ordinal() { return CLI::Range(0, kMostOrdinal).description(""); }

void addRun(CommandSet& set) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      set.add("run", "Start a run and watch it", help::kRun, [=] { return runProgram(*options); });
  set.passProgramArguments(command, options->arguments);
  set.setValues(command
                    ->add_option("PROGRAM", options->program,
                                 "A path, a name such as digits, or a recipe's folder; its arguments, or all "
                                 "of it, behind \"--\"")
                    ->type_name(""),
                CommandSet::Values::files);
  command
      ->add_option("--replicas", options->replicas,
                   "How many replicas to start with, or auto[:MIN-MAX] for as many as pay")
      ->check(replicaText())
      ->type_name("N");
  command
      ->add_option("--efficiency-floor", options->efficiency_floor,
                   "Of auto: the least speed-up per replica, 0.5 if not said")
      ->check(CommandSet::between(0, 1))
      ->type_name("X");
  command->add_option("--name", options->name, "The run's name; else the program's");
  command->add_option("--group", options->group, "A name for runs that belong together");
  command
      ->add_option("--device", options->device,
                   "cpu, cuda, cuda:N for one GPU, or auto for GPUs where enough are free")
      ->check(device())
      ->type_name("NAME");
  command->add_flag("--oversubscribe", options->oversubscribe,
                    "Share GPUs: with other runs, and between replicas, which then use Gloo");
  command->add_option("--recipe", options->recipe, "A recipe's name, file or folder instead of a program");
  set.addTexts(command, "--set", options->settings, "TEXT", "A parameter of the recipe, KEY=VALUE");
  command->add_flag("--detach", options->detach,
                    "Print the run's id and leave it running, once it has begun");
  command->add_flag("--headless")
      ->description("No window: watch in this terminal, as this program always does");
  set.addTexts(command, "--at", options->triggers, "EVENT", "A scripted event, such as epoch=2:replicas=1");
  command
      ->add_option("--checkpoint-every", options->checkpoint_every,
                   "Checkpoint this often: 60s if not said; 0: never")
      ->type_name("TIME");
  addFaultFlags(command, options->faults);
  set.addTexts(command, "--expect", options->expectations, "CLAIM",
               "What must hold at the end, such as 'accuracy>=0.97'");
  command
      ->add_option("--timeout", options->timeout, "Stop with a checkpoint after this time: 90s, 10m, 2h, 3d")
      ->type_name("TIME");
  set.setValues(
      command
          ->add_option("--report", options->report, "Write a report in JSON to this file; -: standard output")
          ->type_name("FILE"),
      CommandSet::Values::files);
  set.addJson(command, options->json);
}

void addRescale(CommandSet& set) {
  struct Options : RunReference {
    std::string replicas;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = set.add("rescale", "Restart a run on another number of replicas", help::kRescale,
                              [=] { return rescaleRun(*options, options->replicas); });
  set.addRunName(command, options->run);
  command->add_option("N", options->replicas, "How many replicas, or auto[:MIN-MAX]")
      ->required()
      ->check(replicaText())
      ->type_name("");
  set.addJson(command, options->json);
}

void addResume(CommandSet& set) {
  const auto options = std::make_shared<ResumeOptions>();
  CLI::App* command = set.add("resume", "Go on with a run from its last checkpoint", help::kResume,
                              [=] { return resumeRun(*options); });
  set.addRunName(command, options->run);
  command->add_option("--replicas", options->replicas, "How many; else as many as before")
      ->check(replicaCount())
      ->type_name("N");
  command->add_flag("--detach", options->detach, "Leave it running, once it has begun");
  addFaultFlags(command, options->faults);
  set.addJson(command, options->json);
}

void addFork(CommandSet& set) {
  const auto options = std::make_shared<ForkOptions>();
  CLI::App* command = set.add("fork", "Start a new run from a checkpoint of another one", help::kFork,
                              [=] { return forkRun(*options); });
  set.addRunName(command, options->run);
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "Its name or number, as `batchscope show` lists them; else the newest good one")
      ->type_name("NAME");
  command->add_option("--name", options->name, "The new run's name; else that of the other and \"fork\"");
  command->add_option("--replicas", options->replicas, "How many; else as many as the other had last")
      ->check(replicaCount())
      ->type_name("N");
  command->add_flag("--detach", options->detach,
                    "Print the run's id and leave it running, once it has begun");
  set.addJson(command, options->json);
  set.passProgramArguments(command, options->arguments);
}

void addLogs(CommandSet& set) {
  const auto options = std::make_shared<LogOptions>();
  CLI::App* command =
      set.add("logs", "What the replicas of a run wrote", help::kLogs, [=] { return printLogs(*options); });
  set.addRunName(command, options->run);
  command->add_flag("-f,--follow", options->follow, "Go on printing what comes, until the run is at rest");
  command->add_option("--since", options->since, "Of the last 30s, 10m, 2h or 3d only")->type_name("TIME");
  command->add_option("--replica", options->replica, "Of this replica only")
      ->check(ordinal())
      ->type_name("N");
  command->add_option("--generation", options->generation, "Of this generation; else the newest")
      ->check(ordinal())
      ->type_name("N");
  set.addJson(command, options->json);
}

// Started by run::start_run; nobody types it.
void addSupervise(CommandSet& set) {
  struct Options {
    std::string run;
    int replicas = 0;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      set.add("supervise", "", "", [=] { return run::supervise(options->run, options->replicas); });
  command->add_option("RUN", options->run)->required();
  command->add_option("--replicas", options->replicas)->check(CLI::Range(0, protocol::kMostReplicas));
  command->group("");
}

}  // namespace

void addTrainingCommands(CommandSet& set) {
  set.beginGroup("Train");
  addRun(set);
  addRescale(set);
  set.addReference("checkpoint", "Write a checkpoint now, and keep it", help::kCheckpoint, checkpointRun);
  set.addReference("pause", "Checkpoint a run and free its devices", help::kPause, pauseRun);
  addResume(set);
  addFork(set);
  set.addReference("stop", "Checkpoint a run and end it", help::kStop, stopRun);
  set.addReference("attach", "Watch a run that is going on", help::kAttach, attachToRun);
  addLogs(set);
  addSupervise(set);
}

}  // namespace batchscope::cli
