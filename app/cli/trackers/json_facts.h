// SPDX-License-Identifier: Apache-2.0
//
// Facts in JSON, as W&B keeps them, and in YAML, as MLflow and W&B do: configurations become hyperparameters,
// a name for each leaf, with points between the names of nested ones.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "batchscope/protocol/json.h"

namespace batchscope::cli {

// JSON of any kind, also NaN and Infinity as Python writes them; nullopt for anything else, and for what is
// nested deeper than 32.
std::optional<protocol::Json> jsonIn(std::string_view text);

// A number, or "NaN" and the like as a text; nullopt for anything else.
std::optional<double> numberOf(const protocol::Json& json);

// Calls visit("a.b", leaf) for each leaf of objects in one another. Lists are leaves.
void visitLeaves(const std::string& name, const protocol::Json& json,
                 const std::function<void(const std::string& name, const protocol::Json& leaf)>& visit);

// As a hyperparameter: texts without quotes, all else as JSON.
std::string leafText(const protocol::Json& leaf);

// The text of a YAML file as JSON, numbers being texts; nullopt for what is not YAML, is larger than 4 MiB or
// has aliases.
std::optional<protocol::Json> yamlIn(const std::string& text);

// The text of a small file; nullopt where it cannot be read, or is larger than 4 MiB.
std::optional<std::string> smallFile(const std::filesystem::path& file);

}  // namespace batchscope::cli
