// SPDX-License-Identifier: Apache-2.0
//
// The account of finished steps. Rank 0 keeps the profile and the model; progress, steps and samples are the
// same on every replica, because they come from averaged gradients and the loader's arithmetic.
#include "adapt/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "adapt/loops.h"
#include "adapt/model_fitter.h"
#include "adapt/profile.h"
#include "adapt/record.h"
#include "adapt/sched_hints_client.h"
#include "adapt/step_context.h"
#include "batchscope/goodput/model.h"
#include "batchscope/protocol/series.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/json_state.h"
#include "process/process.h"
#include "report/telemetry_client.h"
#include "report/tensorboard.h"
#include "session/engine_states.h"

namespace batchscope::metrics {
namespace {

namespace series = protocol::series;

// New optimizer steps before the model is fitted anew: soon at first, seldom later.
constexpr std::int64_t kFirstFit = 5, kNextFits = 25;

// What a checkpoint holds.
struct Account {
  double progress = 0;
  std::int64_t steps = 0, samples = 0, non_finite_steps = 0;
  goodput::GradParams gradient;
  std::int64_t initial_batch_size = 0;
  Profile profile;
};

// Times of the step in flight. NaN: nothing was begun.
struct Stopwatch {
  double micro_begun = std::numeric_limits<double>::quiet_NaN();
  double step_seconds = 0;
  bool warm = false;  // a step of this configuration was committed before
  std::int64_t local_batch_size = 0;
  int accumulation_steps = 0;
};

Account account;
Stopwatch watch;
Limits limits;
double last_step = 0;
std::int64_t in_a_row = 0;   // non-finite steps, up to the last one
std::int64_t fitted_at = 0;  // profile.measured() at the last request

ModelFitter& fitter() {
  static ModelFitter fitter;
  return fitter;
}

class MetricsState final : public JsonState {
 public:
  MetricsState() : JsonState("metrics") {}

