// SPDX-License-Identifier: Apache-2.0
//
// The methods of method.h, each in a file of its own; `number` is that of the trial.
#pragma once

#include <cstdint>

#include "batchscope/sweep/trial.h"

namespace batchscope::sweep {

std::optional<Point> grid_point(const Space& space, std::size_t number);
Point random_point(const Space& space, std::size_t number, std::uint64_t seed);
Point sobol_point(const Space& space, std::size_t number, std::uint64_t seed);
Point tpe_point(const Space& space, std::span<const Trial> trials, std::uint64_t seed);

}  // namespace batchscope::sweep
