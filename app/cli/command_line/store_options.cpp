// SPDX-License-Identifier: Apache-2.0
//
// The words of the commands about the store as a whole, and about the machine.

#include "command_line/command_set.h"
#include "command_line/help_text.h"

namespace batchscope::cli {
namespace {

constexpr double kMostDays = 36'500;

void addCollect(CommandSet& set) {
  const auto options = std::make_shared<CollectOptions>();
  CLI::App* command = set.add("gc", "Delete what was removed long ago, and what nobody owns", help::kCollect,
                              [=] { return collectGarbage(*options); });
  command->add_option("--days", options->days, "Runs that were removed so many days ago: 30 if not said")
      ->check(CommandSet::between(0, kMostDays))
      ->type_name("N");
  command->add_flag("--checkpoints", options->checkpoints,
                    "Also checkpoints of runs at rest, but for the newest and those made by hand");
  command->add_flag("--dry-run", options->dryRun, "Only say what would be deleted");
  command->add_flag("--yes", options->yes, "Do not ask");
  set.addJson(command, options->json);
}

void addAdopt(CommandSet& set) {
  const auto options = std::make_shared<AdoptOptions>();
  CLI::App* command = set.add("adopt", "List runs whose folders the catalogue does not know", help::kAdopt,
                              [=] { return adoptRuns(*options); });
  command->add_option("ID", options->runs, "The names of their folders; all if not said")->type_name("");
  set.addJson(command, options->json);
}

void addCompact(CommandSet& set) {
  const auto options = std::make_shared<CompactOptions>();
  CLI::App* command = set.add("compact", "Make the store's files small", help::kCompact,
                              [=] { return compactStore(*options); });
  set.setValues(
      command->add_option("RUN", options->runs, "Only these runs; all at rest if not said")->type_name(""),
      CommandSet::Values::runs);
  set.addJson(command, options->json);
}

void addBackup(CommandSet& set) {
  const auto options = std::make_shared<BackupOptions>();
  CLI::App* command = set.add("backup", "Copy the store while runs go on", help::kBackup,
                              [=] { return backUpStore(*options); });
  set.setValues(command->add_option("FOLDER", options->folder, "A new folder")->required()->type_name(""),
                CommandSet::Values::files);
  set.addJson(command, options->json);
}

void addDoctor(CommandSet& set) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = set.add("doctor", "Examine this machine, and say what mends it", help::kDoctor,
                              [=] { return examineMachine(*options); });
  command->add_flag("--store", options->store, "Only the store, but every byte of it");
  command->add_flag("--tighten", options->tighten,
                    "First take the store's files and folders out of other users' reach");
  set.addJson(command, options->json);
}

void addCompletion(CommandSet& set) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = set.add("completion", "Print what completes command lines in a shell",
                              help::kCompletion, [=] { return printCompletionScript(*shell); });
  set.limitTo(command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name(""),
              {"bash", "zsh", "fish"});
}

}  // namespace

void addStoreCommands(CommandSet& set) {
  set.beginGroup("Store and machine");
  addCollect(set);
  addAdopt(set);
  addCompact(set);
  addBackup(set);
  addDoctor(set);
  addCompletion(set);
}

}  // namespace batchscope::cli
