// SPDX-License-Identifier: Apache-2.0
//
// The clock of a device with a queue of its own, such as a GPU: a moment is an event in the queue that this
// thread hands work to (its current stream), and two of them tell the device's own time between them.
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "adapt/timer.h"

namespace batchscope::train {

// Null for the CPU, and before LibTorch 2.4, whose c10::Event tells no times
// (https://github.com/pytorch/pytorch/pull/125757): there the host's clock has to do, which times a step as a
// whole, as its end waits for the device, and not the parts of it.
std::unique_ptr<replica::Timer> make_device_timer(c10::Device device);

}  // namespace batchscope::train
