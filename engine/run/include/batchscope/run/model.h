// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts the model that a run sends (protocol::Model) to the types of engine/goodput.
#pragma once

#include "batchscope/goodput/model.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::run {

/// Returns the parameters; all 0 where the model has none.
goodput::PerfParams perf_params(const protocol::Model& model);
/// Returns the statistics of the gradient, with their error where the model has one.
goodput::GradParams grad_params(const protocol::Model& model);
/// Returns the number of replicas beyond which no speed-up is expected, because they take turns on the
/// devices that the model says the run may have. Where the model does not say, as in earlier versions: the
/// most replicas that were measured. 0: unknown, and each replica counts as having its own device.
int counted_devices(const protocol::Model& model);
/// Returns the counted devices, and how replicas share them where they are cores.
goodput::Devices devices(const protocol::Model& model);
/// Returns the goodput on these devices. A model without parameters has a throughput of 0 everywhere.
goodput::GoodputFunction goodput_function(const protocol::Model& model);
/// Returns the batch sizes within which it may be optimised.
goodput::Bounds batch_bounds(const protocol::Model& model);

}  // namespace batchscope::run
