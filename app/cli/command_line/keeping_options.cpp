// SPDX-License-Identifier: Apache-2.0
//
// The commands that organise runs, and copy them to other places.
#include "batchscope/protocol/error.h"
#include "command_line/command_builder.h"
#include "command_line/help_text.h"

namespace batchscope::cli {
namespace {

void addTag(CommandSet& set) {
  const auto tag =
      declare(set, "tag", say("Add or remove a run's tags"), help::kTag, tagRun)
          .run()
          .option("TAGS", &TagOptions::changes, say("+TAG or TAG adds, -TAG removes; none: shows them"))
          .json();
  // -TAG must not be taken for a flag: it is read from the remaining words.
  tag.app()->set_help_flag("--help", say("Print this help message and exit"));
  tag.app()->allow_extras();
  set.prepare(tag.app(), [command = tag.app(), options = tag.options()] {
    for (const std::string& word : command->remaining()) {
      if (word.starts_with("--")) throw Error(ErrorKind::usage, CommandSet::noFlagText(*command, word));
      options->changes.push_back(word);
    }
  });
}

void addNote(CommandSet& set) {
  const auto text = std::make_shared<std::string>();
  auto note = declare(set, "note", say("Write a note on a run"), help::kNote, noteRun).run();
  CLI::Option* given =
      note.app()
          ->add_option("TEXT", *text, say("The note; -: from standard input; none: shows it"))
          ->type_name("");
  set.allowEmpty(given);
  note.json();
  // CLI11's optional would take an empty note for a missing one.
  set.prepare(note.app(), [given, text, options = note.options()] {
    if (given->count() > 0) options->text = *text;
  });
}

}  // namespace

void addKeepingCommands(CommandSet& set) {
  set.beginGroup(say("Keep"));
  addTag(set);
  addNote(set);
  declare(set, "rename", say("Give a run another name"), help::kRename, renameRun)
      .run()
      .option("NAME", &RenameOptions::name, say("The new name"), Takes::required)
      .json();
  declare(set, "rm", say("Put a run into the trash, or delete it"), help::kRemove, removeRun)
      .run()
      .flag("--purge", &RemoveOptions::purge,
            say("Delete it for good, with its series, logs and checkpoints"))
      .flag("--yes", &RemoveOptions::yes, say("Do not ask"))
      .json();
  declare(set, "restore", say("Take a run out of the trash"), help::kRestore, restoreRun)
      .run(Values::removedRuns)
      .json();
  declare(set, "export", say("Write a run to a file"), help::kExport, exportRun)
      .run()
      .option("--format FORMAT", &ExportOptions::format,
              say("csv, html, json, jsonl, tensorboard or sqlite; default: jsonl"),
              OneOf{{"csv", "html", "json", "jsonl", "tensorboard", "sqlite"}})
      .option("-o,--output FILE", &ExportOptions::output,
              say("Write to this file; -: standard output; default: NAME-ID.FORMAT here"), Values::files)
      .option("--series NAME", &ExportOptions::series, say("Write only this series; may be repeated"),
              Takes::repeated, Values::series)
      .flag("--force", &ExportOptions::force, say("Overwrite what is there"))
      .flag("--follow", &ExportOptions::follow, say("Append to the file, as jsonl, while the run goes on"))
      .json();
  declare(set, "import", say("Import runs that were exported, or that other trackers recorded"),
          help::kImport, importRun)
      .option("PATH", &ImportOptions::files,
              say("A file that `batchscope export` wrote as jsonl or sqlite, or another tracker's file or "
                  "folder, see below"),
              Values::files)
      .flag("--watch", &ImportOptions::watch,
            say("Follow what other trackers are writing there, until Ctrl-C"))
      .option("--run-folder DIR", &ImportOptions::runFolder,
              say("In place of PATH: a shared folder named by a run's id, with run.json and record.jsonl"),
              Values::files)
      .option("--name TEXT", &ImportOptions::name, say("Give the run this name"))
      .json();
  declare(set, "follow", say("Bring a run that trains elsewhere into this store, live"), help::kFollow,
          followRecord)
      .option("PLACE", &FollowOptions::place, say("[HOST:]DIR, where DIR is the run's folder FOLDER/ID"),
              Takes::required, Values::files)
      .flag("--once", &FollowOptions::once, say("Take what is there now, and end"))
      .json();
  declare(set, "cp", say("Copy a file or folder out of a run's folder"), help::kCopy, copyFromRun)
      .option("SOURCE", &CopyOptions::source, say("RUN:PATH, relative to the run's folder"), Takes::required)
      .option("DEST", &CopyOptions::destination, say("A folder, or a new name"), Takes::required,
              Values::files)
      .flag("--force", &CopyOptions::force, say("Overwrite what is there"))
      .json();
}

}  // namespace batchscope::cli
