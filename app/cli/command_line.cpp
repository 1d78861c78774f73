// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/supervisor.h"
#include "commands.h"
#include "format.h"
#include "help_text.h"
#include "run_json.h"
#include "suggestion.h"

namespace batchscope::cli {
namespace {

constexpr int kFlagColumn = 30;
constexpr int kMostOrdinal = 1'000'000;  // of a replica or a generation

using Action = std::function<int()>;
using Strings = std::vector<std::string>;

class CommandLine {
 public:
  CommandLine() : app_(help::kAbout, "batchscope") {
    app_.get_formatter()->column_width(kFlagColumn);
    app_.get_formatter()->label("SUBCOMMAND", "COMMAND");
    app_.get_formatter()->label("REQUIRED", "");
    app_.set_version_flag("--version", "batchscope " BATCHSCOPE_VERSION, "Print the version");
    app_.footer(help::kOverview);
    app_.require_subcommand(0, 1);  // a program or a topic may be named like a command
    addRun();
    addList();
    addReference("show", "Everything about a run", help::kShow, showRun);
    addRescale();
    addReference("checkpoint", "Write a checkpoint now, and keep it", help::kCheckpoint, checkpointRun);
    addReference("pause", "Checkpoint a run and free its devices", help::kPause, pauseRun);
    addResume();
    addReference("stop", "Checkpoint a run and end it", help::kStop, stopRun);
    addReference("attach", "Watch a run that is going on", help::kAttach, attachToRun);
    addLogs();
    addCopy();
    addTensorboard();
    addRemove();
    addDoctor();
    addHelp();
    addSupervise();
  }

  // Throws Error(usage).
  Action parse(Strings arguments) {
    // What follows "--" is the program's own and none of our business.
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    const bool forProgram = dashes != arguments.end();
    if (forProgram) {
      runOptions_->arguments.assign(dashes + 1, arguments.end());
      arguments.erase(dashes, arguments.end());
    }
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    try {
      app_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      return explain(error);
    }
    const auto chosen = app_.get_subcommands();
    if (chosen.empty()) return [this] { return printHelp(app_); };
    if (forProgram && chosen.front()->get_name() != "run")
      throw Error(ErrorKind::usage, "only `batchscope run` takes arguments behind \"--\"");
    return actions_.at(chosen.front());
  }

 private:
  CLI::App* add(const std::string& name, const std::string& description, const char* footer, Action action) {
    CLI::App* command = app_.add_subcommand(name, description);
    command->footer(footer);
    command->group("Commands");
    actions_[command] = std::move(action);
    return command;
  }

  static CLI::Validator replicaCount() { return CLI::Range(1, protocol::kMostReplicas).description(""); }
  static CLI::Validator replicaText() {
    return {[](const std::string& text) {
              try {
                protocol::ReplicaCount::parse(text);
                return std::string();
              } catch (const Error& error) {
                return std::string(error.what());
              }
            },
            ""};
  }
  static CLI::Validator device() {
    return {[](const std::string& text) {
              const bool known =
                  text == "auto" || text == "cpu" || text == "cuda" || text.starts_with("cuda:");
              return known ? std::string() : "'" + text + "' is none of auto, cpu, cuda, cuda:N";
            },
            ""};
  }
  static CLI::Validator ordinal() { return CLI::Range(0, kMostOrdinal).description(""); }

  static void addJson(CLI::App* command, bool& json) { command->add_flag("--json", json, "Answer in JSON"); }

  static void addRunName(CLI::App* command, std::string& run) {
    command->add_option("RUN", run, "\"latest\", or a prefix of id or name")->required()->type_name("");
  }

  // Once per value: a list must not swallow the program's name behind it.
  static void addTexts(CLI::App* command, const std::string& flag, Strings& values, const char* type,
                       const std::string& description) {
    command->add_option(flag, values, description)->allow_extra_args(false)->type_name(type);
  }

  void addReference(const std::string& name, const std::string& description, const char* footer,
                    int (*function)(const RunReference&)) {
    const auto options = std::make_shared<RunReference>();
    CLI::App* command = add(name, description, footer, [=] { return function(*options); });
    addRunName(command, options->run);
    addJson(command, options->json);
  }

