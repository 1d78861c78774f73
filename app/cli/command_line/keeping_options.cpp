// SPDX-License-Identifier: Apache-2.0
//
// The commands that organise runs, and copy them to other places.
#include <fmt/core.h>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/suggestion.h"
#include "command_line/command_builder.h"
#include "command_line/help_text.h"

namespace batchscope::cli {
namespace {

void addTag(CommandSet& set) {
  const auto tag =
      declare(set, "tag", "Add or remove a run's tags", help::kTag, tagRun)
          .run()
          .option("TAGS", &TagOptions::changes, "+TAG or TAG adds, -TAG removes; none: shows them")
          .json();
  // -TAG must not be taken for a flag: it is read from the remaining words.
  tag.app()->set_help_flag("--help", "Print this help message and exit");
  tag.app()->allow_extras();
  set.prepare(tag.app(), [command = tag.app(), options = tag.options()] {
    for (const std::string& word : command->remaining()) {
      if (word.starts_with("--"))
        throw Error(ErrorKind::usage,
                    fmt::format("batchscope tag has no flag {}{}", word,
                                protocol::did_you_mean(word, CommandSet::flagNames(*command))));
      options->changes.push_back(word);
    }
  });
}

void addNote(CommandSet& set) {
  const auto text = std::make_shared<std::string>();
  auto note = declare(set, "note", "Write a note on a run", help::kNote, noteRun).run();
  CLI::Option* given = note.app()
                           ->add_option("TEXT", *text, "The note; -: from standard input; none: shows it")
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
  set.beginGroup("Keep");
  addTag(set);
  addNote(set);
  declare(set, "rename", "Give a run another name", help::kRename, renameRun)
      .run()
      .option("NAME", &RenameOptions::name, "The new name", Takes::required)
      .json();
  declare(set, "rm", "Put a run into the trash, or delete it", help::kRemove, removeRun)
      .run()
      .flag("--purge", &RemoveOptions::purge, "Delete it for good, with its series, logs and checkpoints")
      .flag("--yes", &RemoveOptions::yes, "Do not ask")
      .json();
  declare(set, "restore", "Take a run out of the trash", help::kRestore, restoreRun)
      .run(Values::removedRuns)
      .json();
  declare(set, "export", "Write a run to a file", help::kExport, exportRun)
      .run()
      .option("--format FORMAT", &ExportOptions::format,
              "csv, html, json, jsonl, tensorboard or sqlite; default: jsonl",
              OneOf{{"csv", "html", "json", "jsonl", "tensorboard", "sqlite"}})
      .option("-o,--output FILE", &ExportOptions::output,
              "Write to this file; -: standard output; default: NAME-ID.FORMAT here", Values::files)
      .option("--series NAME", &ExportOptions::series, "Write only this series; may be repeated",
              Takes::repeated, Values::series)
      .flag("--force", &ExportOptions::force, "Overwrite what is there")
      .flag("--follow", &ExportOptions::follow, "Append to the file, as jsonl, while the run goes on")
      .json();
  declare(set, "import", "Import runs that were exported, or that other trackers recorded", help::kImport,
          importRun)
      .option("PATH", &ImportOptions::files,
              "A file that `batchscope export` wrote as jsonl or sqlite, or another tracker's file or "
              "folder, see below",
              Values::files)
      .flag("--watch", &ImportOptions::watch, "Follow what other trackers are writing there, until Ctrl-C")
      .option("--run-folder DIR", &ImportOptions::runFolder,
              "In place of PATH: a shared folder named by a run's id, with run.json and record.jsonl",
              Values::files)
      .option("--name TEXT", &ImportOptions::name, "Give the run this name")
      .json();
  declare(set, "follow", "Bring a run that trains elsewhere into this store, live", help::kFollow,
          followRecord)
      .option("PLACE", &FollowOptions::place, "[HOST:]DIR, where DIR is the run's folder FOLDER/ID",
              Takes::required, Values::files)
      .flag("--once", &FollowOptions::once, "Take what is there now, and end")
      .json();
  declare(set, "cp", "Copy a file or folder out of a run's folder", help::kCopy, copyFromRun)
      .option("SOURCE", &CopyOptions::source, "RUN:PATH, relative to the run's folder", Takes::required)
      .option("DEST", &CopyOptions::destination, "A folder, or a new name", Takes::required, Values::files)
      .flag("--force", &CopyOptions::force, "Overwrite what is there")
      .json();
}

}  // namespace batchscope::cli
