// SPDX-License-Identifier: Apache-2.0
#include "adapt/timer.h"

#include <utility>

#include "process/session.h"

namespace batchscope::replica {
namespace {

struct TimerPart {
  std::unique_ptr<Timer> timer = std::make_unique<HostTimer>();
};

}  // namespace

Timer& timer() { return *session().part<TimerPart>().timer; }
void set_timer(std::unique_ptr<Timer> timer) { session().part<TimerPart>().timer = std::move(timer); }

}  // namespace batchscope::replica
