// SPDX-License-Identifier: Apache-2.0
#include "batchscope/sweep/sweeps.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "batchscope/pool/queue.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/client.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/recipe.h"
#include "batchscope/storage/annotation.h"
#include "batchscope/sweep/driver.h"
#include "trials/runs.h"

namespace batchscope::sweep {
namespace {

using storage::SweepState;

[[noreturn]] void refuse_parameter(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("parameter '{}': {}", name, why));
}

// A sweep's name is a word of commands, and the beginning of its runs' names.
void check_sweep_name(const std::string& name) {
  storage::check_name(name);
  if (name.starts_with('-') || name.starts_with(' ') || name.ends_with(' ') || name.starts_with('.') ||
      name.find('/') != std::string::npos)
    throw Error(
        ErrorKind::usage,
        fmt::format("'{}' cannot be the name of a sweep: a name must not contain '/', begin with '-' or '.', "
                    "or begin or end with a blank",
                    name));
}

// The values at which a parameter may be out of its bounds.
std::vector<std::string> outermost(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::choice) return parameter.choices;
  return {parameter.text(parameter.min), parameter.text(parameter.max)};
}

// Each parameter alone, beside what is fixed and the recipe's own defaults; what depends on two that are
// searched is for the program to say.
void check_recipe(const SweepFile& file, const protocol::RunSpec& base) {
  const auto recipe = run::Recipe::load(base.recipe);
  run::Recipe::Values fixed = recipe.values_of(base.arguments).value_or(recipe.values({}));
  for (const Parameter& parameter : file.parameters)
    if (parameter.count() == 1) fixed[parameter.name] = parameter.text(parameter.nth(0));
  for (const Parameter& parameter : file.parameters) {
    if (!recipe.parameter(parameter.name))
      refuse_parameter(parameter.name,
                       fmt::format("the recipe {} has no parameter of this name", recipe.name));
    for (const std::string& value : outermost(parameter)) {
      run::Recipe::Values values = fixed;
      values[parameter.name] = value;
      const auto complaints = recipe.complaints(values);
      if (const auto own = complaints.find(parameter.name); own != complaints.end())
        refuse_parameter(parameter.name, fmt::format("{}, found '{}'", own->second, value));
    }
  }
  if (file.seeds > 1 && !recipe.parameter("seed"))
    throw Error(ErrorKind::usage,
                fmt::format("seeds = {}: the recipe {} has no parameter 'seed'", file.seeds, recipe.name));
}

int width_for(const protocol::RunSpec& spec) {
  const run::Machine machine = run::Machine::here();
  const bool gpus = spec.device != "cpu" && !machine.gpus.empty();
  const int devices = static_cast<int>(gpus ? machine.gpus.size() : machine.cores.size());
  const int each = spec.auto_replicas ? spec.auto_replicas->min : spec.replicas;
  return std::max(1, devices / std::max(1, each));
}

void go_on(storage::Sweeps& sweeps, const std::string& name) {
  sweeps.resume(name);
  kDriver.start();
}

// Runs of the pool are told at once; the driver knows how to reach those of elsewhere.
void tell_runs(storage::Catalogue& catalogue, const storage::Sweep& sweep,
               void (*order)(storage::Catalogue&, const std::string&)) {
  if (!sweep.workplace.empty()) return kDriver.start();
  for_living_runs(catalogue, sweep.name, [&](const std::string& run) { order(catalogue, run); });
}

// Resolves a sweep that has not ended; throws Error(conflict) for one that has.
storage::Sweep living(storage::Sweeps& sweeps, const std::string& name, const char* what) {
  storage::Sweep sweep = sweeps.resolve(name);
  if (sweep.state == SweepState::finished || sweep.state == SweepState::failed)
    throw Error(ErrorKind::conflict, fmt::format("the sweep '{}' has {} and cannot be {}", sweep.name,
                                                 storage::sweep_state_name(sweep.state), what));
  return sweep;
}

}  // namespace

