// SPDX-License-Identifier: Apache-2.0
//
// The commands for the whole store, and for the machine.
#include "command_line/command_builder.h"
#include "command_line/help_text.h"
#include "doctor/doctor.h"

namespace batchscope::cli {

void addStoreCommands(CommandSet& set) {
  constexpr double kMostDays = 36'500;
  set.beginGroup(say("Store and machine"));
  declare(set, "gc", say("Delete runs long in the trash, and files that belong to no run"), help::kCollect,
          collectGarbage)
      .option("--days N", &CollectOptions::days,
              say("Delete runs that have been in the trash for N days; default: 30"),
              CommandSet::between(0, kMostDays))
      .flag(
          "--checkpoints", &CollectOptions::checkpoints,
          say("Also delete checkpoints of runs that do not train, except the newest and those made by hand"))
      .flag("--dry-run", &CollectOptions::dryRun, say("Only print what would be deleted"))
      .flag("--yes", &CollectOptions::yes, say("Do not ask"))
      .json();
  declare(set, "adopt", say("Add runs whose folders the catalogue does not list"), help::kAdopt, adoptRuns)
      .option("ID", &AdoptOptions::runs, say("The names of their folders; default: all"))
      .json();
  declare(set, "compact", say("Shrink the store's files"), help::kCompact, compactStore)
      .option("RUN", &CompactOptions::runs, say("Compact only these runs; default: all that do not train"),
              Values::runs)
      .json();
  declare(set, "backup", say("Copy the store while runs go on"), help::kBackup, backUpStore)
      .option("FOLDER", &BackupOptions::folder, say("A new folder"), Takes::required, Values::files)
      .json();
  declare(set, "doctor", say("Check this machine, and say how to fix what is wrong"), help::kDoctor,
          examineMachineOrSite)
      .flag("--store", &Examination::store, say("Check only the store, and every byte of it"))
      .flag("--tighten", &Examination::tighten, say("First deny other users the store's files and folders"))
      .flag("--slurm", &Examination::slurm, say("Check only whether this site's Slurm allows what runs need"))
      .option("--folder DIR", &Examination::folder, say("With --slurm: the folder that runs will use"),
              Values::files)
      .flag("--try", &Examination::tryJob,
            say("With --slurm: start a short job, to learn whether nodes see that folder"))
      .json();
  declare(set, "completion", say("Print the script that completes command lines in a shell"),
          help::kCompletion, printCompletionScript)
      .option("SHELL", &CompletionOptions::shell, say("bash, zsh or fish"), Takes::required,
              OneOf{{"bash", "zsh", "fish"}});
}

}  // namespace batchscope::cli
