// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run that is to be started, and the command line that starts the same one.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/pool/queue.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/run/recipe.h"

namespace batchscope::desktop {

struct NewRun {
  protocol::RunSpec spec;
  std::vector<std::string> tags = {};
  std::string note = {};
  std::optional<pool::JobOptions> queued = {};  // none: it starts now
};

// "2 replicas", "1 to 4 replicas", "any number of replicas".
QString replicasText(const protocol::RunSpec& spec);

// Returns the command as one types it in a shell. `recipe`: the installed one that the spec is made of, with
// these values changed; null: the program itself is named, and its folder entered.
QString runCommand(const NewRun& run, const run::Recipe* recipe = nullptr,
                   const run::Recipe::Values& changed = {});

}  // namespace batchscope::desktop
