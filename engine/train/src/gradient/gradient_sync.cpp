// SPDX-License-Identifier: Apache-2.0
#include "gradient/gradient_sync.h"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "adapt/step_context.h"
#include "adapt/timer.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/process_group.h"
#include "batchscope/train/grad_scaler.h"
#include "device/tensor_group.h"
#include "gradient/buckets.h"
#include "gradient/norms.h"
#include "gradient/preconditioner.h"
#include "gradient/previous_gradient.h"

namespace batchscope::train {

using namespace replica;

namespace {

// A shared_ptr, and an intrusive_ptr in later versions of LibTorch.
using Accumulator = decltype(torch::autograd::impl::grad_accumulator(std::declval<const at::Tensor&>()));

}  // namespace

class GradientSync::Impl {
 public:
  Impl(const std::vector<std::vector<at::Tensor>>& groups, std::int64_t bucket_bytes,
       torch::optim::Optimizer* preconditioner, const GradScaler* scaler)
      : groups_(groups.size()),
        bucket_bytes_(bucket_bytes),
        replicas_(num_replicas()),
        scaler_(scaler && scaler->enabled() ? scaler : nullptr) {
    for (std::size_t group = 0; group < groups.size(); ++group)
      for (const at::Tensor& parameter : groups[group])
        if (parameter.requires_grad()) {
          if (scaler_ && parameter.scalar_type() == at::kHalf)
            throw Error(ErrorKind::usage,
                        "a parameter is in fp16, whose gradients a GradScaler cannot unscale: keep the "
                        "parameters in fp32 and use Autocast");
          parameters_.push_back(parameter);
          group_of_.push_back(group);
        }
    if (preconditioner) preconditioner_.emplace(*preconditioner, parameters_);
    entries_.resize(parameters_.size());
    local_.resize(groups_);
    if (replicas_ == 1) {
      previous_.emplace(group_of_, preconditioner != nullptr);
    } else {
      // Until the first backward has shown the order, backward is taken to run against the order of creation.
      std::vector<std::size_t> order(parameters_.size());
      std::iota(order.rbegin(), order.rend(), std::size_t{0});
      lay_out(order);
    }
  }

  void hook(const std::shared_ptr<Impl>& self) {
    namespace autograd = torch::autograd;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      auto accumulator = autograd::impl::grad_accumulator(parameters_[i]);
      accumulator->add_post_hook(std::make_unique<autograd::utils::LambdaPostHook>(
          [i, weak = std::weak_ptr(self)](const autograd::variable_list& outputs,
                                          const autograd::variable_list&) {
            if (const auto impl = weak.lock()) impl->on_gradient(i, weak);
            return outputs;
          }));
      accumulators_.push_back(std::move(accumulator));  // a variable holds its accumulator weakly
    }
  }

  void zero() {
    if (micro_steps_ > 0) return;
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  }

  void end_micro_step() {
    for (SquareSum& sum : local_) sum.measure();
    count_micro_step();
  }

  void launch() {
    count_micro_step();
    if (replicas_ > 1) buckets_->launch_rest();
  }

  Result finish() {
    Result result = replicas_ > 1 ? finish_replicas()
                    : measuring() ? finish_measured()
                                  : finish_accumulated();
    result.norms.count = replicas_ * micro_steps_;
    result.divisor_begun = preconditioner_ && preconditioner_->take_begun();
    micro_steps_ = 0;
    ending_ = false;
    for (SquareSum& sum : local_) sum.clear();
    for (Entry& entry : entries_) entry.arrived = false;
    return result;
  }

  std::optional<PreviousGradient>& previous() { return previous_; }

  std::vector<std::size_t> order() const { return ordered_ ? order_ : std::vector<std::size_t>(); }

