// SPDX-License-Identifier: Apache-2.0
#include "command_line/command_set.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "batchscope/common/translate.h"
#include "batchscope/protocol/suggestion.h"
#include "command_line/help_text.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr int kFlagColumn = 30;
// Commands of other programs, each with the one here that does the same.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOthersNames{
    {{"compare", "diff"}, {"list", "ls"}}};
constexpr char kMark = '\x1f';  // in front of a word that stood behind "--"

// CLI11 puts two empty lines before each group of flags but the first.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = Formatter::make_help(app, std::move(name), mode);
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
      text.erase(at, 1);
    return text;
  }

 private:
  // The group of options that were put into none is CLI11's.
  std::string make_group(std::string group, bool isPositional,
                         std::vector<const CLI::Option*> options) const override {
    return Formatter::make_group(group == "Options" ? say("Options") : group, isPositional, options);
  }
};

}  // namespace

CommandSet::CommandSet() : app_(tr(help::kAbout).toStdString(), "batchscope") {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.get_formatter()->column_width(kFlagColumn);
  app_.get_formatter()->label("Usage", say("Usage"));
  app_.get_formatter()->label("Positionals", say("Positionals"));
  app_.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app_.get_formatter()->label("REQUIRED", "");
  app_.get_formatter()->label("Needs", say("needs"));
  app_.get_formatter()->label("Excludes", say("not with"));
  app_.set_help_flag("-h,--help", say("Print this help message and exit"));
  app_.set_version_flag("--version", "batchscope " BATCHSCOPE_VERSION, say("Print the version"));
  app_.footer(tr(help::kOverview).toStdString());
  app_.require_subcommand(0, 1);  // a program or a topic may be named like a command
}

CLI::App* CommandSet::add(const std::string& name, const std::string& description, const char* footer,
                          Action action) {
  const auto space = name.find(' ');
  CLI::App* family = space == std::string::npos ? &app_ : app_.get_subcommand(name.substr(0, space));
  CLI::App* command = family->add_subcommand(name.substr(space + 1), description);
  command->footer(tr(footer).toStdString());
  command->group(group_);
  actions_[command] = std::move(action);
  return command;
}

CLI::App* CommandSet::addFamily(const std::string& name, const std::string& description, const char* footer) {
  CLI::App* family = app_.add_subcommand(name, description);
  family->footer(tr(footer).toStdString());
  family->group(group_);
  family->require_subcommand(0, 1);
  return family;
}

void CommandSet::addProgram(const std::string& name, const char* description) {
  programs_.insert(add(name, tr(description).toStdString(), "", {}));
}

std::string CommandSet::programNamed(Strings words) const {
  if (!words.empty() && (words.front() == "help" || words.front() == kComplete)) words.erase(words.begin());
  const CLI::App& command = named(words);
  return programs_.contains(&command) ? command.get_name() : "";
}

void CommandSet::checkValues() { checkValues(app_); }

void CommandSet::checkValues(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    if (!emptyToo_.contains(option))
      option->check(
          [](const std::string& text) { return text.empty() ? say("its value is empty") : std::string(); });
    if (option->get_positional())
      option->transform(CLI::Validator(
          [](std::string& word) {
            word = withoutMark(word);
            return std::string();
          },
          ""));
  }
  for (CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; })) checkValues(*inner);
}

std::string CommandSet::plain(const std::string& word) { return kMark + word; }

std::string CommandSet::withoutMark(const std::string& word) {
  return word.starts_with(kMark) ? word.substr(1) : word;
}

const CLI::App& CommandSet::named(const Strings& words) const {
  const CLI::App* command = &app_;
  for (const std::string& word : words) {
    if (word.starts_with('-')) continue;
    const CLI::App* inner = find(*command, word);
    if (inner == nullptr) break;
    command = inner;
  }
  return *command;
}

const CLI::App& CommandSet::chosen() const {
  const CLI::App* command = &app_;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string CommandSet::fullName(const CLI::App& command) {
  const CLI::App* family = command.get_parent();
  return family == nullptr ? command.get_name() : fullName(*family) + " " + command.get_name();
}

bool CommandSet::isFamily(const CLI::App& command) { return !commandNames(command).empty(); }

CLI::Option* CommandSet::limitTo(CLI::Option* option, const Strings& words) {
  words_[option] = words;
  return setValues(option->check(CLI::IsMember(words).description("")), Values::words);
}

CLI::Validator CommandSet::between(double least, double most) {
  return {[=](const std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most)
              return std::string();
            return say("\"{}\" is not a number from {} to {}", text, least, most);
          },
          ""};
}

CLI::Option* CommandSet::setValues(CLI::Option* option, Values values) {
  values_[option] = values;
  return option;
}

CommandSet::Action CommandSet::action(const CLI::App& command) const {
  if (const auto found = preparations_.find(&command); found != preparations_.end()) found->second();
  return actions_.at(&command);
}

CommandSet::Values CommandSet::valuesOf(const CLI::Option* option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? Values::unknown : found->second;
}

CommandSet::Strings* CommandSet::programArguments(const CLI::App& command) const {
  const auto found = programArguments_.find(&command);
  return found == programArguments_.end() ? nullptr : found->second;
}

const CommandSet::Strings& CommandSet::wordsOf(const CLI::Option* option) const {
  static const Strings kNone;
  const auto found = words_.find(option);
  return found == words_.end() ? kNone : found->second;
}

const CLI::App* CommandSet::find(const CLI::App& family, const std::string& name) {
  const auto found = family.get_subcommands([&](const CLI::App* app) { return app->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

CommandSet::Strings CommandSet::commandNames(const CLI::App& family) {
  Strings names;
  for (const CLI::App* command :
       family.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

CommandSet::Strings CommandSet::flagNames(const CLI::App& command) {
  Strings names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string CommandSet::suggestion(const std::string& word, const Strings& names,
                                   const std::string& otherwise) {
  const auto meant =
      std::ranges::find(kOthersNames, word, &std::pair<std::string_view, std::string_view>::first);
  const bool isKnown = meant != kOthersNames.end() && std::ranges::find(names, meant->second) != names.end();
  const std::string nearest = protocol::did_you_mean(isKnown ? meant->second : word, names);
  return nearest.empty() ? otherwise : nearest;
}

std::string CommandSet::noFlagText(const CLI::App& command, const std::string& flag, bool takesProgram) {
  const std::string name = fullName(command);
  const std::string nearest = protocol::did_you_mean(flag, flagNames(command));
  if (nearest.empty())
    return takesProgram
               ? say("{} has no flag {}; put the program's own arguments after \"--\"; see {} --help", name,
                     flag, name)
               : say("{} has no flag {}; see {} --help", name, flag, name);
  const std::string text = say("{} has no flag {}{}", name, flag, nearest);
  return takesProgram ? say("{} Put the program's own arguments after \"--\"", text) : text;
}

}  // namespace batchscope::cli
