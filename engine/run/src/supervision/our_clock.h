// SPDX-License-Identifier: Apache-2.0
//
// Times of a replica on another node. Each machine's monotonic clock has an origin of its own.
#pragma once

#include "batchscope/protocol/telemetry.h"

namespace batchscope::run {

// Returns the message with its times by this machine's clock, which shows `offset` seconds more than the
// sender's.
protocol::Message by_our_clock(protocol::Message message, double offset);

}  // namespace batchscope::run
