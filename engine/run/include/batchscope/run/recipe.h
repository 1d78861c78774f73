// SPDX-License-Identifier: Apache-2.0
/// \file
/// A recipe: how an example or a person's own program is started, with parameters a person may set.
/// recipe.toml lies beside the example; the window's Run button and `batchscope run --recipe` read it.
/// Form: see examples/digits/recipe.toml.
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
  /// What a value may be; a flag is "true" or "false".
  enum class Type { integer, number, text, flag, choice };

  std::string name;                  ///< "epochs": becomes --epochs VALUE
  Type type = Type::text;            ///< of its value
  std::string value;                 ///< the default
  std::optional<double> minimum;     ///< of a number; none: no bound
  std::optional<double> maximum;     ///< the same from above
  std::vector<std::string> choices;  ///< of a choice: all its values
  std::string help;                  ///< a sentence

  /// Empty when `text` is a valid value, else a sentence that says what is expected.
  std::string complaint(const std::string& text) const;
};

/// How a program is started.
struct Recipe {
  std::string name;         ///< by which commands know it
  std::string title;        ///< by which people know it
  std::string description;  ///< a sentence or two
  std::string program;      ///< name of an executable beside ours, or a path relative to the recipe
  int replicas = 1;         ///< to begin with
  /// Where the recipe leaves the number to goodput; `replicas` is the first generation's.
  std::optional<protocol::AutoReplicas> auto_replicas;
  protocol::TimeOuts time_outs;  ///< how long anything may take
  int restart_budget = 5;        ///< restarts after failures that come no further
  protocol::NonFinite non_finite = protocol::NonFinite::skip;  ///< what a gradient that is not finite does
  std::vector<Parameter> parameters;                           ///< in the order of the form
  std::filesystem::path file;                                  ///< that it was read from

  /// Throws Error(not_found | usage) naming file, line and field.
  static Recipe load(const std::filesystem::path& file);

  /// The spec with the defaults overridden by `values`. Throws Error(usage) with every complaint,
  /// Error(not_found) where the program is not built.
  protocol::RunSpec spec(const std::map<std::string, std::string>& values = {}) const;
};

/// Recipes that come with this build or installation, by name. One that does not load is left out, with a
/// line on stderr.
std::vector<Recipe> installed_recipes();
/// The one of this name; none where there is none.
std::optional<Recipe> installed_recipe(const std::string& name);

}  // namespace batchscope::run
