// SPDX-License-Identifier: Apache-2.0
/// \file
/// The library that a training program links: a LibTorch loop with these lines trains on any number of
/// replicas, at a batch size that follows goodput, and survives restarts on another number.
///
///     batchscope::init_process_group();
///     batchscope::AdaptiveDataLoader loader(dataset, {.batch_size = 64, .shuffle = true});
///     loader.autoscale_batch_size(1024);
///     batchscope::AdaptiveDataParallel adp(model, optimizer);
///     for (int epoch : batchscope::remaining_epochs_until(30))
///       for (auto& batch : loader) train(batch);  // with adp.zero_grad() and adp.step()
///
/// Terms and semantics are AdaptDL's (engine/train/PORTING.md). What fails is thrown as batchscope::Error. A
/// call that is "collective" is made by all replicas in the same order, and blocks until they have, at most
/// for the process group's timeout. Nothing here is thread-safe unless it says so. It includes no
/// torch/torch.h: include what you use of LibTorch yourself.
#pragma once

#include "batchscope/protocol/error.h"
#include "batchscope/replica.h"
#include "batchscope/train/adadelta.h"
#include "batchscope/train/adaptive_bptt_iterator.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/adascale.h"
#include "batchscope/train/autocast.h"
#include "batchscope/train/chained_lr.h"
#include "batchscope/train/dataset.h"
#include "batchscope/train/grad_scaler.h"
#include "batchscope/train/lr_scheduler.h"
#include "batchscope/train/noise_scale.h"
#include "batchscope/train/one_cycle_lr.h"
#include "batchscope/train/process_group.h"
#include "batchscope/train/scaling_rule.h"
#include "batchscope/train/sharded_optimizer.h"
#include "batchscope/train/shards.h"
#include "batchscope/train/stream_data_loader.h"
#include "batchscope/train/torch_dataset.h"
