// SPDX-License-Identifier: Apache-2.0
#include "commands/program.h"

#include <fmt/core.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <filesystem>
#include <map>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/suggestion.h"
#include "batchscope/run/end_notice.h"
#include "batchscope/run/own_snapshot.h"
#include "batchscope/run/recipe.h"
#include "batchscope/run/script.h"
#include "batchscope/storage/annotation.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kRecipeFile[] = "recipe.toml";

// Returns the names of the examples and recipes that came with this program.
std::vector<std::string> recipeNames() {
  std::vector<std::string> names;
  for (const run::Recipe& recipe : run::installed_recipes()) names.push_back(recipe.name);
  return names;
}

[[noreturn]] void refuseUnknown(const std::string& fault, const std::string& text) {
  const std::string suggestion = protocol::did_you_mean(text, recipeNames());
  throw Error(ErrorKind::not_found,
              fault + (suggestion.empty() ? say("; give a path, or the name of an example") : suggestion));
}

std::string executable(const QString& path) {
  const QFileInfo file(path);
  const std::string shown = file.absoluteFilePath().toStdString();
  if (!file.exists()) throw Error(ErrorKind::not_found, say("there is no program {}", shown));
  if (file.isDir()) throw Error(ErrorKind::usage, say("{} is a folder, not a program", shown));
  if (!file.isExecutable())
    throw Error(ErrorKind::usage,
                say("{} is not executable; chmod +x it, and begin a script with #!", shown));
  return shown;
}

// Finds a program by name: beside our own program, in the working directory, on PATH. Empty if it is nowhere.
QString programNamed(const QString& name) {
  const QString beside = QCoreApplication::applicationDirPath() + '/' + name;
  for (const QString& candidate : {beside, QDir::current().filePath(name)})
    if (QFileInfo(candidate).isFile()) return candidate;
  return QStandardPaths::findExecutable(name);
}

// Loads a recipe by its file, or by the folder that holds it.
run::Recipe loadRecipe(const fs::path& place) {
  if (!fs::is_directory(place)) return run::Recipe::load(place);
  const fs::path file = place / kRecipeFile;
  if (!fs::exists(file))
    throw Error(ErrorKind::not_found,
                say("the folder {} holds no {}: name a program, or a folder with a recipe", place.string(),
                    kRecipeFile));
  return run::Recipe::load(file);
}

run::Recipe findRecipe(const std::string& text) {
  if (auto recipe = run::installed_recipe(text)) return std::move(*recipe);
  if (!fs::exists(text)) refuseUnknown(say("there is no recipe \"{}\"", text), text);
  return loadRecipe(text);
}

// Returns whether a recipe is named in the program's place: a folder, or a TOML file.
bool isRecipe(const std::string& program) {
  std::error_code fault;
  if (fs::path(program).extension() == ".toml" && fs::is_regular_file(program, fault)) return true;
  if (!fs::is_directory(program, fault)) return false;
  const bool isPath = program.find('/') != std::string::npos;
  return isPath || programNamed(QString::fromStdString(program)).isEmpty();
}

