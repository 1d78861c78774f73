// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mathematics of adaptive batch sizes, without LibTorch and without Qt.
#pragma once

#include "batchscope/goodput/fit.h"
#include "batchscope/goodput/model.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/goodput/scaling_rule.h"
#include "batchscope/goodput/speedup.h"
