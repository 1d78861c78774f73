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
constexpr char kName[] = "\"latest\", or a prefix of the sweep's name; default: latest";

template <class Options>
CommandBuilder<Options> ofOne(CommandSet& set, const std::string& name, const std::string& description,
                              const char* footer, int (*function)(const Options&)) {
  return declare(set, "sweep " + name, description, footer, function)
      .option("NAME", &Options::sweep, kName, Values::sweeps);
}

template <class Options>
void addBeginning(CommandBuilder<Options>& command) {
  command
      .option("--width N", &Options::width,
              "How many trials train at once; default: as many as there are devices", range(1, kMostWidth))
      .json();
}

template <class Options>
void addOutput(CommandBuilder<Options>& command) {
  command
      .option("-o,--output FILE", &Options::output, "Write to this file; default: standard output",
              Values::files)
      .flag("--force", &Options::force, "Overwrite what is there");
}

void addExport(CommandSet& set) {
  auto command = ofOne(set, "export", "Write all trials as a table", help::kSweepExport, exportSweep)
                     .flag("--csv", &ExportSweepOptions::csv, "Write CSV, the default")
                     .json("Write JSON")
                     .flag("--toml", &ExportSweepOptions::toml, "Write the sweep's file instead");
  CLI::App* app = command.app();
  for (const char* flag : {"--json", "--toml"}) app->get_option(flag)->excludes("--csv");
  app->get_option("--toml")->excludes("--json");
  addOutput(command);
}

}  // namespace

void addSweepCommands(CommandSet& set) {
  set.addFamily("sweep", "Search for the best hyperparameters", help::kSweep);
  set.beginGroup("Commands");
  auto fresh =
      declare(set, "sweep new", "Add a sweep, without beginning it", help::kSweepNew, newSweep)
          .option("FILE", &NewSweepOptions::file, "The sweep's file, in TOML", Values::files)
          .flag("--example", &NewSweepOptions::example, "Print a file to begin with, and nothing else");
  addBeginning(fresh);
  auto run =
      declare(set, "sweep run", "Begin a sweep and watch it", help::kSweepRun, runSweep)
          .option("FILE", &RunSweepOptions::file, "The sweep's file, in TOML", Takes::required, Values::files)
          .flag("--detach", &RunSweepOptions::detach, "Print the sweep's name and leave it running")
          .flag("--headless", &RunSweepOptions::headless,
                "Stop the sweep at Ctrl-C, for use without a person");
  addBeginning(run);
  addSlurmOptions(run, "Train each trial as a job of Slurm");
  run.option("--jobs N", &RunSweepOptions::jobs, "With --slurm: how many jobs at once; default: 4",
             range(1, kMostWidth));
  declare(set, "sweep status", "List the sweeps, or the trials of one", help::kSweepStatus, showSweeps)
      .option("NAME", &SweepStatusOptions::sweep,
              "\"latest\", or a prefix of the sweep's name; none: all sweeps", Values::sweeps)
      .flag("--watch", &SweepStatusOptions::watch, "Keep showing what changes, until Ctrl-C")
      .json();
  ofOne(set, "pause", "Checkpoint a sweep's trials and free their devices", help::kSweepPause, pauseSweep)
      .json();
  ofOne(set, "resume", "Continue a sweep", help::kSweepResume, resumeSweep).json();
  ofOne(set, "stop", "Checkpoint a sweep's trials and end the sweep", help::kSweepStop, stopSweep).json();
  ofOne(set, "extend", "Try more points, or for longer", help::kSweepExtend, extendSweep)
      .option("--trials N", &ExtendSweepOptions::trials, "Add this many trials",
              range(1, sweep::SweepFile::kMostTrials))
      .option("--device-hours H", &ExtendSweepOptions::deviceHours, "Add this many device-hours",
              CommandSet::between(0, sweep::SweepFile::kMostDeviceHours))
      .json();
  ofOne(set, "best", "Print the command that trains the winner", help::kSweepBest, showBestTrial).json();
  addExport(set);
  auto import = declare(set, "sweep import", "Convert a sweep file of Weights & Biases", help::kSweepImport,
                        importSweep)
                    .option("FILE", &ImportSweepOptions::file, "The sweep file of Weights & Biases, in YAML",
                            Takes::required, Values::files);
  addOutput(import);
  ofOne(set, "rm", "Remove a sweep", help::kSweepRemove, removeSweep)
      .flag("--runs", &RemoveSweepOptions::runs, "Put the sweep's runs into the trash")
      .flag("--yes", &RemoveSweepOptions::yes, "Do not ask")
      .json();
}

}  // namespace batchscope::cli
