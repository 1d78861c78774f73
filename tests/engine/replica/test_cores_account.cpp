// SPDX-License-Identifier: Apache-2.0
//
// What the account makes of steps on more and on fewer cores, of an older checkpoint, and for a scheduler of
// AdaptDL, whose model knows nothing of cores.
#include <filesystem>
#include <future>
#include <thread>

#include "adapt/cores.h"
#include "adapt/metrics.h"
#include "adapt/profile.h"
#include "adapt/step_context.h"
#include "batchscope/goodput/fit.h"
#include "batchscope/protocol/contention.h"
#include "batchscope/protocol/sched_hints.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "checkpoint/store.h"
#include "collective/socket.h"
#include "device.h"
#include "heard.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Device;
using batchscope::testing::Heard;
using batchscope::testing::Program;
using protocol::Json;
namespace fs = std::filesystem;

class TestCoresAccount : public QObject {
  Q_OBJECT

  using StepTime = std::function<double(int cores)>;  // s

  static constexpr goodput::GradParams kNoise{1, 50, 0.5};

  // So many steps of eight samples, which is the initial batch size, in so many micro-batches more than one.
  static void train_on_cores(int count, const StepTime& time, int accumulation_steps = 0,
                             const goodput::GradParams& gradient = kNoise, bool even = true) {
    if (!dynamic_cast<Device*>(&timer())) set_timer(std::make_unique<Device>());
    auto& device = dynamic_cast<Device&>(timer());
    for (int i = 0; i < count; ++i) {
      StepContext& context = step_context();
      context = {.initial_batch_size = 8,
                 .local_batch_size = 8,
                 .accumulation_steps = accumulation_steps,
                 .even = even,
                 .samples = 8 * (accumulation_steps + 1)};
      for (; context.micro_step < accumulation_steps; ++context.micro_step) {
        metrics::begin_micro_step();
        device.work(time(cores()));
        metrics::end_micro_step();
      }
      metrics::begin_micro_step();
      device.work(time(cores()));
      device.wait();
      metrics::commit_step({.gain = 1, .gradient = gradient});
    }
  }

