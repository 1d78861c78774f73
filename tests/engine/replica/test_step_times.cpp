// SPDX-License-Identifier: Apache-2.0
//
// Steps timed by a device that works off a queue: what each took of it is told of the right step and the
// right configuration, without ever waiting for the device while it trains, and nothing is missing in a
// checkpoint.
#include <QFile>
#include <QTemporaryDir>
#include <future>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/process_group.h"
#include "device.h"
#include "listener.h"
#include "report/telemetry_client.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::protocol::Json;
using batchscope::testing::Device;
using batchscope::testing::TelemetryListener;

namespace {

// Seconds of the device for each kind of work.
struct Work {
  double backward, exchange, update;
};

// A step of full micro-batches, as AdaptiveDataParallel makes it: it waits for the gradients' norms, and
// hands out the update after that.
void make_step(Device& device, std::int64_t local_batch_size, int accumulation_steps, const Work& work) {
  StepContext& context = step_context();
  context = {.initial_batch_size = 8,
             .local_batch_size = local_batch_size,
             .accumulation_steps = accumulation_steps};
  for (int micro = 0; micro < accumulation_steps; ++micro, ++context.micro_step) {
    context.optimizer_step = false;
    metrics::begin_micro_step();
    device.work(work.backward);
    metrics::end_micro_step();
  }
  context.optimizer_step = true;
  context.samples = local_batch_size * (accumulation_steps + 1);
  metrics::begin_micro_step();
  device.work(work.backward);
  metrics::StepReport report{.gradient = {1, 10}};
  const Timer::Moment began = timer().now();
  device.work(work.exchange);
  report.waited = {began, timer().now()};
  device.wait();
  device.work(work.update);
  metrics::commit_step(report);
}

Json profile_in(const std::filesystem::path& checkpoints) {
  QFile file(QString::fromStdString((protocol::list_checkpoints(checkpoints).front() / "metrics").string()));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return Json::parse(file.readAll().toStdString()).at("profile").at("rows");
}

// The rows' column over all steps, from this one on.
std::vector<double> column(const std::vector<protocol::Message>& messages, const std::string& name,
                           std::int64_t first = 1) {
  std::vector<double> values;
  for (const auto& message : messages)
    if (const auto* steps = std::get_if<protocol::Steps>(&message)) {
      if (steps->first_step != std::ssize(values) + first) qWarning("the steps have a gap");
      const auto& part = steps->columns.at(name);
      values.insert(values.end(), part.begin(), part.end());
    }
  return values;
}

}  // namespace

class TestStepTimes : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_devices_times_are_told_a_step_later_and_all_of_them() {
    const QTemporaryDir directory;
    const std::string checkpoints = directory.filePath("checkpoints").toStdString();
    TelemetryListener supervisor(directory.filePath("supervisor").toStdString());
    qputenv(protocol::variable::kCheckpointPath, checkpoints.c_str());
    qputenv(protocol::variable::kTelemetrySocket, directory.filePath("supervisor").toUtf8());
    init_replica();
    supervisor.accept();
    finished_epochs();  // loads what there is
    auto owned = std::make_unique<Device>();
    Device& device = *owned;
    set_timer(std::move(owned));

    const Work small{0.25, 0.125, 0.0625}, large{1, 0.5, 0.25};
    const double small_step = 2 * 0.25 + 0.125 + 0.0625, large_step = 1.75;
    for (int i = 0; i < 3; ++i) make_step(device, 8, 1, small);  // the first of each warms up
    for (int i = 0; i < 3; ++i) make_step(device, 32, 0, large);
    QVERIFY(!device.stalled);
    checkpoint::save_all_states("manual");
    QVERIFY(device.stalled);  // for the last step, which would be lost

    const Json rows = profile_in(checkpoints);
    QCOMPARE(rows.size(), 2u);
    const auto mean = [](double seconds, int count) { return Json{seconds, count}; };
    for (const Json& row : rows) {
      const bool is_small = row.at("local_batch_size") == 8;
      const Work& work = is_small ? small : large;
      QVERIFY(row.at("optimizer") == mean(work.backward + work.exchange + work.update, 2));
      QVERIFY(row.at("sync") == mean(work.exchange, 2));
      QVERIFY(row.at("accumulation") == (is_small ? mean(work.backward, 2) : mean(0, 0)));
    }

