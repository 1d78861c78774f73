// SPDX-License-Identifier: Apache-2.0
//
// Makes the spec of a run from what a person typed after `batchscope run` or `submit`.
#pragma once

#include <string>

#include "batchscope/protocol/run_spec.h"
#include "batchscope/storage/catalogue.h"
#include "commands/commands.h"

namespace batchscope::cli {

// Returns the absolute path of a program. A text with a slash is a path; a name is looked for beside our own
// program, in the working directory and on PATH, in this order. Throws Error(not_found | usage).
std::string findProgram(const std::string& text);

// Throws Error(usage) for a flag's value that makes no sense, Error(not_found) if the program or recipe is
// missing.
protocol::RunSpec makeSpec(const SpecOptions& options);

// Gives a new run its tags and note, which makeSpec has checked. If they cannot be written, says so on
// standard error; the run goes on.
void annotate(storage::Catalogue& catalogue, const std::string& id, const SpecOptions& options);

}  // namespace batchscope::cli