 private:
  protocol::Json contents() const override {
    return {{"progress", protocol::encode_number(account.progress)},
            {"steps", account.steps},
            {"samples", account.samples},
            {"non_finite_steps", account.non_finite_steps},
            {"grad_sqr", protocol::encode_number(account.gradient.sqr)},
            {"grad_var", protocol::encode_number(account.gradient.var)},
            {"initial_batch_size", account.initial_batch_size},
            {"profile", account.profile.json()}};
  }
  void restore(const protocol::Json& json) override {
    account.progress = protocol::decode_number(json.at("progress"));
    json.at("steps").get_to(account.steps);
    json.at("samples").get_to(account.samples);
    account.non_finite_steps = json.value("non_finite_steps", std::int64_t{0});
    account.gradient.sqr = protocol::decode_number(json.at("grad_sqr"));
    account.gradient.var = protocol::decode_number(json.at("grad_var"));
    json.at("initial_batch_size").get_to(account.initial_batch_size);
    account.profile = Profile::from_json(json.at("profile"));
  }
};

Profile::Key key() {
  return {process().environment.num_nodes, num_replicas(), step_context().local_batch_size};
}

std::int64_t nominal_batch_size() {
  const StepContext& step = step_context();
  return step.local_batch_size * (step.accumulation_steps + 1) * num_replicas();
}

// A step is measured when it is full and not the first of its configuration, which warms caches up.
bool measured() { return watch.warm && step_context().even && !std::isnan(watch.micro_begun); }

// AdaptDL's, where it runs this program and no supervisor of ours listens; else null. Never destroyed: its
// thread may outlive us.
SchedHintsClient* adaptdl_scheduler() {
  static SchedHintsClient* const client = [] {
    const protocol::Environment& environment = process().environment;
    const bool wanted = !environment.supervisor_url.empty() && environment.telemetry_socket.empty();
    return wanted ? new SchedHintsClient(environment.supervisor_url, environment.job_id) : nullptr;
  }();
  return client;
}

void send_model(const goodput::PerfParams& perf, protocol::Model message) {
  message.perf = {perf.alpha_c, perf.beta_c, perf.alpha_n, perf.beta_n,
                  perf.alpha_r, perf.beta_r, perf.gamma};
  if (SchedHintsClient* const scheduler = adaptdl_scheduler()) scheduler->post(message);
  send(std::move(message));
}

void request_fit() {
  const auto rows = account.profile.rows();
  if (rows.empty()) return;
  fitted_at = account.profile.measured();
  protocol::Model message;
  message.grad_sqr = account.gradient.sqr;
  message.grad_var = account.gradient.var;
  message.init_batch_size = account.initial_batch_size;
  message.max_batch_size = limits.max_batch_size;
  message.min_local_batch_size = limits.min_local;
  message.max_local_batch_size = limits.max_local;
  message.accumulation = limits.accumulation;
  message.max_profiled_replicas = account.profile.max_replicas();
  message.step = account.steps;
  fitter().fit(rows, [message](const goodput::PerfParams& perf) { send_model(perf, message); });
}

// What is known of goodput; empty before the first fit and before there are gradient statistics.
std::optional<goodput::GoodputFunction> goodput_function() {
  const auto perf = fitter().model();
  if (!perf || account.initial_batch_size == 0 || !(account.gradient.var > 0)) return std::nullopt;
  return goodput::GoodputFunction(*perf, account.gradient, account.initial_batch_size);
}

goodput::Configuration configuration(std::int64_t local_batch_size, int accumulation_steps) {
  return {process().environment.num_nodes, num_replicas(), local_batch_size, accumulation_steps};
}

std::map<std::string, double> row(const StepReport& report, double now) {
  const StepContext& step = step_context();
  const auto batch_size = static_cast<double>(nominal_batch_size());
  std::map<std::string, double> values = take_recorded();
  values[series::kMono] = now;
  values[series::kGain] = report.gain;
  if (!std::isnan(report.raw_gain)) values[series::kRawGain] = report.raw_gain;
  values[series::kLearningRateFactor] = report.lr_factor;
  values[series::kLearningRate] = report.learning_rate;
  values[series::kReplicas] = num_replicas();
  values[series::kProgress] = account.progress;
  values[series::kSamples] = static_cast<double>(account.samples);
  values[series::kGradSqr] = report.grad_sqr;
  values[series::kGradVar] = report.grad_var;
  values[series::kSyncTime] = report.sync_seconds;
  if (in_a_row > 0) values[series::kNonFiniteSteps] = static_cast<double>(account.non_finite_steps);
  if (step.initial_batch_size > 0) {
    const double scale = batch_size / static_cast<double>(step.initial_batch_size);
    const double efficiency = std::min(1.0, report.gain / scale);
    values[series::kScale] = scale;
    values[series::kBatchSize] = batch_size;
    values[series::kLocalBatchSize] = static_cast<double>(step.local_batch_size);
    values[series::kAccumulation] = step.accumulation_steps;
    values[series::kEfficiency] = efficiency;
    if (report.grad_sqr > 0)
      values[series::kNoiseScale] =
          report.grad_var / report.grad_sqr * static_cast<double>(step.initial_batch_size);
    if (watch.step_seconds > 0) {
      values[series::kStepTime] = watch.step_seconds;
      values[series::kThroughput] = static_cast<double>(step.samples) / watch.step_seconds;
      values[series::kGoodput] = values[series::kThroughput] * efficiency;
    }
    if (const auto perf = fitter().model())
      values[series::kModelStepTime] =
          goodput::step_time(*perf, configuration(step.local_batch_size, step.accumulation_steps));
  }
  if (const auto& loop = running_loop())
    values[series::kEpoch] = finished_epochs() + loop->fraction(account.progress);
  return values;
}

}  // namespace

void load_metrics_state() { checkpoint::load_state(*new MetricsState); }

void begin_micro_step() {
  const StepContext& step = step_context();
  if (step.micro_step == 0) watch.step_seconds = 0;
  if (step.local_batch_size != watch.local_batch_size ||
      step.accumulation_steps != watch.accumulation_steps) {
    watch.warm = false;
    watch.local_batch_size = step.local_batch_size;
    watch.accumulation_steps = step.accumulation_steps;
  }
  watch.micro_begun = protocol::monotonic_seconds();
}

void end_micro_step() {
  const double seconds = protocol::monotonic_seconds() - watch.micro_begun;
  watch.step_seconds += seconds;
  if (measured()) account.profile.add_accumulation(key(), seconds);
  watch.micro_begun = std::numeric_limits<double>::quiet_NaN();
}

void commit_step(const StepReport& report) {
  const double now = protocol::monotonic_seconds();
  const StepContext& step = step_context();
  const double seconds = now - watch.micro_begun;
  watch.step_seconds += seconds;
  if (measured()) account.profile.add_optimizer(key(), seconds, report.sync_seconds);
  watch.warm = true;

  if (!report.skipped) account.progress += report.gain;
  in_a_row = report.skipped && !report.expected ? in_a_row + 1 : 0;
  if (in_a_row > 0) ++account.non_finite_steps;
  ++account.steps;
  account.samples += step.samples;
  account.gradient = {report.grad_sqr, report.grad_var};
  account.initial_batch_size = step.initial_batch_size;
  last_step = now;

  if (replica_rank() == 0) {
    const std::int64_t fresh = account.profile.measured() - fitted_at;
    if (fresh >= (fitted_at == 0 ? kFirstFit : kNextFits)) request_fit();
  }
  const bool told = telemetry_connected() && replica_rank() == 0;
  const bool drawn = tensorboard::wants_row(account.steps);
  auto values = told || drawn ? row(report, now) : std::map<std::string, double>();
  if (drawn) {
    auto scalars = values;
    scalars.erase(series::kMono);  // TensorBoard's events have a time of their own
    tensorboard::write(account.steps, scalars);
  }
  send_step(account.steps, std::move(values));
  watch.micro_begun = std::numeric_limits<double>::quiet_NaN();
}

double progress() { return account.progress; }
std::int64_t steps() { return account.steps; }
std::int64_t samples() { return account.samples; }
std::int64_t non_finite_steps() { return account.non_finite_steps; }
std::int64_t non_finite_in_a_row() { return in_a_row; }
double last_step_time() { return last_step; }

std::optional<Choice> suggest(const Limits& wanted) {
  limits = wanted;
  if (account.profile.measured() >= kFirstFit && account.profile.measured() > fitted_at) request_fit();
  fitter().settle();
  const auto function = goodput_function();
  if (!function) return std::nullopt;
  const goodput::Choice best =
      function->optimize(process().environment.num_nodes, num_replicas(),
                         {wanted.max_batch_size, wanted.min_local, wanted.max_local, wanted.accumulation});
  if (best.goodput <= 0 || best.local_batch_size < 1) return std::nullopt;
  return Choice{best.local_batch_size, best.accumulation_steps, best.goodput};
}

std::optional<double> predict_goodput(std::int64_t local_batch_size, int accumulation_steps) {
  const auto function = goodput_function();
  if (!function) return std::nullopt;
  return function->evaluate(configuration(local_batch_size, accumulation_steps));
}

}  // namespace batchscope::metrics
