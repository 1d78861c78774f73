// SPDX-License-Identifier: Apache-2.0
/// \file
/// What AdaptiveDataParallel's noise_mode takes, and what its noise_scale() and norms() return.
#pragma once

#include "batchscope/goodput/noise_scale.h"
