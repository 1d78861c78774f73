// SPDX-License-Identifier: Apache-2.0
//
// The commands as CLI11 knows them, and what it does not know: the action of each command, and the values
// that its words may have, by which the shells complete them (completion.h).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "commands/commands.h"

namespace batchscope::cli {

// The command that the shells' scripts call (completion_scripts.h).
inline constexpr char kComplete[] = "__complete";

class CommandSet {
 public:
  using Action = std::function<int()>;
  using Strings = std::vector<std::string>;

  // Kind of value that a word of the command line stands for. The list of `words` is known.
  enum class Values { unknown, words, runs, removedRuns, jobs, sweeps, series, fields, files, commands };

  CommandSet();

  CLI::App& app() { return app_; }
  const CLI::App& app() const { return app_; }

  // The heading in the help of the commands that are added from now on.
  void beginGroup(const std::string& heading) { group_ = heading; }

  // Adds a command "NAME", or "FAMILY NAME" in a family that was added before. The footer is in English, as
  // in help_text.h.
  CLI::App* add(const std::string& name, const std::string& description, const char* footer, Action action);
  // Adds a family, a command that only groups others.
  CLI::App* addFamily(const std::string& name, const std::string& description, const char* footer);

  // Adds a command that is a program of its own, batchscope-NAME, beside this one: few need it, so it is not
  // built into the program that all use. The description is in English, too.
  void addProgram(const std::string& name, const char* description);
  // Returns the name of such a command, if the words name one, or ask for its help or completion; else "".
  std::string programNamed(Strings words) const;

  // Refuses any other word than these.
  CLI::Option* limitTo(CLI::Option* option, const Strings& words);
  CLI::Option* setValues(CLI::Option* option, Values values);
  // Refuses what is not a number between the two; CLI::Range lets a NaN pass.
  static CLI::Validator between(double least, double most);

  // Takes "" as a value.
  void allowEmpty(CLI::Option* option) { emptyToo_.insert(option); }
  // Refuses the value "" for each option without allowEmpty, and takes marked words (`plain`) as positionals.
  // Call it when all commands have been added.
  void checkValues();

  // Returns a word that stood after "--", marked so that CLI11 does not take it for a flag.
  static std::string plain(const std::string& word);
  // Returns the word without the mark.
  static std::string withoutMark(const std::string& word);

  // Returns the command that these words name, as chosen() does for parsed words.
  const CLI::App& named(const Strings& words) const;
  // Returns the command that the parsed words name: a command, a family whose command is missing, or the
  // program.
  const CLI::App& chosen() const;
  // Returns the name as it is typed: "batchscope sweep run".
  static std::string fullName(const CLI::App& command);
  // Returns whether the command has commands, as a family and the program have.
  static bool isFamily(const CLI::App& command);

  // Sets a function that is called before the command's action.
  void prepare(const CLI::App* command, std::function<void()> preparation) {
    preparations_[command] = std::move(preparation);
  }
  Action action(const CLI::App& command) const;
  // Returns whether the command has an action; a family has none.
  bool acts(const CLI::App& command) const { return actions_.contains(&command); }

  // Returns the list into which the words after "--" go; null: the command takes none.
  Strings* programArguments(const CLI::App& command) const;
  void passProgramArguments(const CLI::App* command, Strings& arguments) {
    programArguments_[command] = &arguments;
  }

  Values valuesOf(const CLI::Option* option) const;
  const Strings& wordsOf(const CLI::Option* option) const;

  // Returns the command of this name in the family; null if there is none.
  static const CLI::App* find(const CLI::App& family, const std::string& name);

  // Returns the names of a family's visible commands.
  static Strings commandNames(const CLI::App& family);
  static Strings flagNames(const CLI::App& command);

  // Returns "; did you mean NAME?" where a name is near the word, else `otherwise`, which says where to look.
  static std::string suggestion(const std::string& word, const Strings& names, const std::string& otherwise);
  // Returns what to say of a flag that the command does not have. Flags of a program go behind "--".
  static std::string noFlagText(const CLI::App& command, const std::string& flag, bool takesProgram = false);

 private:
  void checkValues(CLI::App& command);

  CLI::App app_;
  std::string group_;
  std::map<const CLI::App*, Action> actions_;
  std::map<const CLI::App*, std::function<void()>> preparations_;
  std::map<const CLI::Option*, Values> values_;
  std::map<const CLI::Option*, Strings> words_;
  std::map<const CLI::App*, Strings*> programArguments_;
  std::set<const CLI::App*> programs_;
  std::set<const CLI::Option*> emptyToo_;
};

// Each adds a part of the commands.
void addTrainingCommands(CommandSet& set);  // start runs, and control them
void addQueryCommands(CommandSet& set);     // show what runs recorded
void addKeepingCommands(CommandSet& set);   // tags, notes, trash, files
void addStoreCommands(CommandSet& set);     // the store and the machine
void addQueueCommands(CommandSet& set);     // many runs on the devices of this machine
void addSweepCommands(CommandSet& set);     // sweeps of hyperparameters

}  // namespace batchscope::cli
