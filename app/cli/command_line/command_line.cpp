// SPDX-License-Identifier: Apache-2.0
#include "command_line/command_line.h"

#include <fmt/args.h>
#include <fmt/core.h>
#include <unistd.h>

#include <QLocale>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "batchscope/common/language.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/application.h"
#include "batchscope/run/own_program.h"
#include "command_line/command_set.h"
#include "command_line/completion.h"
#include "command_line/help_text.h"
#include "command_line/sweep_help.h"
#include "records/partly_done.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "terminal/standard_output.h"
#include "terminal/terminal.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Action = CommandSet::Action;
using Strings = std::vector<std::string>;

// The topics of `batchscope help` beside the commands.
constexpr std::array<std::pair<const char*, const char*>, 2> kTopics{
    {{"exit-codes", help::kExitCodes}, {"sweep-file", help::kSweepFile}}};

constexpr std::size_t kLongestEcho = 300;  // bytes of an argument that a message repeats

// CLI11's texts of what is wrong in a command line, by its names for these errors.
constexpr std::pair<const char*, const char*> kFaults[] = {
    {"RequiredError", QT_TR_NOOP("{} is required")},
    {"RequiresError", QT_TR_NOOP("{} requires {}")},
    {"ExcludesError", QT_TR_NOOP("{} excludes {}")},
    {"ConversionError", QT_TR_NOOP("Could not convert: {} = {}")},
    {"ArgumentMismatch", QT_TR_NOOP("{}: At Most {} required but received {}")},
    {"ArgumentMismatch", QT_TR_NOOP("{}: {} required {} missing")},
    {"ValidationError", QT_TR_NOOP("{}: Value {} not in range {} to {}")},
    {"ValidationError", QT_TR_NOOP("{}: {} not in {}")},
};

// Returns what CLI11 says, in the language of the interface. CLI11 makes its texts of the words itself.
std::string faultText(const CLI::ParseError& error) {
  for (const auto& [name, english] : kFaults) {
    const QString form = QRegularExpression::escape(QString::fromUtf8(english))
                             .replace(QStringLiteral("\\{\\}"), QStringLiteral("(.*)"));
    const auto match = QRegularExpression(QRegularExpression::anchoredPattern(form),
                                          QRegularExpression::DotMatchesEverythingOption)
                           .match(QString::fromUtf8(error.what()));
    if (error.get_name() != name || !match.hasMatch()) continue;
    fmt::dynamic_format_arg_store<fmt::format_context> values;
    for (int i = 1; i <= match.lastCapturedIndex(); ++i) values.push_back(match.captured(i).toStdString());
    return common::filled(tr(english).toStdString(), english, values);
  }
  return error.what();
}

// Qt complains on standard error about every locale that is not UTF-8 and replaces it. We have asked the
// locale what we wanted to know before; the variable is put back for the programs that we start.
class Utf8ForQt {
 public:
  Utf8ForQt() {
    if (const char* value = std::getenv("LC_ALL")) before_ = value;
    qputenv("LC_ALL", "C.UTF-8");
  }
  ~Utf8ForQt() { before_.isNull() ? qunsetenv("LC_ALL") : qputenv("LC_ALL", before_); }

 private:
  QByteArray before_;
};

class CommandLine {
 public:
  explicit CommandLine(const CommandParts& parts) {
    for (const auto add : parts) add(set_);
    addHelp();
    set_.checkValues();
  }

  const CommandSet& commands() const { return set_; }

