// SPDX-License-Identifier: Apache-2.0
//
// The account of steps as the supervisor sees it: when the model is fitted, and what it is told with it.
#include "adapt/metrics.h"

#include <QTemporaryDir>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "adapt/step_context.h"
#include "batchscope/replica/gradient_average.h"
#include "listener.h"
#include "report/telemetry_client.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::TelemetryListener;

namespace {

protocol::Model next_model(TelemetryListener& supervisor) {
  const auto messages = supervisor.read_until(
      [](const auto& message) { return std::holds_alternative<protocol::Model>(message); });
  return std::get<protocol::Model>(messages.back());
}

}  // namespace

class TestMetrics : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // After five measured steps, the first of a configuration not among them, and then after every 25. Where
  // these take more than a second, three are enough.
  void the_model_is_fitted_soon_and_then_seldom() {
    QTemporaryDir directory;
    TelemetryListener supervisor(directory.filePath("telemetry").toStdString());
    telemetry_start(supervisor.environment());
    supervisor.accept();
    metrics::set_limits({.max_batch_size = 1024, .min_local = 1, .max_local = 256, .single_gradient = true});
    metrics::set_limits({.min_local = 1});  // of a loader whose batch size nobody chooses
    const std::int64_t before = metrics::steps();
    const auto train = [] {
      step_context() = {.initial_batch_size = 32, .local_batch_size = 32};
      metrics::begin_micro_step();
      metrics::commit_step({.gradient = {1, 10}});
    };
    for (std::int64_t step = 1; step <= 58; ++step) {
      train();
      if (step != 6 && step != 31 && step != 56) continue;
      const protocol::Model model = next_model(supervisor);
      QCOMPARE(model.step, before + step);
      QCOMPARE(model.max_batch_size, 1024);
      QCOMPARE(model.max_local_batch_size, 256);
      QVERIFY(model.single_gradient && !model.accumulation);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    for (int step = 0; step < 4; ++step) train();
    QCOMPARE(next_model(supervisor).step, before + 59);
    telemetry_stop(0);
    for (const protocol::Message& message : supervisor.read_to_goodbye())
      QVERIFY(!std::holds_alternative<protocol::Model>(message));
  }

  // Values of some steps only are told by themselves.
  void a_row_says_what_the_step_was() {
    QTemporaryDir directory;
    TelemetryListener supervisor(directory.filePath("telemetry").toStdString());
    telemetry_start(supervisor.environment());
    supervisor.accept();
    const std::int64_t steps = metrics::steps(), samples = metrics::samples(),
                       skipped = metrics::non_finite_steps();
    const double progress = metrics::progress(), before = protocol::monotonic_seconds();
    step_context() = {
        .initial_batch_size = 32, .local_batch_size = 64, .accumulation_steps = 1, .samples = 128};
    metrics::add_recorded("loss", 1);
    metrics::add_recorded("loss", 4);
    metrics::commit_step({.gain = 2,
                          .nominal_gain = 2.5,
                          .raw_gain = 3,
                          .lr_factor = 1.5,
                          .learning_rate = 0.1,
                          .gradient = {2, 10},
                          .gain_interval = std::pair(1.5, 3.5)});
    QVERIFY(metrics::last_step_time() >= before);
    QCOMPARE(metrics::non_finite_in_a_row(), 0);
    metrics::commit_step({.gain = 8, .skipped = true, .raw_gain = std::nan(""), .gradient = {0, 10}});
    QCOMPARE(metrics::non_finite_in_a_row(), 1);
    metrics::commit_step(
        {.gain = 8, .skipped = true, .expected = true});  // a gradient scaler looks for its scale
    QCOMPARE(metrics::non_finite_in_a_row(), 0);
    metrics::commit_step({.gain = 8});
    QCOMPARE(metrics::progress(), progress + 2 + 8);
    QCOMPARE(metrics::samples(), samples + 4 * 128);
    QCOMPARE(metrics::non_finite_steps(), skipped + 1);
    telemetry_stop(0);
    using Values = std::map<std::int64_t, double>;  // by step, from 1
    std::map<std::string, Values> told;
    for (const protocol::Message& message : supervisor.read_to_goodbye()) {
      if (const auto* rows = std::get_if<protocol::Steps>(&message))
        for (const auto& [name, values] : rows->columns)
          for (std::size_t i = 0; i < values.size(); ++i)
            told[name][rows->first_step + static_cast<std::int64_t>(i) - steps] = values[i];
      if (const auto* scalar = std::get_if<protocol::Scalar>(&message))
        told[scalar->name][scalar->step - steps] = scalar->value;
    }
    QCOMPARE(told["loss"], (Values{{1, 2.5}}));
    QVERIFY(told["mono"].at(1) >= before && told["mono"].at(1) <= told["mono"].at(4));
    QCOMPARE(told["gain"].at(1), 2.5);
    QCOMPARE(told["gain_raw"].at(1), 3.0);
    QVERIFY(!told["gain_raw"].contains(2));
    QCOMPARE(told["gain_low"], (Values{{1, 1.5}}));
    QCOMPARE(told["gain_high"], (Values{{1, 3.5}}));
    QCOMPARE(told["lr_factor"].at(1), 1.5);
    QCOMPARE(told["lr"].at(1), 0.1);
    QCOMPARE(told["replicas"].at(1), 1.0);
    QCOMPARE(told["scale"].at(1), 4.0);
    QCOMPARE(told["batch_size"].at(1), 128.0);
    QCOMPARE(told["local_batch_size"].at(1), 64.0);
    QCOMPARE(told["accumulation_steps"].at(1), 1.0);
    QCOMPARE(told["noise_scale"], (Values{{1, 10.0 / 2 * 32}}));               // a norm of 0 is no estimate
    QCOMPARE(told["efficiency"], (Values{{1, 0.5}, {2, 1}, {3, 1}, {4, 1}}));  // at most 1
    QCOMPARE(told["samples"].at(4), static_cast<double>(samples + 512));
    QCOMPARE(told["progress"].at(3), progress + 2);
    QCOMPARE(told["non_finite_steps"], (Values{{2, static_cast<double>(skipped + 1)}}));
    QVERIFY(!told.contains("epoch"));  // no loop runs
  }

  // A pass of 164 samples: a full step of 128 and a short one of 36, on an initial batch size of 32.
  void a_short_last_step_is_worth_its_own_samples() {
    QTemporaryDir directory;
    TelemetryListener supervisor(directory.filePath("telemetry").toStdString());
    telemetry_start(supervisor.environment());
    supervisor.accept();
    GradientAverage average(1);
    double worth = 0;
    for (const std::int64_t samples : {128, 36}) {
      step_context() = {.initial_batch_size = 32,
                        .local_batch_size = 64,
                        .accumulation_steps = 1,
                        .optimizer_step = false,
                        .even = samples == 128};
      metrics::begin_micro_step();
      average.add(std::vector{3.0});
      step_context().micro_step = 1;
      step_context().optimizer_step = true;
      step_context().samples = samples;
      metrics::begin_micro_step();
      worth = average.add(std::vector{1.0})->gain / (static_cast<double>(samples) / 32);
      average.finish(0.1);
    }
    QVERIFY(worth > 0.9);  // 36 samples are nearly the initial batch
    telemetry_stop(0);
    std::map<std::string, std::vector<double>> columns;
    for (const protocol::Message& message : supervisor.read_to_goodbye())
      if (const auto* steps = std::get_if<protocol::Steps>(&message))
        for (const auto& [name, values] : steps->columns)
          columns[name].insert(columns[name].end(), values.begin(), values.end());
    const auto& efficiency = columns["efficiency"];
    QCOMPARE(efficiency.at(1), worth);
    QVERIFY(efficiency.at(0) < efficiency.at(1));
    QCOMPARE(columns["goodput"].at(1), columns["throughput"].at(1) * worth);
    QCOMPARE(columns["scale"], (std::vector<double>{4, 4}));
    QCOMPARE(columns["gain"].at(1), columns["gain"].at(0));  // of the same estimate, at the same scale
    QCOMPARE(columns["gain"].at(0), efficiency.at(0) * 4);
  }
};

BATCHSCOPE_TEST(TestMetrics)
#include "test_metrics.moc"
