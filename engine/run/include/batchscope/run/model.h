// SPDX-License-Identifier: Apache-2.0
/// \file
/// The model that a run sends (protocol::Model) as the goodput room takes it.
#pragma once

#include "batchscope/goodput/model.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::run {

/// All 0 where the model has none.
goodput::PerfParams perf_params(const protocol::Model& model);
/// Beyond so many replicas no speed-up is promised: they take turns on the devices that the model says the
/// run may have. Where it does not say, as it did not in earlier versions, the most replicas that were
/// measured; 0: nobody knows, and each counts as having its own.
int counted_devices(const protocol::Model& model);
/// Returns the counted devices, and how replicas share them where they are cores.
goodput::Devices devices(const protocol::Model& model);
/// Returns the goodput on these devices. A model without parameters has a throughput of 0 everywhere.
goodput::GoodputFunction goodput_function(const protocol::Model& model);
/// Returns the batch sizes within which it may be optimised.
goodput::Bounds batch_bounds(const protocol::Model& model);

}  // namespace batchscope::run
