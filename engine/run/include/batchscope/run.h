// SPDX-License-Identifier: Apache-2.0
/// \file
/// Starting and driving runs: recipes, the control socket's client, and the supervisor itself.
///
///     using namespace batchscope;
///     storage::Catalogue catalogue(protocol::catalogue_path());
///     const protocol::RunSpec spec = run::Recipe::load("digits/recipe.toml").spec({{"epochs", "3"}});
///     const std::string id = run::start_run(catalogue, spec);
///     std::cout << run::request(id, {.command = protocol::Request::Command::status}).dump(2) << "\n";
#pragma once

#include "batchscope/run/client.h"
#include "batchscope/run/fork.h"
#include "batchscope/run/log_times.h"
#include "batchscope/run/model.h"
#include "batchscope/run/recipe.h"
#include "batchscope/run/supervisor.h"

/// Starting and driving runs; see run.h.
namespace batchscope::run {}
