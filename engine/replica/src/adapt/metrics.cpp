// SPDX-License-Identifier: Apache-2.0
//
// The account of finished steps. Rank 0 keeps the profile and the model; progress, steps and samples are the
// same on every replica, because they come from averaged gradients and the loader's arithmetic.
//
// A step's time runs from the end of the step before to its own end, so that all that a program does for a
// step is in it: waiting for data, computing, waiting for other replicas, the update, and what the program
// does between steps. Each micro-batch has its share, from the end of the one before. What comes between
// loops or writes a checkpoint is no part of a step: the next one begins with its first micro-batch.
#include "adapt/metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapt/cores.h"
#include "adapt/loops.h"
#include "adapt/model_fitter.h"
#include "adapt/profile.h"
#include "adapt/sched_hints_client.h"
#include "adapt/step_context.h"
#include "adapt/timer.h"
#include "batchscope/protocol/contention.h"
#include "batchscope/protocol/series.h"
#include "batchscope/replica/process_group.h"
#include "checkpoint/json_state.h"
#include "process/process.h"
#include "process/session.h"
#include "report/row.h"
#include "report/telemetry_client.h"
#include "report/tensorboard.h"

namespace batchscope::replica::metrics {
namespace {

namespace series = protocol::series;

// New optimizer steps before the model is fitted anew: soon at first, seldom later.
constexpr std::int64_t kFirstFit = 5, kNextFits = 25;  // measured steps
constexpr double kNextFit = 1;                         // s: after so long kFewSteps are enough
constexpr std::int64_t kFewSteps = 3;

// The step in flight.
struct Stopwatch {
  std::optional<Timer::Moment> ended;          // the micro-batch before; none: something came between
  std::optional<Timer::Moment> begun;          // its micro-batch; none: nothing was begun
  std::vector<Timer::Interval> accumulations;  // the micro-batches before it
  double data = 0;                             // s on the host until its batches were there
  double data_since = 0;                       // monotonic, what is not counted yet
  bool warm = false;                           // a step of this configuration was committed before
  std::int64_t local_batch_size = 0;
  int accumulation_steps = 0;
  int cores = 0;
};

// A step that is committed, with all that its times are told with once they are known.
struct Finished {
  std::int64_t number = 0;
  Profile::Key key;
  int accumulation_steps = 0;
  bool measured = false;  // goes into the profile
  bool even = false;
  double samples = 0;
  std::optional<double> efficiency;  // none without a loader, whose batch sizes it is about
  std::vector<Timer::Interval> accumulations;
  std::optional<Timer::Interval> update;  // the micro-batch that ends it
  std::optional<Timer::Interval> waited;
  double data = 0;
  bool told = false, drawn = false;
  Row row;
};

// The account itself. What is public of it are the functions of the header.
class Account final : public JsonState {
 public:
  Account() : JsonState("metrics") {}

  void begin_micro_step();
  void data_ready();
  void end_micro_step();
  void leave_steps() { watch.ended.reset(); }
  void commit_step(const StepReport& report);
  void complete_last_step() {
    if (late) complete(*std::exchange(late, std::nullopt));
  }
  void set_limits(const goodput::Bounds& wanted) {
    if (wanted.max_batch_size > 0 || limits.max_batch_size <= 0) limits = wanted;
  }
  std::optional<Suggestion> suggest(const goodput::Bounds& wanted, std::int64_t batch_size,
                                    std::int64_t left);
  std::optional<double> measured_goodput(const BatchShape& shape) const;
  // Returns the goodput function as far as it is known; empty before the first fit and before there are
  // gradient statistics.
  std::optional<goodput::GoodputFunction> goodput_function() const;

  // State in a checkpoint.
  double progress = 0;
  std::int64_t steps = 0, samples = 0, non_finite_steps = 0;
  goodput::GradParams gradient;
  std::int64_t initial_batch_size = 0;
  Profile profile;

  // Recorded since the last row.
  struct Sum {
    double value = 0;
    int count = 0;
  };
  std::map<std::string, Sum, std::less<>> recorded;