  // Throws Error(usage).
  Action parse(Strings arguments) {
    // Words after "--" are the program's own. For a command without a program they are positionals, not
    // flags.
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    Strings behind(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
    refuseEmptyValues(arguments);
    if (set_.programArguments(set_.named(arguments)) == nullptr)
      std::ranges::transform(std::exchange(behind, {}), std::back_inserter(arguments), CommandSet::plain);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    try {
      set_.app().parse(arguments);
    } catch (const CLI::ParseError& error) {
      return explain(error);
    }
    const CLI::App& chosen = set_.chosen();
    if (!set_.acts(chosen)) return [&chosen] { return printHelp(chosen); };
    if (Strings* place = set_.programArguments(chosen)) *place = behind;
    return set_.action(chosen);
  }

 private:
  // Refuses "--x=", for which CLI11 would take the next word as the value.
  static void refuseEmptyValues(const Strings& words) {
    for (const std::string& word : words)
      if (word.starts_with("--") && word.find('=') == word.size() - 1)
        throw Error(ErrorKind::usage, say("{} has an empty value", word));
  }

  void addHelp() {
    const auto topic = std::make_shared<Strings>();
    CLI::App* command = set_.add("help", say("Show help on a command, exit-codes or sweep-file"), "",
                                 [this, topic] { return printTopic(*topic); });
    set_.setValues(command->add_option("TOPIC", *topic, say("A command's name, exit-codes or sweep-file"))
                       ->type_name(""),
                   CommandSet::Values::commands);
  }

  // Not by app.help(), which speaks of the command that was parsed.
  static int printHelp(const CLI::App& app) {
    const std::string name = CommandSet::fullName(app);
    fmt::print("{}", app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal));
    return kExitOk;
  }

  // The words of a command's name, or a topic of its own.
  int printTopic(const Strings& topic) {
    for (const auto& [name, text] : kTopics)
      if (topic == Strings{name}) {
        fmt::print("{}", tr(text).toStdString());
        return kExitOk;
      }
    const CLI::App* command = &set_.app();
    for (const std::string& word : topic) {
      const CLI::App& family = *command;
      command = CommandSet::find(family, word);
      if (command != nullptr) continue;
      Strings topics = CommandSet::commandNames(family);
      if (&family == &set_.app())
        for (const auto& [name, text] : kTopics) topics.emplace_back(name);
      throw Error(
          ErrorKind::usage,
          say("there is no help about \"{}\"{}", word,
              CommandSet::suggestion(word, topics,
                                     say("; {} --help lists the commands", CommandSet::fullName(family)))));
    }
    return printHelp(*command);
  }

  [[noreturn]] static void refuseCommand(const CLI::App& family, const std::string& word) {
    const std::string name = CommandSet::fullName(family);
    throw Error(ErrorKind::usage, say("{} has no command \"{}\"{}", name, word,
                                      CommandSet::suggestion(word, CommandSet::commandNames(family),
                                                             say("; {} --help lists them", name))));
  }

  // CLI11 reports help and version as errors, and does not report an unknown command before them.
  Action explain(const CLI::ParseError& error) {
    CLI::App& app = set_.app();
    const CLI::App& command = set_.chosen();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      if (CommandSet::isFamily(command))
        for (const std::string& left : app.remaining(true))
          if (!left.starts_with('-')) refuseCommand(command, CommandSet::withoutMark(left));
      return [text = dynamic_cast<const CLI::CallForVersion*>(&error) ? error.what() + std::string("\n")
                                                                      : app.help()] {
        fmt::print("{}", text);
        return static_cast<int>(kExitOk);
      };
    }
    const std::string name = CommandSet::fullName(command);
    const bool takesProgram = set_.programArguments(command) != nullptr;
    for (const std::string& left : app.remaining(true)) {
      const std::string word = CommandSet::withoutMark(left);
      if (left.starts_with('-'))
        throw Error(ErrorKind::usage, CommandSet::noFlagText(command, word, takesProgram));
      if (CommandSet::isFamily(command)) refuseCommand(command, word);
      throw Error(
          ErrorKind::usage,
          takesProgram
              ? say("{} does not take \"{}\"; put the program's own arguments after \"--\"; see {} --help",
                    name, word, name)
              : say("{} does not take \"{}\"; see {} --help", name, word, name));
    }
    throw Error(ErrorKind::usage, say("{}; see {} --help", faultText(error), name));
  }

  CommandSet set_;
};

bool wantsJson(const Strings& arguments) {
  const auto ours = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), ours, "--json") != ours;
}

