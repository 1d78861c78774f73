// SPDX-License-Identifier: Apache-2.0
#include "data/data_loop.h"

#include <algorithm>
#include <utility>

#include "adapt/branching.h"
#include "adapt/loops.h"
#include "adapt/noise_measurement.h"
#include "adapt/step_context.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/ledger.h"
#include "checkpoint/registry.h"
#include "process/process.h"
#include "process/session.h"
#include "report/failure.h"
#include "session/agreement.h"
#include "session/epochs.h"
#include "session/leave.h"
#include "session/start.h"

namespace batchscope::replica {
namespace {

struct Live {
  bool begun = false;
};

// Returns how far a stream was read, where it is as far on all replicas.
std::int64_t agreed(std::int64_t reached) {
  if (num_replicas() == 1) return reached;
  const std::vector<std::int64_t> all = collective::gather("stream", reached);
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  if (*least == *most) return reached;
  throw Error(ErrorKind::usage,
              "the stream ends after " + std::to_string(*least) +
                  " samples on one replica and not on another: "
                  "each replica must read all samples in the same order; the engine shares them out");
}

// The program's start, which a restart repeats, is over: from here on it trains.
void begin_live() {
  if (std::exchange(session().part<Live>().begun, true)) return;
  computing().restore();
  set_step(metrics::steps());
  send(protocol::Restored{replica_rank(), restored_from(), metrics::steps(), protocol::monotonic_seconds()});
}

}  // namespace

LoaderCore::LoaderCore(const DataOptions& options, const std::string& name)
    : options(options),
      name(name),
      log(name),
      state("loader-" + name, options.stream ? 0 : options.size, [this] {
        if (loop) loop->before_save();
      }) {}

goodput::Bounds LoaderCore::bounded() const {
  goodput::Bounds bounds = limits;
  const std::int64_t memory = process().environment.max_local_batch_size;
  if (memory == 0 || !options.training) return bounds;
  bounds.max_local = bounds.max_local > 0 ? std::min(bounds.max_local, memory) : memory;
  bounds.min_local = std::min(bounds.min_local, bounds.max_local);
  // A batch that does not fit at once is accumulated: it is never smaller than the initial one.
  bounds.accumulation = bounds.accumulation || bounds.max_local * num_replicas() < options.batch_size;
  return bounds;
}

BatchShape LoaderCore::initial() const {
  if (micro_batches == 0) return initial_shape(options.batch_size, num_replicas(), bounded());
  const BatchShape one = initial_shape(options.batch_size, 1, bounded());  // in parts where memory is short
  return {one.local_batch_size, micro_batches * (one.accumulation_steps + 1) - 1};
}

bool LoaderCore::branches() const {
  return options.training && branching().wanted() && !noise_measurement().wanted();
}

BatchShape LoaderCore::shape() const { return state.shape.local_batch_size > 0 ? state.shape : initial(); }

DataLoop::DataLoop(LoaderCore& loader, int epoch)
    : loader_(loader),
      epoch_(epoch),
      sampling_epoch_(epoch >= 0 ? epoch : finished_epochs()),
      phase_(loader.options.training ? "train" : "validate") {
  RunningLoop running{training(), loader.options.stream ? loader.state.length : size(), finished_epochs()};
  if (loader.ends_by_progress()) {
    const double progress = static_cast<double>(size()) / static_cast<double>(loader.options.batch_size);
    running.progress_from = progress * epoch_;
    running.progress_to = progress * (epoch_ + 1);
  }
  running_loop() = running;
  loader_.loop = this;
}

DataLoop::~DataLoop() {
  if (done_) return;
  const bool broken_off = std::uncaught_exceptions() == exceptions_;  // by break, not by an exception
  try {
    if (plan_ && micro_.optimizer_step && metrics::steps() > steps_before_) settle();
  } catch (const std::exception& e) {
    notice("error", e.what());
  }
  loader_.log.forget();
  cut_stretch();
  if (broken_off)
    finish();
  else
    leave();
}

void DataLoop::begin() {
  metrics::leave_steps();
  begin_live();
  begin_loop(epoch_);
  mark_epoch_begun();
  agree();
  open_pass();
  if (!done_) hand_out();
}

void DataLoop::advance() {
  if (micro_.optimizer_step) {
    settle();
    const bool enough = loader_.ends_by_progress() && metrics::progress() >= running_loop()->progress_to;
    if (enough || !goes_on(number_ + 1)) {
      close_pass();
      if (enough || loader_.ends_by_pass()) return finish();
      agree();
      open_pass();
      return hand_out();
    }
    agree();
    if (look()) return hand_out();
  }
  ++number_;
  hand_out();
}

// Whether another batch size is better now, in the middle of the pass; what is left of it is cut anew then.
bool DataLoop::look() {
  if (!loader_.autoscales() || noise_measurement().wanted() || loader_.branches() ||
      metrics::steps() - cut_at_ != next_look_)
    return false;
  next_look_ *= 2;
  const BatchShape chosen = choose_shape(loader_.state.shape, loader_.initial(), loader_.bounded());
  if (chosen == loader_.state.shape) return false;
  const std::int64_t after = loader_.state.index % size() + chosen.batch_size(num_replicas());
  if (reach(after) < after) return false;
  cut_stretch();
  loader_.state.shape = chosen;
  cut_pass();
  return true;
}

void DataLoop::agree() {
  agreeing_ = true;
  agreement_point();
  agreeing_ = false;
}

// Cuts what is left of the pass that the index is in; where drop_last leaves nothing of it, the next one.
void DataLoop::open_pass() {
  const std::int64_t start = loader_.state.index % size();
  const bool is_guess = choose_pass_shape();
  pass_number_ = loader_.state.index / size();
  steps_before_pass_ = metrics::steps();
  cut_pass();
  if (is_guess) next_look_ = kEarlyLook;
  if (goes_on(0)) return;
  if (limit_ <= end_) end_branch();
  if (end_ == 0)
    throw Error(ErrorKind::usage,
                "the stream has no samples: let it start from its beginning each time it is iterated over");
  if (start == 0)
    throw Error(ErrorKind::usage, "drop_last drops the whole dataset: it has " + std::to_string(end_) +
                                      " samples, and a batch has " +
                                      std::to_string(loader_.state.shape.local_batch_size * num_replicas()));
  close_pass();
  if (loader_.ends_by_pass()) return finish();
  open_pass();
}

// Returns whether the noise has to be measured before anything can be chosen.
bool DataLoop::choose_pass_shape() {
  BatchShape& shape = loader_.state.shape;
  const goodput::Bounds limits = loader_.bounded();
  if (shape.local_batch_size > limits.max_local)  // memory ran out at the one that was chosen
    shape = initial_shape(shape.batch_size(num_replicas()), num_replicas(), limits);
  // A pass that goes on after a restart keeps its batch size, and chooses among what it did.
  if (training()) metrics::set_limits(limits);
  if (loader_.branches())
    shape = branch_shape(branching().branch().batch_size, num_replicas(), limits,
                         limits.accumulation || process().environment.max_local_batch_size > 0, size());
  else if (training() && noise_measurement().wanted())
    shape = noise_measurement().shape(loader_.initial(), size());
  else if (!loader_.autoscales())
    shape = loader_.initial();
  else if (shape.local_batch_size == 0 && loader_.state.of_one_gradient) {
    shape = initial_shape(loader_.state.before, num_replicas(), limits);
    return true;
  } else if (loader_.state.index % size() == 0 || shape.local_batch_size == 0)
    shape = choose_shape(shape, loader_.initial(), limits, loader_.state.before);
  return false;
}

// Cuts the pass from the index on, by the shape in force.
void DataLoop::cut_pass() {
  const std::int64_t start = loader_.state.index % size();
  const BatchShape& shape = loader_.state.shape;
  cut_at_ = metrics::steps();
  next_look_ = kFirstLook;
  loader_.state.cut({start, shape.local_batch_size * num_replicas(), num_replicas()});
  stretch_from_ = start;
  number_ = 0;
  limit_ = loader_.branches() ? start + branching().left() : kNoLimit;
  plan_pass(start);
}

void DataLoop::plan_pass(std::int64_t start) {
  const BatchShape& shape = loader_.state.shape;
  plan_.emplace(PassShape{std::min(end_, limit_), num_replicas(), shape.local_batch_size,
                          shape.accumulation_steps, start, loader_.options.drop_last});
  if (plan_->micro_batches() == 0) return;
  const std::vector<Cut>& cuts = loader_.state.cuts;
  std::vector<std::int64_t> order;
  if (!loader_.options.stream) order = loader_.options.order(sampling_epoch_, pass_number_, cuts);
  pass_.reset(new DataPass(std::move(order), cuts, *plan_, replica_rank(), training()));
}

// Whether the pass has a step that begins with this micro-batch.
bool DataLoop::goes_on(std::int64_t number) {
  reach(plan_->at(number).step_to);
  return number < plan_->micro_batches();
}

// Returns the position, or the end of the pass where that comes before. A stream is read as far; its end,
// once it is found, is the plan's.
std::int64_t DataLoop::reach(std::int64_t position) {
  if (end_ != kUnknownSize) return std::min(position, end_);
  const std::int64_t from = loader_.state.index;
  const std::int64_t reached = agreed(loader_.options.stream(from, position));
  if (reached < from)
    throw Error(ErrorKind::conflict,
                "the stream ends after " + std::to_string(reached) + " samples, of which " +
                    std::to_string(from) +
                    " were used before the checkpoint: give the program the same data, or "
                    "start it without the checkpoint");
  if (reached == position) return position;
  end_ = loader_.state.length = running_loop()->dataset_size = reached;
  plan_pass(plan_->shape().start);
  return reached;
}

void DataLoop::close_pass() {
  cut_stretch();
  if (loader_.ends_by_progress() && training() && metrics::steps() == steps_before_pass_ &&
      plan_->micro_batches() > 0)
    throw Error(ErrorKind::usage,
                "the loader ends an epoch by progress, but a whole pass made none: call "
                "AdaptiveDataParallel::step() for each batch");
  if (limit_ <= end_) end_branch();
  plan_.reset();
  loader_.state.index = (pass_number_ + 1) * size();
}

// Only the steps are wanted of a branch: none of what the program does behind them.
void DataLoop::end_branch() {
  metrics::complete_last_step();
  replica::leave(0);
}

void DataLoop::hand_out() {
  mark_progress();
  micro_ = plan_->at(number_);
  running_loop()->position = micro_.step_to;
  steps_before_ = metrics::steps();
  const std::int64_t count = plan_->count(micro_, replica_rank());
  if (training()) {
    step_padding_ += plan_->idle_replicas(micro_);
    set_context();
    metrics::begin_micro_step();
  } else if (count == 0) {
    return advance();  // nothing to validate here, but the others agree once more
  }
  if (count > 0 && SampleLog::wanted()) loader_.log.add(sampling_epoch_, pass_number_, pass_->ids(number_));
}

void DataLoop::set_context() const {
  StepContext& step = step_context();
  step.initial_batch_size = loader_.options.batch_size;
  step.local_batch_size = plan_->shape().local_batch_size;
  step.accumulation_steps = plan_->shape().accumulation_steps;
  step.micro_batches = loader_.branches() ? 0 : loader_.micro_batches;
  step.micro_step = micro_.micro_step;
  step.optimizer_step = micro_.optimizer_step;
  step.gradient_weight = plan_->weight(micro_, replica_rank());
  step.even = plan_->even(micro_);
  step.samples = micro_.to - micro_.step_from;
  set_local_batch_size(step.local_batch_size);
}

void DataLoop::data_ready() const {
  if (training()) metrics::data_ready();
}

// The step that was out is done: its samples count.
void DataLoop::settle() {
  loader_.state.index = pass_number_ * size() + micro_.step_to;
  if (loader_.branches()) branching().use(micro_.step_to - micro_.step_from);
  stretch_padding_ += std::exchange(step_padding_, 0);
  loader_.log.write(metrics::steps());
  tell_position();
}

void DataLoop::tell_position() const {
  set_position({.epoch = finished_epochs(),
                .epochs = epochs_asked_for(),
                .loop = training() ? "train" : "validate",
                .fraction = running_loop()->fraction(metrics::progress()),
                .progress = metrics::progress()});
}

void DataLoop::before_save() {
  if (!agreeing_)
    throw Error(ErrorKind::usage,
                "save_all_states() inside a loop over data, where a step may be half done: call it between "
                "loops, or send SIGUSR1 to checkpoint at the next step");
  cut_stretch();
}

void DataLoop::cut_stretch() {
  const std::int64_t to = loader_.state.index - pass_number_ * size();
  if (!plan_ || to <= stretch_from_) return;
  add_to_ledger({loader_.name, sampling_epoch_, static_cast<int>(pass_number_),
                 std::exchange(stretch_from_, to), to, std::exchange(stretch_padding_, 0), known_size(),
                 metrics::steps()});
}

void DataLoop::finish() {
  if (training()) metrics::complete_last_step();
  auto& finished = loader_.state.finished;
  forget_epochs_before(epoch_, finished);
  finished[epoch_] = loop_position(epoch_);
  count_loop(epoch_);
  loader_.state.index = 0;
  leave();
}

void DataLoop::leave() {
  done_ = true;
  pass_.reset();
  loader_.loop = nullptr;
  running_loop().reset();
  if (!training()) return;
  step_context() = {.initial_batch_size = loader_.options.batch_size};
  set_local_batch_size(0);
}

}  // namespace batchscope::replica