  double last_step = 0;
  std::int64_t in_a_row = 0;  // non-finite steps, up to the last one

 private:
  protocol::Json contents() const override {
    return {{"progress", protocol::encode_number(progress)},
            {"steps", steps},
            {"samples", samples},
            {"non_finite_steps", non_finite_steps},
            {"grad_sqr", protocol::encode_number(gradient.sqr)},
            {"grad_var", protocol::encode_number(gradient.var)},
            {"grad_sqr_error", protocol::encode_number(gradient.sqr_error)},
            {"initial_batch_size", initial_batch_size},
            {"profile", profile.json()}};
  }
  void restore(const protocol::Json& json) override {
    progress = protocol::decode_number(json.at("progress"));
    json.at("steps").get_to(steps);
    json.at("samples").get_to(samples);
    non_finite_steps = json.value("non_finite_steps", std::int64_t{0});
    gradient.sqr = protocol::decode_number(json.at("grad_sqr"));
    gradient.var = protocol::decode_number(json.at("grad_var"));
    gradient.sqr_error =
        json.contains("grad_sqr_error") ? protocol::decode_number(json["grad_sqr_error"]) : 0;
    json.at("initial_batch_size").get_to(initial_batch_size);
    profile = Profile::from_json(json.at("profile"));
  }

  void sync() override {
    complete_last_step();  // it belongs into the checkpoint
    leave_steps();
  }
  void end(Timer::Moment moment);

  // Goodput chooses the batch size, so that no two runs are the same.
  bool is_free() const { return limits.max_batch_size > 0; }
  void request_fit();
  void complete(Finished step);
  Row row(const StepReport& report, double now) const;
  void add_times(const Finished& step, double seconds, Row& row) const;

