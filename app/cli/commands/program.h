// SPDX-License-Identifier: Apache-2.0
//
// Makes the spec of a run from what a person typed after `batchscope run` or `submit`.
#pragma once

#include <string>

#include "batchscope/protocol/run_spec.h"
#include "batchscope/storage/catalogue.h"
#include "commands/commands.h"

namespace batchscope::cli {

// The absolute path of a program: a text with a slash is a path; a name is looked for beside our own
// program, in the working directory and on PATH, in this order. Throws Error(not_found | usage).
std::string findProgram(const std::string& text);

// Throws Error(usage) for a flag's value that makes no sense, Error(not_found) for no such program or recipe.
protocol::RunSpec makeSpec(const SpecOptions& options);

// Gives a run that was made the tags and the note that were asked for, which makeSpec has checked. Where they
// cannot be written, says so on standard error: the run goes on.
void annotate(storage::Catalogue& catalogue, const std::string& id, const SpecOptions& options);

}  // namespace batchscope::cli
