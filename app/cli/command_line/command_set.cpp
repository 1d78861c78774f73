// SPDX-License-Identifier: Apache-2.0
#include "command_line/command_set.h"

#include <fmt/core.h>

#include "command_line/help_text.h"

namespace batchscope::cli {
namespace {

constexpr int kFlagColumn = 30;

}  // namespace

CommandSet::CommandSet() : app_(help::kAbout, "batchscope") {
  app_.get_formatter()->column_width(kFlagColumn);
  app_.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app_.get_formatter()->label("REQUIRED", "");
  app_.get_formatter()->label("Excludes", "not with");
  app_.set_version_flag("--version", "batchscope " BATCHSCOPE_VERSION, "Print the version");
  app_.footer(help::kOverview);
  app_.require_subcommand(0, 1);  // a program or a topic may be named like a command
}

CLI::App* CommandSet::add(const std::string& name, const std::string& description, const char* footer,
                          Action action) {
  CLI::App* command = app_.add_subcommand(name, description);
  command->footer(footer);
  command->group(group_);
  actions_[command] = std::move(action);
  return command;
}

CLI::Option* CommandSet::limitTo(CLI::Option* option, const Strings& words) {
  words_[option] = words;
  return setValues(option->check(CLI::IsMember(words).description("")), Values::words);
}

CLI::Validator CommandSet::between(double least, double most) {
  return {[=](const std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most)
              return std::string();
            return fmt::format("\"{}\" is no number from {} to {}", text, least, most);
          },
          ""};
}

CLI::Option* CommandSet::setValues(CLI::Option* option, Values values) {
  values_[option] = values;
  return option;
}

CommandSet::Action CommandSet::action(const CLI::App* command) const {
  if (const auto found = preparations_.find(command); found != preparations_.end()) found->second();
  return actions_.at(command);
}

CommandSet::Values CommandSet::valuesOf(const CLI::Option* option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? Values::unknown : found->second;
}

CommandSet::Strings* CommandSet::programArguments(const CLI::App* command) const {
  const auto found = programArguments_.find(command);
  return found == programArguments_.end() ? nullptr : found->second;
}

const CommandSet::Strings& CommandSet::wordsOf(const CLI::Option* option) const {
  static const Strings kNone;
  const auto found = words_.find(option);
  return found == words_.end() ? kNone : found->second;
}

const CLI::App* CommandSet::find(const std::string& name) const {
  for (const auto& [command, action] : actions_)
    if (command->get_name() == name) return command;
  return nullptr;
}

CommandSet::Strings CommandSet::commandNames() const {
  Strings names;
  for (const CLI::App* command :
       app_.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

CommandSet::Strings CommandSet::flagNames(const CLI::App& command) {
  Strings names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace batchscope::cli