  void restore_order(std::vector<std::size_t> order) {
    std::vector<std::size_t> all(parameters_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (replicas_ == 1 || !std::is_permutation(order.begin(), order.end(), all.begin(), all.end())) return;
    order_ = std::move(order);
    lay_out(order_);
    ordered_ = true;
  }

  void expect_backward(const std::weak_ptr<Impl>& self) {
    const std::lock_guard lock(mutex_);
    if (step_context().optimizer_step && averages_in_backward()) end_with_this_backward(self);
  }

  std::function<void()> average;  // see on_last_backward()

 private:
  void count_micro_step() {
    for (Entry& entry : entries_) entry.arrived_now = false;
    ++micro_steps_;
  }

  struct Entry {
    at::Tensor sum;                             // one replica, accumulating: of the micro-batches so far
    bool arrived = false, arrived_now = false;  // in this step, in this micro-batch
  };

  // One replica and no accumulation: gradients stay where autograd put them.
  bool measuring() const {
    return micro_steps_ == 1 &&
           std::none_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.sum.defined(); });
  }

  bool averages_in_backward() const { return replicas_ > 1 || micro_steps_ > 0; }

  // Called by autograd, on its thread of the parameter's device.
  void on_gradient(std::size_t i, const std::weak_ptr<Impl>& self) {
    const std::lock_guard lock(mutex_);
    at::NoGradGuard no_grad;
    at::Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) return;
    if (gradient.layout() != at::kStrided)
      throw Error(ErrorKind::usage,
                  "a parameter has sparse gradients, which AdaptiveDataParallel cannot average");
    if (std::exchange(entries_[i].arrived_now, true) && (replicas_ > 1 || micro_steps_ > 0 || scaler_))
      throw Error(ErrorKind::usage,
                  "backward ran twice over a parameter in one micro-batch: add the losses and run it once");
    if (scaler_) gradient.mul_(1 / scaler_->get_scale());
    const StepContext& context = step_context();
    if (context.optimizer_step && !averages_in_backward()) {
      entries_[i].arrived = true;
      if (!previous_->measure(i, gradient, divisor(i)) && !std::exchange(measures_waiting_, true))
        when_backward_ends(self, &Impl::measure_waiting);
      return;
    }
    take(i, gradient, context.gradient_weight / replicas_);
    gradient.reset();
    if (!context.optimizer_step) return;
    if (replicas_ > 1) buckets_->complete(i);
    end_with_this_backward(self);
  }

  // The callback belongs to the innermost backward that runs on this thread.
  static void when_backward_ends(const std::weak_ptr<Impl>& self, void (Impl::*then)()) {
    torch::autograd::Engine::get_default_engine().queue_callback([self, then] {
      if (const auto impl = self.lock()) ((*impl).*then)();
    });
  }

  void end_with_this_backward(const std::weak_ptr<Impl>& self) {
    if (average && !std::exchange(ending_, true)) when_backward_ends(self, &Impl::end_backward);
  }

  void measure_waiting() {
    const at::NoGradGuard no_grad;
    measures_waiting_ = false;
    previous_->measure_waiting();
  }

  void end_backward() {
    const bool any =
        std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.arrived_now; });
    if (any)
      average();
    else
      ending_ = false;  // it was expected, and went by these parameters
  }

  void take(std::size_t i, const at::Tensor& gradient, double weight) {
    Entry& entry = entries_[i];
    SquareSum& local = local_[group_of_[i]];
    const bool first = !std::exchange(entry.arrived, true);
    if (first && replicas_ > 1) buckets_->mark_present(i);
    if (first && replicas_ > 1 && order_.size() < parameters_.size()) order_.push_back(i);
    if (first && replicas_ == 1) {
      entry.sum = measured_at_once(gradient) ? gradient : gradient.clone();  // which waits as it is
      scale_first(entry.sum, gradient, weight, local, divisor(i));
    } else {
      add_weighted(replicas_ > 1 ? buckets_->place(i) : entry.sum, gradient, weight, !first, local,
                   divisor(i));
    }
  }

  at::Tensor divisor(std::size_t i) { return preconditioner_ ? preconditioner_->divisor(i) : at::Tensor(); }

  // The first micro-batch's gradient becomes the sum; its own norm is wanted, not the weighted one's.
  static void scale_first(const at::Tensor& sum, const at::Tensor& gradient, double weight, SquareSum& local,
                          const at::Tensor& divisor) {
    add_square(gradient, local, divisor);
    if (weight == 0)
      sum.zero_();
    else if (weight != 1)
      sum.mul_(weight);
  }

  // Padding alone weighs nothing, whatever its gradient is.
  static void add_weighted(const at::Tensor& to, const at::Tensor& gradient, double weight, bool add,
                           SquareSum& local, const at::Tensor& divisor) {
    if (weight != 0)
      accumulate(to, gradient, weight, add, local, divisor);
    else if (!add)
      to.zero_();
  }

  Result finish_measured() {
    if (measures_waiting_) measure_waiting();  // backward ended by an error, and ran again
    const PreviousGradient::Norms norms = previous_->advance(parameters_);
    Result result;
    result.any = std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.arrived; });
    result.norms.local_sqr = result.norms.total_sqr = norms.current;
    if (norms.pair) {
      result.norms.previous_sqr = norms.previous;
      result.norms.mean_of_two_sqr = norms.mean;
    }
    return result;
  }

  Result finish_accumulated() {
    previous_->forget();
    std::vector<SquareSum> total(groups_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].sum.defined()) continue;
      scale(entries_[i].sum, 1.0 / micro_steps_, total[group_of_[i]], divisor(i));
      parameters_[i].mutable_grad() = std::exchange(entries_[i].sum, {});
    }
    Result result;
    result.any = std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.arrived; });
    result.norms.local_sqr = values(local_);
    result.norms.total_sqr = values(total);
    return result;
  }

  Result finish_replicas() {
    const Timer::Moment began = timer().now();
    const Buckets::Statistics summed = wait();
    Result result;
    result.waited = {began, timer().now()};
    result.norms.local_sqr = summed.local_sqr();
    std::vector<SquareSum> total(groups_);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      at::Tensor& gradient = parameters_[i].mutable_grad();
      if (!summed.present(i)) {
        gradient.reset();
        continue;
      }
      result.any = true;
      gradient = buckets_->place(i);
      scale(gradient, 1.0 / micro_steps_, total[group_of_[i]], divisor(i));
    }
    result.norms.total_sqr = values(total);
    if (!ordered_) reorder();
    return result;
  }

  // Averages what came from all replicas. The exchange itself does not say who failed: the small collectives
  // do.
  Buckets::Statistics wait() try { return buckets_->finish(); } catch (const Error&) {
    try {
      collective::barrier("after a failed exchange of gradients", std::chrono::seconds(2));
    } catch (const Error& named) {
      if (named.kind() != ErrorKind::usage) throw;
    }
    throw;
  }

  void lay_out(const std::vector<std::size_t>& order) {
    buckets_.emplace(parameters_, order, *tensor_group(), local_, bucket_bytes_);
  }

  // Rank 0's order of the first backward, for all; what had no gradient comes last.
  void reorder() {
    std::vector<bool> seen(parameters_.size());
    for (const std::size_t i : order_) seen[i] = true;
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (!seen[i]) order_.push_back(i);
    const std::string bytes = collective::broadcast(
        "order of gradients",
        {reinterpret_cast<const char*>(order_.data()), order_.size() * sizeof(std::size_t)});
    std::memcpy(order_.data(), bytes.data(), bytes.size());
    lay_out(order_);
    ordered_ = true;
  }

  std::vector<at::Tensor> parameters_;  // of all groups
  std::vector<std::size_t> group_of_;
  std::vector<Accumulator> accumulators_;
  std::optional<Preconditioner> preconditioner_;
  std::vector<Entry> entries_;
  std::vector<SquareSum> local_;  // by group, of all micro-batches so far
  std::size_t groups_;
  std::int64_t bucket_bytes_;
  int replicas_;
  const GradScaler* scaler_;  // none where it is not enabled
  int micro_steps_ = 0;
  bool ending_ = false;            // the last backward of the step will call average
  bool measures_waiting_ = false;  // this backward will, when it ends
  std::mutex mutex_;               // gradients on different devices come on different threads

  std::optional<PreviousGradient> previous_;  // one replica
  std::optional<Buckets> buckets_;            // several
  std::vector<std::size_t> order_;            // of the first backward
  bool ordered_ = false;
};

