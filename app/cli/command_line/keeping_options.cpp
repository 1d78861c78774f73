// SPDX-License-Identifier: Apache-2.0
//
// The words of the commands by which a person keeps order among runs, and carries them away.

#include <fmt/core.h>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/suggestion.h"
#include "command_line/command_set.h"
#include "command_line/help_text.h"

namespace batchscope::cli {
namespace {

void addTag(CommandSet& set) {
  const auto options = std::make_shared<TagOptions>();
  CLI::App* command =
      set.add("tag", "Add tags to a run, or take them away", help::kTag, [=] { return tagRun(*options); });
  set.addRunName(command, options->run);
  command->add_option("TAGS", options->changes, "+TAG or TAG adds, -TAG takes away; none: shows them")
      ->type_name("");
  set.addJson(command, options->json);
  // So that -TAG is none of ours: it is taken from what remains.
  command->set_help_flag("--help", "Print this help message and exit");
  command->allow_extras();
  set.prepare(command, [command, options] {
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
  const auto options = std::make_shared<NoteOptions>();
  const auto text = std::make_shared<std::string>();
  CLI::App* command =
      set.add("note", "Write a note on a run", help::kNote, [=] { return noteRun(*options); });
  set.addRunName(command, options->run);
  const CLI::Option* given =
      command->add_option("TEXT", *text, "The note; -: from standard input; none: shows it")->type_name("");
  set.addJson(command, options->json);
  // An optional of CLI11's would take an empty note for none.
  set.prepare(command, [=] {
    if (given->count() > 0) options->text = *text;
  });
}

void addRename(CommandSet& set) {
  const auto options = std::make_shared<RenameOptions>();
  CLI::App* command =
      set.add("rename", "Give a run another name", help::kRename, [=] { return renameRun(*options); });
  set.addRunName(command, options->run);
  command->add_option("NAME", options->name, "The new name")->required()->type_name("");
  set.addJson(command, options->json);
}

void addExport(CommandSet& set) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      set.add("export", "Write a run into a file", help::kExport, [=] { return exportRun(*options); });
  set.addRunName(command, options->run);
  set.limitTo(command
                  ->add_option("--format", options->format,
                               "csv, json, jsonl, tensorboard or sqlite; jsonl if not said")
                  ->type_name("FORMAT"),
              {"csv", "json", "jsonl", "tensorboard", "sqlite"});
  set.setValues(
      command
          ->add_option("-o,--output", options->output, "Where; -: standard output; else NAME-ID.FORMAT here")
          ->type_name("FILE"),
      CommandSet::Values::files);
  set.setValues(
      set.addTexts(command, "--series", options->series, "NAME", "Only this series; may be repeated"),
      CommandSet::Values::series);
  command->add_flag("--force", options->force, "Overwrite what is there");
  set.addJson(command, options->json);
}

void addImport(CommandSet& set) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* command = set.add("import", "Take in a run that was exported", help::kImport,
                              [=] { return importRun(*options); });
  set.setValues(command->add_option("FILE", options->file, "What export --format jsonl or sqlite wrote")
                    ->required()
                    ->type_name(""),
                CommandSet::Values::files);
  command->add_option("--name", options->name, "Another name for it");
  set.addJson(command, options->json);
}

void addCopy(CommandSet& set) {
  const auto options = std::make_shared<CopyOptions>();
  CLI::App* command = set.add("cp", "Copy a file or folder out of a run's own", help::kCopy,
                              [=] { return copyFromRun(*options); });
  command->add_option("SOURCE", options->source, "RUN:PATH, relative to the run's folder")
      ->required()
      ->type_name("");
  set.setValues(
      command->add_option("DEST", options->destination, "A folder, or a new name")->required()->type_name(""),
      CommandSet::Values::files);
  command->add_flag("--force", options->force, "Overwrite what is there");
  set.addJson(command, options->json);
}

void addRemove(CommandSet& set) {
  const auto options = std::make_shared<RemoveOptions>();
  CLI::App* command = set.add("rm", "Put a run into the trash, or delete it", help::kRemove,
                              [=] { return removeRun(*options); });
  set.addRunName(command, options->run);
  command->add_flag("--purge", options->purge, "Delete it for good, with its series, logs and checkpoints");
  command->add_flag("--yes", options->yes, "Do not ask");
  set.addJson(command, options->json);
}

}  // namespace

void addKeepingCommands(CommandSet& set) {
  set.beginGroup("Keep");
  addTag(set);
  addNote(set);
  addRename(set);
  addRemove(set);
  set.addReference("restore", "Take a run out of the trash", help::kRestore, restoreRun,
                   CommandSet::Values::removedRuns);
  addExport(set);
  addImport(set);
  addCopy(set);
}

}  // namespace batchscope::cli
