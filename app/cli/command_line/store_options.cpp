// SPDX-License-Identifier: Apache-2.0
//
// The commands about the store as a whole, and about the machine.
#include "command_line/command_builder.h"
#include "command_line/help_text.h"

namespace batchscope::cli {

void addStoreCommands(CommandSet& set) {
  constexpr double kMostDays = 36'500;
  set.beginGroup("Store and machine");
  declare(set, "gc", "Delete what was removed long ago, and what nobody owns", help::kCollect, collectGarbage)
      .option("--days N", &CollectOptions::days, "Runs that were removed so many days ago: 30 if not said",
              CommandSet::between(0, kMostDays))
      .flag("--checkpoints", &CollectOptions::checkpoints,
            "Also checkpoints of runs at rest, but for the newest and those made by hand")
      .flag("--dry-run", &CollectOptions::dryRun, "Only say what would be deleted")
      .flag("--yes", &CollectOptions::yes, "Do not ask")
      .json();
  declare(set, "adopt", "List runs whose folders the catalogue does not know", help::kAdopt, adoptRuns)
      .option("ID", &AdoptOptions::runs, "The names of their folders; all if not said")
      .json();
  declare(set, "compact", "Make the store's files small", help::kCompact, compactStore)
      .option("RUN", &CompactOptions::runs, "Only these runs; all at rest if not said", Values::runs)
      .json();
  declare(set, "backup", "Copy the store while runs go on", help::kBackup, backUpStore)
      .option("FOLDER", &BackupOptions::folder, "A new folder", Takes::required, Values::files)
      .json();
  declare(set, "doctor", "Examine this machine, and say what mends it", help::kDoctor, examineMachine)
      .flag("--store", &DoctorOptions::store, "Only the store, but every byte of it")
      .flag("--tighten", &DoctorOptions::tighten,
            "First take the store's files and folders out of other users' reach")
      .json();
  declare(set, "completion", "Print what completes command lines in a shell", help::kCompletion,
          printCompletionScript)
      .option("SHELL", &CompletionOptions::shell, "bash, zsh or fish", Takes::required,
              OneOf{{"bash", "zsh", "fish"}});
}

}  // namespace batchscope::cli