  void addRun() {
    const auto options = runOptions_;
    CLI::App* command =
        add("run", "Start a run and watch it", help::kRun, [=] { return runProgram(*options); });
    command
        ->add_option("PROGRAM", options->program,
                     "A path, or a name such as digits; its arguments, or all of it, behind \"--\"")
        ->type_name("");
    command
        ->add_option("--replicas", options->replicas,
                     "How many replicas to start with, or auto[:MIN-MAX] for as many as pay")
        ->check(replicaText())
        ->type_name("N");
    command
        ->add_option("--efficiency-floor", options->efficiency_floor,
                     "Of auto: the least speed-up per replica, 0.5 if not said")
        ->check(CLI::Range(0.0, 1.0).description(""))
        ->type_name("X");
    command->add_option("--name", options->name, "The run's name; else the program's");
    command
        ->add_option("--device", options->device,
                     "cpu, cuda, cuda:N for one GPU, or auto for GPUs where enough are free")
        ->check(device())
        ->type_name("NAME");
    command->add_flag("--oversubscribe", options->oversubscribe,
                      "Share GPUs: with other runs, and between replicas, which then use Gloo");
    command->add_option("--recipe", options->recipe, "A recipe's name, file or folder instead of a program");
    addTexts(command, "--set", options->settings, "TEXT", "A parameter of the recipe, KEY=VALUE");
    command->add_flag("--detach", options->detach, "Print the run's id and leave it running");
    command->add_flag("--headless")
        ->description("No window: watch in this terminal, as this program always does");
    addTexts(command, "--at", options->triggers, "EVENT", "A scripted event, such as epoch=2:replicas=1");
    command
        ->add_option("--checkpoint-every", options->checkpoint_every,
                     "Checkpoint this often: 60s if not said; 0: never")
        ->type_name("TIME");
    addFaults(command, *options);
    addTexts(command, "--expect", options->expectations, "CLAIM",
             "What must hold at the end, such as 'accuracy>=0.97'");
    command->add_option("--timeout", options->timeout, "Stop with a checkpoint after this time: 90s, 10m, 2h")
        ->type_name("TIME");
    command->add_option("--report", options->report, "Write a report in JSON to this file")
        ->type_name("FILE");
    addJson(command, options->json);
  }

  // What a fault does, and how long anything may take.
  static void addFaults(CLI::App* command, RunOptions& options) {
    constexpr char kGroup[] = "Faults";
    command
        ->add_option("--restart-budget", options.restart_budget,
                     "Restarts after failures that come no further, then the run fails: 5 if not said")
        ->check(CLI::Range(0, kMostOrdinal).description(""))
        ->type_name("N")
        ->group(kGroup);
    command
        ->add_option(
            "--non-finite", options.non_finite,
            "A gradient of NaN or infinity: skip the step (if not said), stop the run, or restore the "
            "last checkpoint")
        ->check(CLI::IsMember({"skip", "stop", "restore"}).description(""))
        ->type_name("POLICY")
        ->group(kGroup);
    const std::tuple<const char*, std::string&, const char*> times[] = {
        {"--collective-timeout", options.collective_timeout, "A replica waits this long for the others: 30s"},
        {"--hang-timeout", options.hang_timeout,
         "A run without progress for so long hangs, and is restarted: 45s; 0: never"},
        {"--rescale-timeout", options.rescale_timeout,
         "A restart has this long until its first step, then the old number is restored: 60s"},
        {"--checkpoint-timeout", options.checkpoint_timeout,
         "A stop has this long for its checkpoint, then the one before is used: 120s"}};
    for (const auto& [flag, text, description] : times)
      command->add_option(flag, text, description)->type_name("TIME")->group(kGroup);
  }

  void addList() {
    const auto json = std::make_shared<bool>(false);
    addJson(add("ls", "List the runs", help::kList, [=] { return listRuns(*json); }), *json);
  }

