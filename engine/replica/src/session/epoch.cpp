// SPDX-License-Identifier: Apache-2.0
//
// The epoch that is running, and the count of those that are finished, which is all the state there is.
#include "batchscope/replica/epoch.h"

#include <cstdio>
#include <exception>

#include "adapt/loops.h"
#include "adapt/metrics.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/json_state.h"
#include "checkpoint/registry.h"
#include "process/process.h"
#include "report/telemetry_client.h"
#include "session/engine_states.h"
#include "session/epochs.h"

namespace batchscope {
namespace {

int finished = 0;
int begun = 0;  // of which the supervisor was told
int current = -1;
int until = 0;

class EpochState final : public JsonState {
 public:
  EpochState() : JsonState("epochs") {}

 private:
  protocol::Json contents() const override { return {{"finished", finished}, {"begun", begun}}; }
  void restore(const protocol::Json& json) override {
    json.at("finished").get_to(finished);
    json.at("begun").get_to(begun);
  }
};

void send_mark(int epoch, bool begin) {
  if (replica_rank() == 0)
    send(protocol::EpochMark{epoch, begin, metrics::steps(), protocol::monotonic_seconds()});
}

// What a checkpoint at the end is for: started again, the program finds nothing left to do.
void save_finished() {
  try {
    checkpoint::save_for_exit("exit");
  } catch (const std::exception& e) {
    if (replica_rank() == 0) notice("error", e.what());
  }
}

}  // namespace

void load_epoch_state() { checkpoint::load_state(*new EpochState); }

int current_epoch() { return current; }

int finished_epochs() {
  load_engine_states();
  return finished;
}

int epochs_asked_for() { return current < 0 ? 0 : until; }

void mark_epoch_begun() {
  if (current < begun) return;
  begun = current + 1;
  send_mark(current, true);
}

// The running loop; its end, in whatever way, is the end of the last reference to it.
struct EpochRange::Iterator::Loop {
  int exceptions = std::uncaught_exceptions();

  void enter() {
    current = finished;
    enter_epoch(current);
  }

  void finish() {
    mark_epoch_begun();
    send_mark(current, false);
    ++finished;
    current = -1;
  }

  ~Loop() {
    if (current >= 0 && std::uncaught_exceptions() == exceptions) finish();  // a break
    current = -1;
    until = 0;
  }
};

EpochRange::EpochRange(int until) : until_(until) {}

EpochRange::Iterator EpochRange::begin() {
  if (until != 0)
    throw Error(ErrorKind::usage, "remaining_epochs_until(" + std::to_string(until_) +
                                      ") inside another loop over epochs: epoch loops cannot be nested");
  load_engine_states();
  Iterator iterator;
  if (finished < until_) {
    until = until_;
    iterator.loop_ = std::make_shared<Iterator::Loop>();
    iterator.loop_->enter();
  } else if (until_ > 0 && replica_rank() == 0 && !checkpoint::restored_from().empty()) {
    std::fprintf(stderr, "batchscope: %d of %d epochs are finished in %s; remove it to start afresh\n",
                 finished, until_, checkpoint::directory().c_str());
  }
  return iterator;
}

int EpochRange::Iterator::operator*() const { return current; }

EpochRange::Iterator& EpochRange::Iterator::operator++() {
  loop_->finish();
  if (finished < until) {
    loop_->enter();
  } else {
    loop_.reset();
    save_finished();
  }
  return *this;
}

bool EpochRange::Iterator::operator==(std::default_sentinel_t) const { return !loop_; }

EpochRange remaining_epochs_until(int epoch) { return EpochRange(epoch); }

}  // namespace batchscope
