// SPDX-License-Identifier: Apache-2.0
#include "supervision/checkpoint_waiters.h"

#include <utility>

#include "batchscope/protocol/error.h"
#include "words.h"

namespace batchscope::run {

void CheckpointWaiters::add(const ControlServer::Responder& responder, double now) {
  waiters_.push_back({responder, now + patience_});
}

void CheckpointWaiters::written(const protocol::CheckpointWritten& checkpoint) {
  const protocol::Json result{{"name", checkpoint.name},
                              {"step", checkpoint.step},
                              {"bytes", checkpoint.bytes},
                              {"seconds", checkpoint.mono - checkpoint.began}};
  for (const Waiter& waiter : std::exchange(waiters_, {})) waiter.responder.ok(result);
}

void CheckpointWaiters::refuse(const Error& why) {
  for (const Waiter& waiter : std::exchange(waiters_, {})) waiter.responder.fail(why);
}

void CheckpointWaiters::time_out(double now) {
  std::erase_if(waiters_, [&](const Waiter& waiter) {
    if (now < waiter.deadline) return false;
    waiter.responder.fail(Error(ErrorKind::timeout, "no checkpoint within " + seconds_text(patience_)));
    return true;
  });
}

}  // namespace batchscope::run