GradientSync::GradientSync(const std::vector<std::vector<at::Tensor>>& groups, std::int64_t bucket_bytes,
                           torch::optim::Optimizer* preconditioner, const GradScaler* scaler)
    : impl_(std::make_shared<Impl>(groups, bucket_bytes, preconditioner, scaler)) {
  impl_->hook(impl_);
}

GradientSync::~GradientSync() = default;

void GradientSync::on_last_backward(std::function<void()> average) { impl_->average = std::move(average); }
void GradientSync::zero() { impl_->zero(); }
void GradientSync::expect_backward() { impl_->expect_backward(impl_); }
void GradientSync::end_micro_step() { impl_->end_micro_step(); }
void GradientSync::launch() { impl_->launch(); }
GradientSync::Result GradientSync::finish() { return impl_->finish(); }

std::vector<at::Tensor> GradientSync::previous_gradient() const {
  return impl_->previous() ? impl_->previous()->tensors() : std::vector<at::Tensor>();
}

void GradientSync::restore_previous_gradient(std::vector<at::Tensor> tensors) {
  if (impl_->previous()) impl_->previous()->restore(std::move(tensors));
}

std::vector<std::size_t> GradientSync::order() const { return impl_->order(); }

void GradientSync::restore_order(std::vector<std::size_t> order) { impl_->restore_order(std::move(order)); }

void GradientSync::forget_previous_gradient() {
  if (impl_->previous()) impl_->previous()->forget();
}

}  // namespace batchscope::train
