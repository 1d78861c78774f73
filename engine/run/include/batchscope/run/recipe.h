// SPDX-License-Identifier: Apache-2.0
/// \file
/// A recipe: how an example or a person's own program is started, with the parameters that a person may set.
/// recipe.toml lies beside the example; the window's Run button and `batchscope run --recipe` read it. Form:
/// see examples/digits/recipe.toml.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/run_spec.h"

namespace batchscope::run {

/// One of the program's options, as a form shows it.
struct Parameter {
  /// Type of a value; a flag is "true" or "false".
  enum class Type { integer, number, text, flag, choice };

  std::string name;                  ///< "epochs": becomes --epochs VALUE
  Type type = Type::text;            ///< of its value
  std::string value;                 ///< the default; without a GPU the one for a CPU
  std::string left_out;              ///< the program's own default, on any machine
  std::optional<double> minimum;     ///< of a number; none: no bound
  std::optional<double> maximum;     ///< the same from above
  std::vector<std::string> choices;  ///< of a choice: all its values
  std::string help;                  ///< a sentence
  std::string at_least;              ///< another parameter, which this number may not be below; or empty
  std::string unless;                ///< a flag that switches `at_least` off; or empty

  /// Returns a sentence that says what is expected, empty where `text` is a valid value.
  std::string complaint(const std::string& text) const;
};

/// How a program is started.
struct Recipe {
  /// Values by the parameter's name, as text; a flag is "true" or "false".
  using Values = std::map<std::string, std::string>;

  std::string name;         ///< by which commands know it
  std::string title;        ///< by which people know it
  std::string description;  ///< a sentence or two
  std::string program;      ///< name of an executable beside ours, or a path relative to the recipe
  int replicas = 1;         ///< to begin with
  /// RunSpec::devices_per_replica.
  int devices_per_replica = 0;
  /// Where the recipe leaves the number to goodput; `replicas` is the first generation's.
  std::optional<protocol::AutoReplicas> auto_replicas;
  protocol::TimeOuts time_outs;                                ///< how long anything may take
  int restart_budget = 5;                                      ///< restarts in a row without progress
  protocol::NonFinite non_finite = protocol::NonFinite::skip;  ///< what a gradient that is not finite does
  std::vector<Parameter> parameters;                           ///< in the order of the form
  std::filesystem::path file;                                  ///< that it was read from

  /// Reads a recipe, and checks whether this machine has a GPU. Throws Error(not_found | usage) naming file,
  /// line and field.
  static Recipe load(const std::filesystem::path& file);

  const Parameter* parameter(const std::string& name) const;  ///< null: there is none of this name
  /// Returns the defaults overridden by these.
  Values values(const Values& changed) const;

  /// Returns what is wrong with the defaults overridden by these, by the parameter to correct: each parameter
  /// alone, and where it does not fit another.
  std::map<std::string, std::string> complaints(const Values& values) const;

  /// Returns the spec with the defaults overridden by `values`. Throws Error(usage) with every complaint,
  /// Error(not_found) where the program is not built.
  protocol::RunSpec spec(const Values& values = {}) const;

  /// Returns the arguments as the program takes them, the defaults overridden by these.
  std::vector<std::string> arguments(const Values& values = {}) const;

  /// Returns the values from which such arguments were made, with the program's own defaults for parameters
  /// that they lack. Nothing where an argument is not one of the parameters.
  std::optional<Values> values_of(const std::vector<std::string>& arguments) const;

  /// Returns whether a run was started with it: from its file, or its program by hand.
  bool made(const protocol::RunSpec& spec) const;
};

/// Returns the recipes that come with this build or installation, by name. One that does not load is left
/// out, with a line on stderr.
std::vector<Recipe> installed_recipes();
/// Returns the recipe of this name; none where there is none.
std::optional<Recipe> installed_recipe(const std::string& name);

}  // namespace batchscope::run
