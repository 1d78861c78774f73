// SPDX-License-Identifier: Apache-2.0
//
// The commands of `batchscope sweep`.
#include "batchscope/sweep/sweep_file.h"
#include "command_line/command_builder.h"
#include "command_line/slurm_options.h"
#include "command_line/sweep_help.h"
#include "sweep/sweep_commands.h"

namespace batchscope::cli {
namespace {

constexpr int kMostWidth = 1000;

template <class Options>
CommandBuilder<Options> ofOne(CommandSet& set, const std::string& name, const std::string& description,
                              const char* footer, int (*function)(const Options&)) {
  return declare(set, "sweep " + name, description, footer, function)
      .option("NAME", &Options::sweep, say("\"latest\", or a prefix of the sweep's name; default: latest"),
              Values::sweeps);
}

template <class Options>
void addBeginning(CommandBuilder<Options>& command) {
  command
      .option("--width N", &Options::width,
              say("How many trials train at once; default: as many as there are devices"),
              range(1, kMostWidth))
      .json();
}

template <class Options>
void addOutput(CommandBuilder<Options>& command) {
  command
      .option("-o,--output FILE", &Options::output, say("Write to this file; default: standard output"),
              Values::files)
      .flag("--force", &Options::force, say("Overwrite what is there"));
}

void addExport(CommandSet& set) {
  auto command = ofOne(set, "export", say("Write all trials as a table"), help::kSweepExport, exportSweep)
                     .flag("--csv", &ExportSweepOptions::csv, say("Write CSV, the default"))
                     .json(say("Write JSON"))
                     .flag("--toml", &ExportSweepOptions::toml, say("Write the sweep's file instead"));
  CLI::App* app = command.app();
  for (const char* flag : {"--json", "--toml"}) app->get_option(flag)->excludes("--csv");
  app->get_option("--toml")->excludes("--json");
  addOutput(command);
}

}  // namespace

void addSweepCommands(CommandSet& set) {
  set.addFamily("sweep", say("Search for the best hyperparameters"), help::kSweep);
  set.beginGroup(say("Commands"));
  auto fresh =
      declare(set, "sweep new", say("Add a sweep, without beginning it"), help::kSweepNew, newSweep)
          .option("FILE", &NewSweepOptions::file, say("The sweep's file, in TOML"), Values::files)
          .flag("--example", &NewSweepOptions::example, say("Print a file to begin with, and nothing else"));
  addBeginning(fresh);
  auto run =
      declare(set, "sweep run", say("Begin a sweep and watch it"), help::kSweepRun, runSweep)
          .option("FILE", &RunSweepOptions::file, say("The sweep's file, in TOML"), Takes::required,
                  Values::files)
          .flag("--detach", &RunSweepOptions::detach, say("Print the sweep's name and leave it running"))
          .flag("--headless", &RunSweepOptions::headless,
                say("Stop the sweep at Ctrl-C, for use without a person"));
  addBeginning(run);
  addSlurmOptions(run, say("Train each trial as a job of Slurm"));
  run.option("--jobs N", &RunSweepOptions::jobs, say("With --slurm: how many jobs at once; default: 4"),
             range(1, kMostWidth));
  declare(set, "sweep status", say("List the sweeps, or the trials of one"), help::kSweepStatus, showSweeps)
      .option("NAME", &SweepStatusOptions::sweep,
              say("\"latest\", or a prefix of the sweep's name; none: all sweeps"), Values::sweeps)
      .flag("--watch", &SweepStatusOptions::watch, say("Keep showing what changes, until Ctrl-C"))
      .json();
  ofOne(set, "pause", say("Checkpoint a sweep's trials and free their devices"), help::kSweepPause,
        pauseSweep)
      .json();
  ofOne(set, "resume", say("Continue a sweep"), help::kSweepResume, resumeSweep).json();
  ofOne(set, "stop", say("Checkpoint a sweep's trials and end the sweep"), help::kSweepStop, stopSweep)
      .json();
  ofOne(set, "extend", say("Try more points, or for longer"), help::kSweepExtend, extendSweep)
      .option("--trials N", &ExtendSweepOptions::trials, say("Add this many trials"),
              range(1, sweep::SweepFile::kMostTrials))
      .option("--device-hours H", &ExtendSweepOptions::deviceHours, say("Add this many device-hours"),
              CommandSet::between(0, sweep::SweepFile::kMostDeviceHours))
      .json();
  ofOne(set, "best", say("Print the command that trains the winner"), help::kSweepBest, showBestTrial).json();
  addExport(set);
  auto import =
      declare(set, "sweep import", say("Convert a sweep file of Weights & Biases"), help::kSweepImport,
              importSweep)
          .option("FILE", &ImportSweepOptions::file, say("The sweep file of Weights & Biases, in YAML"),
                  Takes::required, Values::files);
  addOutput(import);
  ofOne(set, "rm", say("Remove a sweep"), help::kSweepRemove, removeSweep)
      .flag("--runs", &RemoveSweepOptions::runs, say("Put the sweep's runs into the trash"))
      .flag("--yes", &RemoveSweepOptions::yes, say("Do not ask"))
      .json();
}

}  // namespace batchscope::cli