  Stopwatch watch;
  std::optional<Finished> late;  // whose times are not known yet
  goodput::Bounds limits = {.min_local = 1};
  const goodput::FirstGuess guess{std::min(protocol::told_contention(), goodput::kMostContention),
                                  protocol::told_sync_time()};
  std::int64_t fitted_at = 0;  // profile.measured() at the last request
  double last_fit = 0;         // last_step then
  ModelFitter fitter;
};

Account& account() { return session().part<Account>(); }

int num_devices() { return process().environment.num_devices; }

// Returns the factor by which a step takes longer than with a device for each replica, which the profile
// assumes.
double shared() { return goodput::sharing(num_replicas(), num_devices()); }

// Cores of each replica; `fastest`: a lone one keeps the fastest of them.
goodput::Devices devices(bool fastest = false) {
  const int count = num_devices();
  const bool divided = count > 0 && all_cores() > 0 && process().environment.devices_per_replica == 0;
  return {count, divided, std::max(1, all_cores()), fastest && keeps_fastest_cores()};
}

Profile::Key key(std::int64_t local_batch_size) {
  const int nodes = process().environment.num_nodes;
  return {nodes,        num_replicas(), local_batch_size,
          shared() > 1, cores(),        devices().neighbours(nodes, num_replicas())};
}

std::int64_t nominal_batch_size() {
  const StepContext& step = step_context();
  return step.local_batch_size * (step.accumulation_steps + 1) * num_replicas();
}

double over_initial(std::int64_t batch_size) {
  return static_cast<double>(batch_size) / static_cast<double>(step_context().initial_batch_size);
}

// AdaptDL's, where it runs this program and no supervisor of ours listens.
struct Scheduler {
  std::optional<SchedHintsClient> client;
  Scheduler() {
    const protocol::Environment& environment = process().environment;
    if (!environment.supervisor_url.empty() && environment.telemetry_socket.empty())
      client.emplace(environment.supervisor_url, environment.job_id);
  }
};

void send_model(const goodput::PerfParams& perf, protocol::Model message) {
  message.perf = {perf.alpha_c, perf.beta_c, perf.alpha_n, perf.beta_n,
                  perf.alpha_r, perf.beta_r, perf.gamma};
  message.core_exponent = perf.core_exponent;
  message.core_overhead = perf.core_overhead;
  message.contention = perf.contention;
  message.update_time = perf.update;
  if (auto& scheduler = session().part<Scheduler>().client) scheduler->post(message);
  send(message);
}

void Account::request_fit() {
  const bool adaptdl = session().part<Scheduler>().client.has_value();  // whose model has none of our terms
  const double update = adaptdl ? 0 : profile.update_time();
  auto rows = profile.rows(update);
  if (rows.empty()) return;
  if (adaptdl)
    for (goodput::ProfileRow& row : rows) row.cores = row.neighbours = 0;
  fitted_at = profile.measured();
  last_fit = last_step;
  protocol::Model message;
  message.grad_sqr = gradient.sqr;
  message.grad_var = gradient.var;
  message.grad_sqr_error = gradient.sqr_error;
  message.init_batch_size = initial_batch_size;
  message.max_batch_size = limits.max_batch_size;
  message.min_local_batch_size = limits.min_local;
  message.max_local_batch_size = limits.max_local;
  message.accumulation = limits.accumulation;
  message.single_gradient = limits.single_gradient;
  message.micro_batches = step_context().micro_batches;
  message.cores = all_cores();
  message.keeps_fastest_cores = is_free() && keeps_fastest_cores();
  message.max_profiled_replicas = profile.max_replicas();
  const auto [least, most] = profile.local_batch_sizes();
  message.min_profiled_local_batch_size = least;
  message.max_profiled_local_batch_size = most;
  message.step = steps;
  fitter.fit(rows, guess, [message, rows, update](goodput::PerfParams perf) mutable {
    message.residual = goodput::fit_residual(perf, rows);
    perf.update = update;
    send_model(perf, message);
    return perf;
  });
}

std::optional<goodput::GoodputFunction> Account::goodput_function() const {
  const auto perf = fitter.model();
  if (!perf || initial_batch_size == 0 || !(gradient.var > 0)) return std::nullopt;
  return goodput::GoodputFunction(*perf, gradient, initial_batch_size, devices(is_free()));
}

goodput::Configuration configuration(std::int64_t local_batch_size, int accumulation_steps) {
  return {process().environment.num_nodes, num_replicas(), local_batch_size, accumulation_steps};
}

// All but what needs the step's times.
Row Account::row(const StepReport& report, double now) const {
  const StepContext& step = step_context();
  Row row;
  row.reserve(32);
  for (const auto& [name, sum] : recorded) set(row, name, sum.value / sum.count);
  set(row, series::kMono, now);
  set(row, series::kGain, report.nominal_gain);
  if (!std::isnan(report.raw_gain)) set(row, series::kRawGain, report.raw_gain);
  if (report.gain_interval) {
    set(row, series::kGainLow, report.gain_interval->first);
    set(row, series::kGainHigh, report.gain_interval->second);
  }
  set(row, series::kLearningRateFactor, report.lr_factor);
  set(row, series::kLearningRate, report.learning_rate);
  set(row, series::kReplicas, num_replicas());
  set(row, series::kProgress, progress);
  set(row, series::kSamples, static_cast<double>(samples));
  set(row, series::kGradSqr, report.gradient.sqr);
  set(row, series::kGradVar, report.gradient.var);
  if (in_a_row > 0) set(row, series::kNonFiniteSteps, static_cast<double>(non_finite_steps));
  if (step.initial_batch_size > 0) {
    set(row, series::kScale, over_initial(nominal_batch_size()));
    set(row, series::kBatchSize, static_cast<double>(nominal_batch_size()));
    set(row, series::kLocalBatchSize, static_cast<double>(step.local_batch_size));
    set(row, series::kAccumulation, step.accumulation_steps);
    if (report.gradient.sqr > 0)
      set(row, series::kNoiseScale,
          report.gradient.var / report.gradient.sqr * static_cast<double>(step.initial_batch_size));
  }
  if (const auto& loop = running_loop())
    set(row, series::kEpoch, loop->finished_epochs + loop->fraction(progress));
  return row;
}

void Account::begin_micro_step() {
  const StepContext& step = step_context();
  if (step.micro_step == 0) {
    watch.accumulations.clear();
    watch.data = 0;
    choose_cores(steps, is_free());
  }
  if (step.local_batch_size != watch.local_batch_size ||
      step.accumulation_steps != watch.accumulation_steps || cores() != watch.cores) {
    watch.warm = false;
    watch.cores = cores();
    watch.local_batch_size = step.local_batch_size;
    watch.accumulation_steps = step.accumulation_steps;
  }
  if (!watch.ended) end(timer().now());
  watch.begun = std::exchange(watch.ended, std::nullopt);
  data_ready();
}

void Account::data_ready() {
  const double now = protocol::monotonic_seconds();
  watch.data += now - std::exchange(watch.data_since, now);
}

void Account::end_micro_step() {
  const Timer::Moment now = timer().now();
  if (watch.begun) watch.accumulations.push_back({*watch.begun, now});
  end(now);
}

void Account::end(Timer::Moment moment) {
  watch.begun.reset();
  watch.ended = std::move(moment);
  watch.data_since = protocol::monotonic_seconds();
}

void Account::commit_step(const StepReport& report) {
  const StepContext& step = step_context();
  const double now = protocol::monotonic_seconds();
  Finished finished;
  const Timer::Moment end_of_step = timer().now();
  if (watch.begun) finished.update = {*watch.begun, end_of_step};
  finished.data = watch.data;
  end(end_of_step);
  // A step is measured when it is full and not the first of its configuration, which warms caches up.
  finished.measured = watch.warm && step.even && finished.update;
  finished.accumulations = std::exchange(watch.accumulations, {});
  finished.waited = report.waited;
  watch.warm = true;

  if (!report.skipped) progress += report.gain;
  in_a_row = report.skipped && !report.expected ? in_a_row + 1 : 0;
  if (in_a_row > 0) ++non_finite_steps;
  ++steps;
  samples += step.samples;
  gradient = report.gradient;
  initial_batch_size = step.initial_batch_size;
  last_step = now;
  set_step(steps);

  finished.number = steps;
  finished.key = key(step.local_batch_size);
  use_own_cores();
  finished.accumulation_steps = step.accumulation_steps;
  finished.even = step.even;
  finished.samples = static_cast<double>(step.samples);
  // A sample's worth is that of this step's gain per sample, as its throughput is: a short step is not a full
  // one.
  if (step.initial_batch_size > 0)
    finished.efficiency = std::min(1.0, report.gain / over_initial(step.samples));
  finished.told = telemetry_connected() && replica_rank() == 0;
  finished.drawn = tensorboard::wants_row(steps);
  if (finished.told || finished.drawn) {
    finished.row = row(report, now);
    recorded.clear();
  }
  complete_last_step();
  if (timer().at_once())
    complete(std::move(finished));
  else
    late = std::move(finished);
}

void Account::add_times(const Finished& step, double seconds, Row& row) const {
  set(row, series::kEfficiency, *step.efficiency);
  if (seconds > 0) {
    const double throughput = step.samples / seconds;
    set(row, series::kStepTime, seconds);
    set(row, series::kThroughput, throughput);
    set(row, series::kGoodput, throughput * *step.efficiency);
  }
  if (const auto perf = fitter.model()) {
    const double predicted =
        goodput::step_time(*perf, configuration(step.key.local_batch_size, step.accumulation_steps),
                           {num_devices(), false, std::max(1, step.key.cores)});
    set(row, series::kModelStepTime, predicted);
    if (seconds > 0 && step.even) set(row, series::kModelError, seconds / predicted - 1);
  }
}

// Asks for the times.
void Account::complete(Finished step) {
  const double waited = step.waited ? timer().seconds(*step.waited) : 0;
  double whole = 0;
  for (const Timer::Interval& accumulation : step.accumulations) {
    const double seconds = timer().seconds(accumulation);
    whole += seconds;
    if (step.measured) profile.add_accumulation(step.key, seconds / shared());
  }
  const double update = step.update ? timer().seconds(*step.update) : 0;
  if (step.measured) profile.add_optimizer(step.key, update / shared(), waited / shared());
  if (is_free() && step.even && step.update)
    cores_took(step.key.cores, {step.key.local_batch_size, step.accumulation_steps}, whole + update);
  if (replica_rank() == 0) {
    const std::int64_t fresh = profile.measured() - fitted_at;
    const bool is_long_ago = last_step - last_fit >= kNextFit;
    if (fresh >= (fitted_at == 0 ? kFirstFit : is_long_ago ? kFewSteps : kNextFits)) request_fit();
  }
  if (!step.told && !step.drawn) return;
  set(step.row, series::kSyncTime, waited);
  if (step.update) set(step.row, series::kDataTime, step.data);
  if (step.efficiency) add_times(step, step.update ? whole + update : 0, step.row);
  if (step.drawn) {
    std::map<std::string, double> scalars(step.row.begin(), step.row.end());
    scalars.erase(series::kMono);  // TensorBoard's events have a time of their own
    tensorboard::write(step.number, scalars);
  }
  if (step.told) send_step(step.number, std::move(step.row));
}

std::optional<Suggestion> Account::suggest(const goodput::Bounds& wanted, std::int64_t batch_size,
                                           std::int64_t left) {
  limits = wanted;
  complete_last_step();
  if (profile.measured() >= kFirstFit && profile.measured() > fitted_at) request_fit();
  fitter.settle();
  if (!goodput_function()) return std::nullopt;
  const auto [least, most] = profile.local_batch_sizes_like(key(1));
  return suggestion({*fitter.model(), gradient, initial_batch_size, devices(is_free()),
                     process().environment.num_nodes, num_replicas()},
                    wanted,
                    {profile.local_batch_sizes().most, batch_size, left, 0, least == most ? least : 0});
}

std::optional<double> Account::measured_goodput(const BatchShape& shape) const {
  const auto seconds = profile.step_time(key(shape.local_batch_size), shape.accumulation_steps);
  if (!seconds || initial_batch_size == 0 || !(gradient.var > 0)) return std::nullopt;
  const std::int64_t batch_size = shape.batch_size(num_replicas());
  const double efficiency = goodput::GoodputFunction({}, gradient, initial_batch_size).efficiency(batch_size);
  return static_cast<double>(batch_size) / (*seconds * shared()) * efficiency;
}

}  // namespace

void add_recorded(std::string_view name, double value) {
  auto& recorded = account().recorded;
  auto found = recorded.find(name);
  if (found == recorded.end()) found = recorded.emplace(name, Account::Sum{}).first;
  found->second.value += value;
  ++found->second.count;
}

StepScale step_scale(int gradients) {
  if (step_context().initial_batch_size == 0)
    return {static_cast<double>(gradients), static_cast<double>(gradients)};
  return {over_initial(step_context().samples), over_initial(nominal_batch_size())};
}

void load_metrics_state() { checkpoint::load_state(account()); }

void begin_micro_step() { account().begin_micro_step(); }
void data_ready() { account().data_ready(); }
void end_micro_step() { account().end_micro_step(); }
void leave_steps() { account().leave_steps(); }
void commit_step(const StepReport& report) { account().commit_step(report); }
void complete_last_step() { account().complete_last_step(); }

double progress() { return account().progress; }
std::int64_t steps() { return account().steps; }
std::int64_t samples() { return account().samples; }
std::int64_t non_finite_steps() { return account().non_finite_steps; }
std::int64_t non_finite_in_a_row() { return account().in_a_row; }
double last_step_time() { return account().last_step; }

void set_limits(const goodput::Bounds& limits) { account().set_limits(limits); }

std::optional<Suggestion> suggest(const goodput::Bounds& limits, std::int64_t batch_size, std::int64_t left) {
  return account().suggest(limits, batch_size, left);
}

std::optional<double> predict_goodput(std::int64_t local_batch_size, int accumulation_steps) {
  const auto function = account().goodput_function();
  if (!function) return std::nullopt;
  return function->evaluate(configuration(local_batch_size, accumulation_steps));
}

std::optional<double> measured_goodput(const BatchShape& shape) { return account().measured_goodput(shape); }

}  // namespace batchscope::replica::metrics
