// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything a training program needs. It includes no torch/torch.h: include what you use of LibTorch
/// yourself.
#pragma once

#include "batchscope/protocol/error.h"
#include "batchscope/train/accumulator.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/adascale.h"
#include "batchscope/train/chained_lr.h"
#include "batchscope/train/checkpoint.h"
#include "batchscope/train/collective.h"
#include "batchscope/train/epoch.h"
#include "batchscope/train/lr_scheduler.h"
#include "batchscope/train/one_cycle_lr.h"
#include "batchscope/train/process_group.h"
#include "batchscope/train/record.h"
#include "batchscope/train/scaling_rule.h"
#include "batchscope/train/torch_dataset.h"