void check(const SweepFile& file, const protocol::RunSpec& base, bool elsewhere) {
  check_sweep_name(file.name);
  storage::check_series(file.metric);
  if (file.seeds > 1)
    for (const Parameter& parameter : file.parameters)
      if (parameter.name == "seed")
        refuse_parameter(
            "seed", "with `seeds` above 1 the sweep sets --seed itself: remove this parameter, or `seeds`");
  if (!base.recipe.empty()) check_recipe(file, base);
  (elsewhere ? run::check_spec : pool::check_submit)(trial_spec(file, base, 0, {}, 0));
}

void create(storage::Catalogue& catalogue, const SweepFile& file, const protocol::RunSpec& base, bool paused,
            int width, const std::string& workplace, const std::string& message) {
  check(file, base, !workplace.empty());
  storage::Sweep sweep;
  sweep.name = file.name;
  sweep.file = file.text();
  sweep.spec = pool::with_environment(base);
  sweep.state = paused ? SweepState::paused : SweepState::running;
  sweep.width = width > 0 ? width : width_for(base);
  sweep.workplace = workplace;
  sweep.message = message;
  storage::Sweeps(catalogue).create(sweep);
  if (!paused) kDriver.start();
}

void pause(storage::Catalogue& catalogue, const std::string& name) {
  storage::Sweeps sweeps(catalogue);
  const storage::Sweep sweep = living(sweeps, name, "paused");
  if (sweep.state == SweepState::stopped)
    throw Error(ErrorKind::conflict,
                fmt::format("the sweep '{}' was stopped: it trains nothing", sweep.name));
  sweeps.set_state(sweep.name, SweepState::paused);
  tell_runs(catalogue, sweep, pool::hold);
}

void resume(storage::Catalogue& catalogue, const std::string& name) {
  storage::Sweeps sweeps(catalogue);
  const storage::Sweep sweep = sweeps.resolve(name);
  if (sweep.state == SweepState::finished)
    throw Error(
        ErrorKind::conflict,
        fmt::format("the sweep '{0}' is finished: `batchscope sweep extend {0} --trials N` goes on with it",
                    sweep.name));
  go_on(sweeps, sweep.name);
}

void stop(storage::Catalogue& catalogue, const std::string& name) {
  storage::Sweeps sweeps(catalogue);
  const storage::Sweep sweep = living(sweeps, name, "stopped");
  sweeps.set_state(sweep.name, SweepState::stopped, "stopped by a person");
  tell_runs(catalogue, sweep, pool::cancel);
}

void extend(storage::Catalogue& catalogue, const std::string& name, int trials, double device_hours) {
  storage::Sweeps sweeps(catalogue);
  const SweepView view = look(catalogue, name);
  SweepFile file = view.file;
  if (trials < 0 || device_hours < 0 || (trials == 0 && device_hours == 0))
    throw Error(ErrorKind::usage, "extend a sweep by a number of trials or device-hours above 0");
  if (trials > 0 && file.stop.kind == StopRule::Kind::pbt)
    throw Error(
        ErrorKind::usage,
        fmt::format("the sweep '{}' trains a population, which keeps its size: begin another sweep, or give "
                    "this one more device-hours",
                    view.sweep.name));
  if (trials > 0) {
    if (!file.trials)
      throw Error(
          ErrorKind::usage,
          fmt::format("the sweep '{}' tries all points of its grid: there are no more", view.sweep.name));
    if (*file.trials > SweepFile::kMostTrials - trials)
      throw Error(ErrorKind::usage, fmt::format("a sweep has at most {} trials", SweepFile::kMostTrials));
    *file.trials += trials;
  }
  if (device_hours > 0) {
    if (!file.device_hours)
      throw Error(ErrorKind::usage,
                  fmt::format("the sweep '{}' has no limit of device-hours: there is nothing to add",
                              view.sweep.name));
    *file.device_hours += device_hours;
  }
  sweeps.set_file(view.sweep.name, file.text());
  go_on(sweeps, view.sweep.name);
}

}  // namespace batchscope::sweep
