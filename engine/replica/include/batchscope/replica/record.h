// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values for the charts, and for TensorBoard where ADAPTDL_TENSORBOARD_LOGDIR is set. Cheap, never blocks;
/// only rank 0's are sent.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace batchscope {

/// Records a value. Inside a training loop it is part of the next optimizer step's row, as a mean where
/// several values come before it (one per micro-batch). Outside it is a scalar of its own at the current
/// step, such as a validation metric.
void record(std::string_view name, double value);

/// Records hyperparameters, which are shown with the run; call it once, at any time.
void record_hyperparameters(const std::map<std::string, std::string>& values);

}  // namespace batchscope