std::map<std::string, std::string> parseSettings(const std::vector<std::string>& settings) {
  std::map<std::string, std::string> values;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(ErrorKind::usage, say("--set {}: write KEY=VALUE, as in --set epochs=3", setting));
    values[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return values;
}

protocol::RunSpec specOf(const run::Recipe& recipe, const SpecOptions& options) {
  protocol::RunSpec spec = recipe.spec(parseSettings(options.settings));
  spec.arguments.insert(spec.arguments.end(), options.arguments.begin(), options.arguments.end());
  return spec;
}

// Returns the path of a Python script that an interpreter must run; empty for any other program.
fs::path scriptNamed(const std::string& program) {
  const fs::path file = fs::path(QDir::currentPath().toStdString()) / program;
  return run::interpreter_of(file).empty() ? fs::path() : file.lexically_normal();
}

std::string findInterpreter(const fs::path& script) try {
  return findProgram(run::interpreter_of(script));
} catch (const Error& error) {
  throw Error(error.kind(), say("{} is run by $PYTHON, else by /usr/bin/python3: {}",
                                script.filename().string(), error.what()));
}

protocol::RunSpec baseSpec(const SpecOptions& options) {
  if (!options.recipe.empty()) {
    if (!options.program.empty())
      throw Error(ErrorKind::usage, say("give a program or --recipe, not both: a recipe names its program"));
    return specOf(findRecipe(options.recipe), options);
  }
  if (isRecipe(options.program)) return specOf(loadRecipe(options.program), options);
  if (options.program.empty() && options.arguments.empty())
    throw Error(ErrorKind::usage,
                say("no program is named; try `batchscope run train.py`, or --recipe NAME"));
  if (!options.settings.empty())
    throw Error(
        ErrorKind::usage,
        say("--set belongs to a recipe: name its folder, or --recipe; write a program's own arguments after "
            "\"--\""));
  protocol::RunSpec spec;
  spec.arguments = options.arguments;
  std::string program = options.program;
  if (program.empty()) {  // run -- python3 train.py
    program = spec.arguments.front();
    spec.arguments.erase(spec.arguments.begin());
  }
  if (const fs::path script = scriptNamed(program); !script.empty()) {
    spec.program = findInterpreter(script);
    spec.arguments.insert(spec.arguments.begin(), script);
    spec.name = script.stem();
  } else {
    spec.program = findProgram(program);
    spec.name = fs::path(spec.program).filename();
  }
  return spec;
}

// Reads --devices-per-replica and --cores. The latter also sets the kind of device.
void giveEach(protocol::RunSpec& spec, const SpecOptions& options) {
  if (options.devices_per_replica > 0) spec.devices_per_replica = options.devices_per_replica;
  if (options.cores == 0) return;
  if (options.devices_per_replica > 0)
    throw Error(ErrorKind::usage, say("--cores and --devices-per-replica say the same: give one of them"));
  if (spec.device != "auto" && spec.device != "cpu")
    throw Error(ErrorKind::usage, say("--cores is for runs on cores, and --device is {}: give "
                                      "--devices-per-replica {}",
                                      spec.device, options.cores));
  spec.device = "cpu";
  spec.devices_per_replica = options.cores;
}

}  // namespace

std::string findProgram(const std::string& text) {
  const QString name = QString::fromStdString(text);
  if (name.contains('/')) return executable(name);
  if (const QString found = programNamed(name); !found.isEmpty()) return executable(found);
  refuseUnknown(say("there is no program \"{}\"", text), text);
}

protocol::RunSpec makeSpec(const SpecOptions& options) {
  protocol::RunSpec spec = baseSpec(options);
  spec.working_directory = QDir::currentPath().toStdString();
  if (!options.name.empty()) spec.name = options.name;
  if (!options.group.empty()) spec.group = options.group;
  if (!options.replicas.empty()) {
    const auto count = protocol::ReplicaCount::parse(options.replicas);
    spec.replicas = count.first(spec.replicas);
    spec.auto_replicas = count.automatic;
  }
  spec.efficiency_floor = options.efficiency_floor.value_or(spec.efficiency_floor);
  if (options.device) spec.device = *options.device;
  giveEach(spec, options);
  spec.oversubscribe = spec.oversubscribe || options.oversubscribe;
  spec.tls = options.tls;
  for (const std::string& trigger : options.triggers)
    spec.triggers.push_back(protocol::Trigger::parse(trigger));
  if (!options.checkpoint_every.empty())
    spec.checkpoint_interval = protocol::parse_duration(options.checkpoint_every);
  if (!options.resume_argument.empty()) spec.environment[run::kResumeArgument] = options.resume_argument;
  if (!options.notify.empty()) {
    run::check_notify(options.notify);
    spec.environment[run::kNotify] = options.notify;
  }
  options.faults.apply(spec);
  for (const std::string& tag : options.tags) storage::check_tag(tag);
  storage::check_note(options.note);
  return spec;
}

void annotate(storage::Catalogue& catalogue, const std::string& id, const SpecOptions& options) {
  try {
    if (!options.tags.empty()) catalogue.change_tags(id, options.tags, {});
    if (!options.note.empty()) catalogue.set_note(id, options.note);
  } catch (const Error& error) {
    fmt::print(stderr, "batchscope: {}\n",
               say("run {} goes on without its tags and its note: {}; `batchscope tag {}` and "
                   "`batchscope note {}` set them later",
                   id, printable(error.what()), id, id));
  }
}

}  // namespace batchscope::cli
