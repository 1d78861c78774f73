// SPDX-License-Identifier: Apache-2.0
//
// Makes, of a point of a sweep, the run that trains it.
#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "batchscope/run/recipe.h"
#include "batchscope/sweep/sweeps.h"

namespace batchscope::sweep {
namespace {

using protocol::Trigger;
using Arguments = std::vector<std::string>;

constexpr double kLastRung = 1e9;  // iterations, beyond which nothing is trained
constexpr int kMostRungs = 1000;

// The arguments without these options, and these behind them.
Arguments with_options(const Arguments& arguments, const Texts& options) {
  Arguments words;
  for (auto word = arguments.begin(); word != arguments.end(); ++word) {
    const auto equals = word->find('=');
    const bool replaced = word->starts_with("--") && options.contains(word->substr(2, equals - 2));
    if (!replaced)
      words.push_back(*word);
    else if (equals == std::string::npos && word + 1 != arguments.end())
      ++word;
  }
  for (const auto& [name, value] : options) words.insert(words.end(), {"--" + name, value});
  return words;
}

Arguments arguments_of(const protocol::RunSpec& base, const Texts& options) {
  if (base.recipe.empty()) return with_options(base.arguments, options);
  const auto recipe = run::Recipe::load(base.recipe);
  auto values = recipe.values_of(base.arguments);
  if (!values) return with_options(base.arguments, options);
  for (const auto& [name, value] : options) values->insert_or_assign(name, value);
  return recipe.arguments(*values);
}

std::vector<Trigger> triggers_of(const StopRule& rule) {
  std::vector<Trigger> triggers;
  if (rule.kind == StopRule::Kind::none) return triggers;
  const bool steps = rule.unit == StopRule::Unit::steps;
  for (int rung = 0; rung < kMostRungs; ++rung) {
    const auto end = iterations_at(rule, rung);
    if (!end || *end > kLastRung) return triggers;
    Trigger trigger;
    trigger.when = steps ? Trigger::When::step : Trigger::When::progress;
    trigger.at = steps ? std::ceil(*end) : *end;
    trigger.action = is_last(rule, rung) ? Trigger::Action::stop : Trigger::Action::pause;
    triggers.push_back(trigger);
    if (is_last(rule, rung)) break;
  }
  return triggers;
}

}  // namespace

protocol::RunSpec trial_spec(const SweepFile& file, const protocol::RunSpec& base, std::size_t trial,
                             const Texts& parameters, int seed) {
  protocol::RunSpec spec = base;
  Texts options = parameters;
  if (file.seeds > 1) options["seed"] = std::to_string(file.seed + static_cast<std::uint64_t>(seed) + 1);
  spec.arguments = arguments_of(base, options);
  spec.name = fmt::format("{}-{}", file.name, trial);
  if (file.seeds > 1) spec.name += fmt::format(".{}", seed);
  spec.group = file.name;
  spec.triggers = triggers_of(file.stop);
  return spec;
}

}  // namespace batchscope::sweep
