// SPDX-License-Identifier: Apache-2.0
//
// One loop over data: a chain of passes (one, without autoscaling), each a permutation cut by a PassPlan.
// Between two optimizer steps it settles what was trained on (index, ledger, sample log) and then agrees with
// the other replicas. Samples count once their step is done: a checkpoint never holds samples whose gradient
// was not applied.
#pragma once

#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapt/metrics.h"
#include "batchscope/replica/data_pass.h"
#include "data/loader_state.h"
#include "data/pass_plan.h"
#include "data/sample_log.h"
#include "report/telemetry_client.h"

namespace batchscope::replica {

class DataLoop;

// Stands for a stream's size until its end is found.
inline constexpr std::int64_t kUnknownSize = std::numeric_limits<std::int64_t>::max() / 4;
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// The state of a loader, whether a loop runs or not.
struct LoaderCore {
  LoaderCore(const DataOptions& options, const std::string& name);

  bool autoscales() const { return limits.max_batch_size > 0; }
  bool ends_by_progress() const {  // which is counted in passes of known size
    return !options.stream && !branches() && (autoscales() || (micro_batches > 0 && until_progress));
  }
  bool ends_by_pass() const { return !ends_by_progress() && (options.stream || !branches()); }
  bool branches() const;  // trains as branching() says
  // The limits that were asked for, within what memory is known to hold.
  goodput::Bounds bounded() const;
  BatchShape initial() const;
  BatchShape shape() const;  // in force, or the initial one before the first loop

  const DataOptions options;
  const std::string name;                     // in the ledger
  goodput::Bounds limits = {.min_local = 1};  // max_batch_size 0: goodput does not choose
  int micro_batches = 0;  // of batch_size samples, on each replica; 0: batch_size is all replicas'
  bool until_progress = false;
  SampleLog log;
  LoaderState state;
  DataLoop* loop = nullptr;  // running
};

// Begins with the constructor and ends, in whatever way, with the destructor.
class DataLoop {
 public:
  DataLoop(LoaderCore& loader, int epoch);
  ~DataLoop();
  DataLoop(const DataLoop&) = delete;
  DataLoop& operator=(const DataLoop&) = delete;

  void begin();    // to the first micro-batch
  void advance();  // to the next
  void data_ready() const;
  bool done() const { return done_; }
  std::int64_t number() const { return number_; }
  const std::shared_ptr<const DataPass>& pass() const { return pass_; }

  // A checkpoint begins. Throws Error(usage) in the middle of a step.
  void before_save();

 private:
  void agree();
  void open_pass();
  bool choose_pass_shape();
  void cut_pass();
  void plan_pass(std::int64_t start);
  bool goes_on(std::int64_t number);
  std::int64_t reach(std::int64_t position);
  bool look();
  void close_pass();
  void end_branch();
  void hand_out();
  void settle();
  void cut_stretch();
  void finish();
  void leave();

  bool training() const { return loader_.options.training; }
  std::int64_t size() const { return loader_.options.size; }
  std::int64_t known_size() const { return end_ == kUnknownSize ? 0 : end_; }
  void set_context() const;
  void tell_position() const;

  LoaderCore& loader_;
  const int epoch_;           // current_epoch()
  const int sampling_epoch_;  // whose permutations are drawn
  const int exceptions_ = std::uncaught_exceptions();
  const PhaseScope phase_;
  bool done_ = false;
  bool agreeing_ = false;

  // The pass.
  std::int64_t end_ = size();      // of it
  std::int64_t limit_ = kNoLimit;  // position at which a branch has used its samples
  std::int64_t pass_number_ = 0;
  std::int64_t steps_before_pass_ = 0;
  std::int64_t cut_at_ = 0;              // the step at which it was cut
  std::int64_t next_look_ = kFirstLook;  // steps after that
  std::optional<PassPlan> plan_;         // none between passes
  std::shared_ptr<const DataPass> pass_;
  std::int64_t stretch_from_ = 0, stretch_padding_ = 0;  // not yet in the ledger

  // The micro-batch that is out.
  std::int64_t number_ = 0;
  MicroBatch micro_;
  std::int64_t steps_before_ = 0;
  std::int64_t step_padding_ = 0;
};

}  // namespace batchscope::replica