  void addRescale() {
    struct Options : RunReference {
      std::string replicas;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = add("rescale", "Restart a run on another number of replicas", help::kRescale,
                            [=] { return rescaleRun(*options, options->replicas); });
    addRunName(command, options->run);
    command->add_option("N", options->replicas, "How many replicas, or auto[:MIN-MAX]")
        ->required()
        ->check(replicaText())
        ->type_name("");
    addJson(command, options->json);
  }

  void addResume() {
    const auto options = std::make_shared<ResumeOptions>();
    CLI::App* command = add("resume", "Go on with a run from its last checkpoint", help::kResume,
                            [=] { return resumeRun(*options); });
    addRunName(command, options->run);
    command->add_option("--replicas", options->replicas, "How many; else as many as before")
        ->check(replicaCount())
        ->type_name("N");
    command->add_flag("--detach", options->detach, "Leave it running instead of watching");
    addJson(command, options->json);
  }

  void addLogs() {
    const auto options = std::make_shared<LogOptions>();
    CLI::App* command =
        add("logs", "What the replicas of a run wrote", help::kLogs, [=] { return printLogs(*options); });
    addRunName(command, options->run);
    command->add_flag("-f,--follow", options->follow, "Go on printing what comes, until the run is at rest");
    command->add_option("--since", options->since, "Of the last 30s, 10m or 2h only")->type_name("TIME");
    command->add_option("--replica", options->replica, "Of this replica only")
        ->check(ordinal())
        ->type_name("N");
    command->add_option("--generation", options->generation, "Of this generation; else the newest")
        ->check(ordinal())
        ->type_name("N");
    addJson(command, options->json);
  }

  void addRemove() {
    const auto options = std::make_shared<RemoveOptions>();
    CLI::App* command =
        add("rm", "Remove a run with its checkpoints", help::kRemove, [=] { return removeRun(*options); });
    addRunName(command, options->run);
    command->add_flag("--yes", options->yes, "Do not ask");
    addJson(command, options->json);
  }

  void addCopy() {
    const auto options = std::make_shared<CopyOptions>();
    CLI::App* command = add("cp", "Copy a file or folder out of a run's own", help::kCopy,
                            [=] { return copyFromRun(*options); });
    command->add_option("SOURCE", options->source, "RUN:PATH, relative to the run's folder")
        ->required()
        ->type_name("");
    command->add_option("DEST", options->destination, "A folder, or a new name")->required()->type_name("");
    command->add_flag("--force", options->force, "Overwrite what is there");
    addJson(command, options->json);
  }

  void addTensorboard() {
    const auto options = std::make_shared<TensorboardOptions>();
    CLI::App* command = add("tensorboard", "Start TensorBoard on a run's event files", help::kTensorboard,
                            [=] { return openTensorboard(*options); });
    addRunName(command, options->run);
    command->add_option("--port", options->port, "Where it listens; else where it likes")
        ->check(CLI::Range(1, 65535).description(""))
        ->type_name("N");
  }

  void addDoctor() {
    const auto json = std::make_shared<bool>(false);
    addJson(add("doctor", "Examine this machine, and say what mends it", help::kDoctor,
                [=] { return examineMachine(*json); }),
            *json);
  }

  void addHelp() {
    const auto topic = std::make_shared<std::string>();
    CLI::App* command =
        add("help", "Help about a command, or exit-codes", "", [this, topic] { return printTopic(*topic); });
    command->add_option("TOPIC", *topic, "A command's name, or exit-codes")->type_name("");
  }

  // Started by run::start_run; nobody types it.
  void addSupervise() {
    struct Options {
      std::string run;
      int replicas = 0;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        add("supervise", "", "", [=] { return run::supervise(options->run, options->replicas); });
    command->add_option("RUN", options->run)->required();
    command->add_option("--replicas", options->replicas);
    command->group("");
  }

  // Not by app.help(), which speaks of the command that was parsed.
  static int printHelp(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    const std::string name = (parent ? "batchscope " : "") + app.get_name();
    fmt::print("{}", app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal));
    return kExitOk;
  }

  int printTopic(const std::string& topic) {
    if (topic.empty()) return printHelp(app_);
    if (topic == "exit-codes") {
      fmt::print("{}", help::kExitCodes);
      return kExitOk;
    }
    for (const CLI::App* command : app_.get_subcommands({}))
      if (command->get_name() == topic) return printHelp(*command);
    throw Error(ErrorKind::usage,
                fmt::format("there is no help about \"{}\"{}", topic, didYouMean(topic, commandNames())));
  }

  // Help and version are "errors" to CLI11.
  Action explain(const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return [text = dynamic_cast<const CLI::CallForVersion*>(&error) ? error.what() + std::string("\n")
                                                                      : app_.help()] {
        fmt::print("{}", text);
        return static_cast<int>(kExitOk);
      };
    const auto chosen = app_.get_subcommands();
    const CLI::App& command = chosen.empty() ? app_ : *chosen.front();
    const std::string name = chosen.empty() ? "batchscope" : "batchscope " + command.get_name();
    for (const std::string& word : app_.remaining(true)) {
      if (word.starts_with('-'))
        throw Error(ErrorKind::usage,
                    fmt::format("{} has no flag {}{}", name, word, didYouMean(word, flagNames(command))));
      if (chosen.empty())
        throw Error(ErrorKind::usage,
                    fmt::format("there is no command \"{}\"{}; batchscope --help lists them", word,
                                didYouMean(word, commandNames())));
      throw Error(ErrorKind::usage, fmt::format("{} has no use for \"{}\"; see {} --help", name, word, name));
    }
    throw Error(ErrorKind::usage, fmt::format("{}; see {} --help", error.what(), name));
  }

  static std::string didYouMean(const std::string& word, const Strings& known) {
    const std::string nearest = nearestWord(word, known);
    return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
  }

  Strings commandNames() const {
    Strings names{"exit-codes"};
    for (const CLI::App* command :
         app_.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
      names.push_back(command->get_name());
    return names;
  }

  static Strings flagNames(const CLI::App& command) {
    Strings names;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  CLI::App app_;
  std::map<const CLI::App*, Action> actions_;
  std::shared_ptr<RunOptions> runOptions_ = std::make_shared<RunOptions>();
};

bool wantsJson(const Strings& arguments) {
  const auto ours = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), ours, "--json") != ours;
}

int report(ErrorKind kind, const std::string& message, bool json) {
  std::fflush(stdout);
  if (json) printJson({{"error", {{"kind", error_kind_name(kind)}, {"message", message}}}});
  fmt::print(stderr, "batchscope: {}\n", message);
  return exit_code(kind);
}

}  // namespace

int runCommandLine(int argc, char** argv) {
  const Strings arguments(argv + 1, argv + argc);
  try {
    CommandLine commandLine;
    return commandLine.parse(arguments)();
  } catch (const Error& error) {
    return report(error.kind(), error.what(), wantsJson(arguments));
  } catch (const std::exception& error) {
    return report(ErrorKind::failure, error.what(), wantsJson(arguments));
  }
}

}  // namespace batchscope::cli