  static Json account_in(const Program& program) {
    return Json::parse(
        testing::contents(protocol::list_checkpoints(program.path("checkpoints")).at(0) / "metrics"));
  }
  // The first, by which something can be predicted.
  static void wait_for_a_model() {
    while (!metrics::predict_goodput(8, 0)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  static Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

 private Q_SLOTS:
  // After twenty steps with both come three with one, of which the first warms up, and so does the next one
  // with both.
  void stepsWithFewerCoresAreMeasuredApart() {
    Program program;
    program.variables[protocol::variable::kThreads] = "2";
    program.run([] {
      finished_epochs();
      train_on_cores(24, [](int cores) { return cores == 2 ? 0.25 : 0.5; });
      checkpoint::save_all_states("manual");
    });
    const Json rows = account_in(program).at("profile").at("rows");
    QCOMPARE(rows.size(), 2u);
    for (const std::size_t at : {0, 1}) {
      QCOMPARE(rows.at(at).at("cores").get<int>(), at == 0 ? 1 : 2);
      QCOMPARE(rows.at(at).at("optimizer").dump(), (at == 0 ? Json{0.5, 2} : Json{0.25, 19}).dump());
    }
  }

  // Where goodput chooses the batch size. A run of a fixed one is to be repeated as it was, and of short
  // steps nothing is learned.
  void aFreeRunKeepsTheFasterCores() {
    const auto kept = [](bool freely, bool even) {
      Program program;
      program.variables[protocol::variable::kThreads] = "2";
      const auto ended = program.run([freely, even] {
        finished_epochs();
        metrics::set_limits({.max_batch_size = freely ? 64 : 0, .min_local = 1});
        train_on_cores(
            30, [](int cores) { return cores == 2 ? 0.03 : 0.01; }, 0, kNoise, even);
        Program::say(cores());
      });
      return ended.said.at(0).get<int>();
    };
    QCOMPARE(kept(true, true), 1);
    QCOMPARE(kept(false, true), 2);
    QCOMPARE(kept(true, false), 2);
  }

  // Replicas divide a run's cores where each may have any number of them; else each keeps its own.
  void whatOthersWouldComputeWithIsKnown_data() {
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("of_each");
    for (const int devices : {0, 8})
      for (const int of_each : {0, 4})
        QTest::addRow("%d devices, %d each", devices, of_each) << devices << of_each;
  }
  void whatOthersWouldComputeWithIsKnown() {
    QFETCH(int, devices);
    QFETCH(int, of_each);
    Program program;
    program.variables[protocol::variable::kThreads] = "4";
    if (devices > 0) program.variables[protocol::variable::kNumDevices] = std::to_string(devices);
    if (of_each > 0) program.variables[protocol::variable::kDevicesPerReplica] = std::to_string(of_each);
    const StepTime time = [](int cores) { return 2.0 / cores; };
    const Heard heard(program, [time] {
      finished_epochs();
      train_on_cores(70, time);
      metrics::suggest({}, 8, 0);  // waits for the fit
      Program::say({number(metrics::predict_goodput(8, 0)), number(metrics::predict_goodput(32, 1))});
      train_on_cores(1, time);
      metrics::complete_last_step();
    });
    const protocol::Model model = heard.of<protocol::Model>().back();
    QVERIFY(model.core_exponent > 0.5);
    const protocol::PerfParams& told = model.perf.value();
    const goodput::PerfParams perf{told.alpha_c,     told.beta_c,         told.alpha_n,
                                   told.beta_n,      told.alpha_r,        told.beta_r,
                                   told.gamma,       model.core_exponent, model.core_overhead,
                                   model.contention, model.update_time};
    const goodput::GoodputFunction function(perf, kNoise, 8, {devices, devices > 0 && of_each == 0, 4});
    QCOMPARE(heard.ended[0].said.at(0).at(0).get<double>(), function.evaluate({1, 1, 8, 0}));
    QCOMPARE(heard.ended[0].said.at(0).at(1).get<double>(), function.evaluate({1, 1, 32, 1}));
    // A step is compared with the model by the cores that it had.
    QCOMPARE(heard.values("model_step_time").at(71),
             goodput::step_time(perf, {1, 1, 8, 0}, {devices, false, 4}));
  }

  void withoutNoiseNothingIsPredicted() {
    Program program;
    const auto ended = program.run([] {
      finished_epochs();
      train_on_cores(12, [](int) { return 0.25; }, 0, {1, 0});
      Program::say({number(metrics::measured_goodput({8, 0})), number(metrics::predict_goodput(8, 0)),
                    metrics::suggest({.max_batch_size = 64, .min_local = 1}, 8, 0).has_value()});
    });
    QCOMPARE(ended.said.at(0).dump(), "[null,null,false]");
  }

  // The supervisor must not suggest what memory does not hold.
  void whatMemoryHoldsIsToldWithTheModel() {
    Program program;
    program.variables[protocol::variable::kMaxLocalBatchSize] = "4";
    const Heard heard(program, [] {
      AdaptiveDataLoaderHelper training({.size = 100, .batch_size = 8});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
        for (auto loop = training.loop(); !loop.done(); loop.advance())
          if (step_context().optimizer_step)
            metrics::commit_step({.gain = 1, .gradient = kNoise});
          else
            metrics::end_micro_step();
        wait_for_a_model();
      }
    });
    const protocol::Model model = heard.of<protocol::Model>().at(0);
    QCOMPARE(model.max_local_batch_size, 4);
    QCOMPARE(model.min_local_batch_size, 1);
    QCOMPARE(model.max_batch_size, 0);
    QVERIFY(model.accumulation);
  }

  // Versions that did not count steps without a finite gradient, nor know how sure the noise is.
  void anOlderCheckpointIsRead() {
    Program program;
    CheckpointStore store(program.path("checkpoints"));
    protocol::Manifest manifest;
    const Json old{{"progress", 3.5},
                   {"steps", 4},
                   {"samples", 32},
                   {"grad_sqr", 1.5},
                   {"grad_var", 20},
                   {"initial_batch_size", 8},
                   {"profile", {{"measured", 0}, {"rows", Json::array()}}},
                   {"version", 1}};
    store.write(manifest, {{"metrics", [&](std::ostream& out) { out << old.dump(); }}});
    const auto ended = program.run([] {
      finished_epochs();
      Program::say({metrics::progress(), metrics::steps(), metrics::samples(), metrics::non_finite_steps()});
      checkpoint::save_all_states("manual");
    });
    QCOMPARE(ended.said.at(0).dump(), "[3.5,4,32,0]");
    const Json now = account_in(program);
    QCOMPARE(now.at("grad_sqr").get<double>(), 1.5);
    QCOMPARE(now.at("grad_var").get<double>(), 20.0);
    QCOMPARE(now.at("grad_sqr_error").get<double>(), 0.0);
    QCOMPARE(now.at("initial_batch_size").get<int>(), 8);
  }

  // Its model has no term for cores, neighbours or the update: all of these are in the times that it fits.
  void adaptdlsSchedulerIsGivenItsOwnModel() {
    Listener scheduler("tcp:127.0.0.1");
    Program program;
    program.variables[protocol::variable::kSupervisorUrl] = "http://" + scheduler.address().substr(4);
    program.variables[protocol::variable::kJobId] = "job";
    program.variables[protocol::variable::kThreads] = "4";
    const std::string is_done = program.path("done");
    const auto soon = [] { return std::chrono::steady_clock::now() + std::chrono::seconds(20); };
    auto served = std::async(std::launch::async, [&] {
      Socket socket = scheduler.accept(soon());
      std::string request;
      for (char byte = 0; socket.receive(&byte, 1, soon()) == Transfer::done;) {
        request += byte;
        const auto head = request.find("\r\n\r\n"), length = request.find("Content-Length: ");
        if (head != std::string::npos && request.size() == head + 4 + std::stoul(request.substr(length + 16)))
          break;
      }
      socket.send("HTTP/1.1 200 OK\r\n\r\n", soon());
      testing::write_file(is_done, "x");
      return request;
    });
    program.run([is_done] {
      finished_epochs();
      metrics::set_limits({.max_batch_size = 64, .min_local = 2, .max_local = 32});
      int micro_batch = 0;  // the second of each step, which updates, takes longer
      train_on_cores(
          6, [&](int) { return ++micro_batch % 2 == 0 ? 0.375 : 0.25; }, 1);
      while (!fs::exists(is_done)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    const std::string request = served.get();
    QVERIFY2(request.starts_with("PUT /hints/job HTTP/1.0\r\n"), request.c_str());
    Profile profile;
    for (int i = 0; i < 5; ++i) {
      profile.add_accumulation({1, 1, 8, false, 0, 0}, 0.25);
      profile.add_optimizer({1, 1, 8, false, 0, 0}, 0.375, 0);
    }
    const goodput::PerfParams fitted =
        goodput::fit(profile.rows(), std::min(protocol::told_contention(), goodput::kMostContention));
    const Json hints = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
    QCOMPARE(hints.at("initBatchSize").get<int>(), 8);
    QCOMPARE(hints.at("maxBatchSize").get<int>(), 64);
    QCOMPARE(hints.at("localBszBounds").dump(), "[2,32]");
    QCOMPARE(hints.at("maxProfiledReplicas").get<int>(), 1);
    QCOMPARE(hints.at("gradParams").dump(), (Json{{"norm", 1.0}, {"var", 50.0}}.dump()));
    QCOMPARE(hints.at("perfParams").at("alpha_c").get<double>(), fitted.alpha_c);
    QCOMPARE(hints.at("perfParams").at("beta_c").get<double>(), fitted.beta_c);
  }
};

BATCHSCOPE_TEST(TestCoresAccount)
#include "test_cores_account.moc"