// Returns the words with the command in front that the name of a program of one command stands for:
// `batchscope-serve --port 0` does what `batchscope serve --port 0` does.
Strings withOwnCommand(const CommandSet& set, std::string_view file, Strings words) {
  constexpr std::string_view kPrefix = "batchscope-";
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  if (!file.starts_with(kPrefix)) return words;
  const std::string command(file.substr(kPrefix.size()));
  const auto isCommand = [&set](const std::string& word) {
    return CommandSet::find(set.app(), word) != nullptr;
  };
  const bool isComplete = !words.empty() && (isCommand(words.front()) || words.front() == kComplete ||
                                             words.front() == "--version");
  if (isCommand(command) && !isComplete) words.insert(words.begin(), command);
  return words;
}

// Replaces this process by the program of a command that has its own.
[[noreturn]] void becomeProgram(const std::string& command, char** argv) {
  const std::string file = run::own_program("batchscope-" + command).string();
  execv(file.c_str(), argv);
  throw Error(ErrorKind::io, say("cannot start {}: {}", file, std::strerror(errno)));
}

int carryOut(const CommandParts& parts, char** argv, Strings arguments) {
  CommandLine commandLine(parts);
  arguments = withOwnCommand(commandLine.commands(), argv[0], std::move(arguments));
  if (const std::string program = commandLine.commands().programNamed(arguments); !program.empty())
    becomeProgram(program, argv);
  try {
    if (arguments.empty() || arguments.front() != kComplete) return commandLine.parse(arguments)();
    fmt::print("{}",
               completionText(complete(commandLine.commands(), {arguments.begin() + 1, arguments.end()})));
    return kExitOk;
  } catch (const std::system_error& error) {
    // {fmt} tells by this exception that standard output takes no more.
    if (std::ferror(stdout) != 0) refuseOutput(error.code().value());
    throw;
  }
}

// Returns the message with each long argument that it repeats cut short.
std::string withoutLongEchoes(std::string message, const Strings& arguments) {
  for (const std::string& argument : arguments) {
    const std::string value = argument.starts_with("--") ? argument.substr(argument.find('=') + 1) : argument;
    if (value.size() <= kLongestEcho) continue;
    std::size_t end = kLongestEcho / 2;
    while ((static_cast<unsigned char>(value[end]) & 0xC0) == 0x80) --end;  // within a character of UTF-8
    const std::string beginning = say("{}.. ({} bytes)", value.substr(0, end), value.size());
    for (auto at = message.find(value); at != std::string::npos;
         at = message.find(value, at + beginning.size()))
      message.replace(at, value.size(), beginning);
  }
  return message;
}

int report(ErrorKind kind, const std::string& message, bool json, protocol::Json answer) {
  std::fflush(stdout);
  answer["error"] = {{"kind", error_kind_name(kind)}, {"message", message}};
  if (json) printJson(answer);
  fmt::print(stderr, "batchscope: {}\n", printable_lines(message));
  return exit_code(kind);
}

}  // namespace

int printCompletionScript(const CompletionOptions& options) {
  fmt::print("{}", completionScript(options.shell));
  return kExitOk;
}

int runCommandLine(int argc, char** argv, const CommandParts& parts) {
  keepStandardStreams();
  readLocale();
  const auto application = [&] {
    const Utf8ForQt locale;
    return std::make_unique<run::Application>(argc, argv);
  }();
  const Strings arguments(argv + 1, argv + argc);
  const bool json = wantsJson(arguments);
  const auto tell = [&](ErrorKind kind, const std::exception& error,
                        const protocol::Json& answer = protocol::Json::object()) {
    return report(kind, withoutLongEchoes(protocol::fault_text(error), arguments), json, answer);
  };
  // The engine and fmt write numbers so, and one output does not mix two kinds.
  QLocale::setDefault(QLocale(QLocale::English));
  int code = kExitOk;
  try {
    common::chooseLanguage();
    code = carryOut(parts, argv, arguments);
    flushOutput();
    return code;
  } catch (const PartlyDone& error) {
    return tell(error.kind(), error, error.done());
  } catch (const Error& error) {
    const int ours = tell(error.kind(), error);
    return code == kExitOk ? ours : code;
  } catch (const std::exception& error) {
    return tell(ErrorKind::failure, error);
  } catch (const Interrupted& interrupted) {
    return dieOf(interrupted);
  }
}

}  // namespace batchscope::cli
