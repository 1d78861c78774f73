// SPDX-License-Identifier: Apache-2.0
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
#include "checkpoint/save.h"
#include "process/session.h"
#include "report/telemetry_client.h"
#include "session/epochs.h"

namespace batchscope::replica {
namespace {

class Epochs final : public JsonState {
 public:
  Epochs() : JsonState("epochs") {}

  void enter() {
    current = finished;
    enter_epoch(current);
  }
  void mark_begun() {
    if (current < begun_) return;
    begun_ = current + 1;
    send_mark(true);
  }
  void finish() {
    mark_begun();
    send_mark(false);
    ++finished;
    current = -1;
  }

  int finished = 0;
  int current = -1;
  int until = 0;

 private:
  void send_mark(bool begin) const {
    if (replica_rank() == 0)
      send(protocol::EpochMark{current, begin, metrics::steps(), protocol::monotonic_seconds()});
  }
  protocol::Json contents() const override { return {{"finished", finished}, {"begun", begun_}}; }
  void restore(const protocol::Json& json) override {
    json.at("finished").get_to(finished);
    json.at("begun").get_to(begun_);
  }

  int begun_ = 0;  // of which the supervisor was told
};

Epochs& epochs() { return session().part<Epochs>(); }

// Saves a checkpoint at the end: started again, the program finds nothing left to do.
void save_finished() {
  try {
    save_for_exit("exit");
  } catch (const std::exception& e) {
    if (replica_rank() == 0) notice("error", e.what());
  }
}

}  // namespace

void load_epoch_state() { checkpoint::load_state(epochs()); }

int epochs_asked_for() { return epochs().current < 0 ? 0 : epochs().until; }

void mark_epoch_begun() { epochs().mark_begun(); }

}  // namespace batchscope::replica

namespace batchscope {

using namespace replica;

int current_epoch() { return epochs().current; }

int finished_epochs() {
  load_own_states();
  return epochs().finished;
}

// The running loop; its end, in whatever way, is the end of the last reference to it.
struct EpochRange::Iterator::Loop {
  int exceptions = std::uncaught_exceptions();

  ~Loop() {
    const bool broken_off = epochs().current >= 0 && std::uncaught_exceptions() == exceptions;
    if (broken_off) epochs().finish();
    epochs().current = -1;
    epochs().until = 0;
  }
};

EpochRange::EpochRange(int until) : until_(until) {}

EpochRange::Iterator EpochRange::begin() {
  Epochs& all = epochs();
  if (all.until != 0)
    throw Error(ErrorKind::usage, "remaining_epochs_until(" + std::to_string(until_) +
                                      ") inside another loop over epochs: epoch loops cannot be nested");
  load_own_states();
  pass_epochs(until_);
  Iterator iterator;
  if (all.finished < until_) {
    all.until = until_;
    iterator.loop_ = std::make_shared<Iterator::Loop>();
    all.enter();
  } else if (until_ > 0 && replica_rank() == 0 && !restored_from().empty()) {
    std::fprintf(stderr,
                 "batchscope: %d of %d epochs are finished in %s; remove it to start from the beginning\n",
                 all.finished, until_, checkpoint_directory().c_str());
  }
  return iterator;
}

int EpochRange::Iterator::operator*() const { return epochs().current; }

EpochRange::Iterator& EpochRange::Iterator::operator++() {
  epochs().finish();
  if (epochs().finished < epochs().until) {
    epochs().enter();
  } else {
    loop_.reset();
    save_finished();
  }
  return *this;
}

bool EpochRange::Iterator::operator==(std::default_sentinel_t) const { return !loop_; }

EpochRange remaining_epochs_until(int epoch) { return EpochRange(epoch); }

}  // namespace batchscope