    auto reader = std::async(std::launch::async, [&] { return supervisor.read_to_goodbye(); });
    telemetry_stop(0);
    const auto messages = reader.get();
    using Column = std::vector<double>;
    QCOMPARE(column(messages, "step_time"),
             (Column{small_step, small_step, small_step, large_step, large_step, large_step}));
    QCOMPARE(column(messages, "sync_time"), (Column{0.125, 0.125, 0.125, 0.5, 0.5, 0.5}));
    QCOMPARE(column(messages, "throughput"), (Column{16 / small_step, 16 / small_step, 16 / small_step,
                                                     32 / large_step, 32 / large_step, 32 / large_step}));
    QCOMPARE(column(messages, "samples"), (Column{16, 32, 48, 80, 112, 144}));
    QCOMPARE(std::get<protocol::Goodbye>(messages.back()).step, 6);
  }

  // Logging, averages of weights, the loader's work: a step has it from the end of the step before.
  void a_step_begins_where_the_one_before_ended() {
    QTemporaryDir directory;
    TelemetryListener supervisor(directory.filePath("telemetry").toStdString());
    telemetry_start(supervisor.environment());
    supervisor.accept();
    auto& device = dynamic_cast<Device&>(timer());
    const std::int64_t before = metrics::steps();
    const Work work{0.25, 0.125, 0.125};
    metrics::leave_steps();
    make_step(device, 16, 0, work);
    device.work(1);
    make_step(device, 16, 0, work);
    device.work(2);  // an evaluation, before whose end no batch is asked for
    metrics::leave_steps();
    make_step(device, 16, 0, work);
    device.wait();
    metrics::complete_last_step();
    auto reader = std::async(std::launch::async, [&] { return supervisor.read_to_goodbye(); });
    telemetry_stop(0);
    QCOMPARE(column(reader.get(), "step_time", before + 1), (std::vector{0.5, 1.5, 0.5}));
  }

  // It is of the host's time, whatever computes: the host waits for data.
  void the_wait_for_data_is_told_apart() {
    QTemporaryDir directory;
    TelemetryListener supervisor(directory.filePath("telemetry").toStdString());
    telemetry_start(supervisor.environment());
    supervisor.accept();
    set_timer(std::make_unique<HostTimer>());
    const std::int64_t before = metrics::steps();
    constexpr int kLoading = 30;  // ms
    metrics::leave_steps();
    for (const bool waits : {false, true, false}) {
      step_context() = {.initial_batch_size = 8, .local_batch_size = 8};
      metrics::begin_micro_step();
      if (waits) QTest::qSleep(kLoading);
      metrics::data_ready();
      metrics::commit_step({.gradient = {1, 10}});
      if (waits) QTest::qSleep(kLoading);
    }
    auto reader = std::async(std::launch::async, [&] { return supervisor.read_to_goodbye(); });
    telemetry_stop(0);
    const auto messages = reader.get();
    const auto data = column(messages, "data_time", before + 1),
               whole = column(messages, "step_time", before + 1);
    QCOMPARE(data.size(), 3u);
    for (const std::size_t late : {1, 2}) QVERIFY(data[late] >= kLoading * 1e-3);
    for (const std::size_t step : {0, 1, 2}) QVERIFY(data[step] <= whole[step]);
  }

  // It lasts until the batch was asked for, where the loader does not say when it is there.
  void what_is_computed_is_no_wait_for_data() {
    QTemporaryDir directory;
    TelemetryListener supervisor(directory.filePath("telemetry").toStdString());
    telemetry_start(supervisor.environment());
    supervisor.accept();
    set_timer(std::make_unique<HostTimer>());
    const std::int64_t before = metrics::steps();
    constexpr int kLoading = 20, kComputing = 30;  // ms
    metrics::leave_steps();
    for (int step = 0; step < 3; ++step) {
      step_context() = {.initial_batch_size = 8, .local_batch_size = 8};
      metrics::begin_micro_step();
      QTest::qSleep(kComputing);
      metrics::commit_step({.gradient = {1, 10}});
      QTest::qSleep(kLoading);
    }
    auto reader = std::async(std::launch::async, [&] { return supervisor.read_to_goodbye(); });
    telemetry_stop(0);
    const auto messages = reader.get();
    const auto data = column(messages, "data_time", before + 1),
               whole = column(messages, "step_time", before + 1);
    QCOMPARE(data.size(), 3u);
    for (const std::size_t later : {1, 2}) QVERIFY(data[later] >= kLoading * 1e-3);
    for (const std::size_t step : {0, 1, 2}) QVERIFY(data[step] <= whole[step] - kComputing * 1e-3);
  }

  void the_hosts_times_are_known_at_once() {
    HostTimer host;
    QVERIFY(host.at_once());
    const Timer::Moment from = host.now();
    QTest::qSleep(2);
    QVERIFY(host.seconds({from, host.now()}) >= 0.002);
  }
};

BATCHSCOPE_TEST(TestStepTimes)
#include "test_step_times.moc"
