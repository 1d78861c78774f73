// SPDX-License-Identifier: Apache-2.0
//
// The account of steps as the supervisor sees it: when the model is fitted, and what it is told with it.
#include "adapt/metrics.h"

#include <QTemporaryDir>

#include "adapt/step_context.h"
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
  // After five measured steps, the first of a configuration not among them, and then after every 25.
  void the_model_is_fitted_soon_and_then_seldom() {
    QTemporaryDir directory;
    TelemetryListener supervisor(directory.filePath("telemetry").toStdString());
    telemetry_start(supervisor.environment());
    supervisor.accept();
    metrics::set_limits({.max_batch_size = 1024, .min_local = 1, .max_local = 256, .single_gradient = true});
    const std::int64_t before = metrics::steps();
    for (std::int64_t step = 1; step <= 70; ++step) {
      step_context() = {.initial_batch_size = 32, .local_batch_size = 32};
      metrics::begin_micro_step();
      metrics::commit_step({.grad_sqr = 1, .grad_var = 10});
      if (step != 6 && step != 31 && step != 56) continue;
      const protocol::Model model = next_model(supervisor);
      QCOMPARE(model.step, before + step);
      QCOMPARE(model.max_batch_size, 1024);
      QCOMPARE(model.max_local_batch_size, 256);
      QVERIFY(model.single_gradient && !model.accumulation);
    }
    telemetry_stop(0);
    for (const protocol::Message& message : supervisor.read_to_goodbye())
      QVERIFY(!std::holds_alternative<protocol::Model>(message));
  }
};

BATCHSCOPE_TEST(TestMetrics)
#include "test_metrics.moc"
