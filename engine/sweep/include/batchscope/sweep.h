// SPDX-License-Identifier: Apache-2.0
/// \file
/// Search of hyperparameters: which point is tried next, which trial goes on, which parameter matters. All of
/// it is pure: the history and a seed determine every answer.
///
///     using namespace batchscope::sweep;
///     const Space space(
///         {{.name = "lr", .kind = Parameter::Kind::real, .min = 1e-4, .max = 1, .log = true}});
///     std::vector<Trial> trials;
///     for (int i = 0; i < 50; ++i) {
///       const Point point = *suggest(Method::tpe, space, trials, /*seed=*/1);
///       trials.push_back({point, Trial::State::ended, cost_of(space.texts(point)), std::nullopt});
///     }
#pragma once

#include "batchscope/sweep/course.h"
#include "batchscope/sweep/importance.h"
#include "batchscope/sweep/method.h"
#include "batchscope/sweep/population.h"
#include "batchscope/sweep/space.h"
#include "batchscope/sweep/stopping.h"
#include "batchscope/sweep/sweep_file.h"
#include "batchscope/sweep/trial.h"
#include "batchscope/sweep/wandb.h"

/// Search of hyperparameters; see sweep.h. Nothing here blocks.
namespace batchscope::sweep {}
