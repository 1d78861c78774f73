// SPDX-License-Identifier: Apache-2.0
//
// Facts in JSON, from W&B, and in YAML, from MLflow and W&B. Configurations become hyperparameters: a name
// for each leaf, with points between nested names.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "batchscope/protocol/json.h"

namespace batchscope::cli {

// Parses JSON, also with NaN and Infinity as Python writes them; nullopt for anything else, and for more than
// 32 levels of nesting.
std::optional<protocol::Json> jsonIn(std::string_view text);

// Returns a number, also from "NaN" and the like as a text; nullopt for anything else.
std::optional<double> numberOf(const protocol::Json& json);

// Calls visit("a.b", leaf) for each leaf of nested objects. Lists are leaves.
void visitLeaves(const std::string& name, const protocol::Json& json,
                 const std::function<void(const std::string& name, const protocol::Json& leaf)>& visit);

// Returns the value as a hyperparameter: texts without quotes, all else as JSON.
std::string leafText(const protocol::Json& leaf);

// Returns a YAML file's text as JSON, with numbers as texts; nullopt for text that is not YAML, is larger
// than 4 MiB or has aliases.
std::optional<protocol::Json> yamlIn(const std::string& text);

// Returns the text of a small file; nullopt if it cannot be read, or is larger than 4 MiB.
std::optional<std::string> smallFile(const std::filesystem::path& file);

}  // namespace batchscope::cli
