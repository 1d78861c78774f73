// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything of the run room.
#pragma once

#include "batchscope/run/client.h"
#include "batchscope/run/recipe.h"
#include "batchscope/run/supervisor.h"
