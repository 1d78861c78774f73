// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values for the charts, and for TensorBoard where ADAPTDL_TENSORBOARD_LOGDIR is set. Cheap, never blocks;
/// only rank 0's are sent.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace batchscope {

/// Inside a training loop: part of the next optimizer step's row, the mean where several values come before
/// it (one per micro-batch). Outside: a scalar of its own at the current step, as validation metrics are.
void record(std::string_view name, double value);

/// Shown with the run; call it once, any time.
void record_hyperparameters(const std::map<std::string, std::string>& values);

}  // namespace batchscope
