// SPDX-License-Identifier: Apache-2.0
//
// The account of steps on more and on fewer cores, of an older checkpoint, and for a scheduler of AdaptDL,
// whose model knows nothing of cores.
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
#include "session/computing.h"
#include "session/start.h"
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

  struct Steps {
    int count = 1;
    StepTime time = [](int) { return 0.25; };  // of a micro-batch
    int accumulation_steps = 0;
    goodput::GradParams gradient = kNoise;
    bool even = true;
    int initial_batch_size = 8;
  };
  struct OnGpu final : Computing {
    std::string device() const override { return "cuda:0"; }
  };
  static Device& device() {
    if (!dynamic_cast<Device*>(&timer())) set_timer(std::make_unique<Device>());
    return dynamic_cast<Device&>(timer());
  }
  // Micro-batches of eight samples.
  static void train(const Steps& steps) {
    device();
    for (int i = 0; i < steps.count; ++i) {
      StepContext& context = step_context();
      context = {.initial_batch_size = steps.initial_batch_size,
                 .local_batch_size = 8,
                 .accumulation_steps = steps.accumulation_steps,
                 .even = steps.even,
                 .samples = 8 * (steps.accumulation_steps + 1) * num_replicas()};
      for (; context.micro_step < steps.accumulation_steps; ++context.micro_step) {
        metrics::begin_micro_step();
        device().work(steps.time(cores()));
        metrics::end_micro_step();
      }
      metrics::begin_micro_step();
      device().work(steps.time(cores()));
      const Timer::Moment moment = timer().now();
      device().work(0.125);
      device().wait();
      metrics::commit_step(
          {.gain = 1, .gradient = steps.gradient, .waited = Timer::Interval{moment, timer().now()}});
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

  static goodput::PerfParams params(const protocol::Model& model) {
    const protocol::PerfParams& told = model.perf.value();
    return {told.alpha_c,        told.beta_c,      told.alpha_n,     told.beta_n,
            told.alpha_r,        told.beta_r,      told.gamma,       model.core_exponent,
            model.core_overhead, model.contention, model.update_time};
  }

 private Q_SLOTS:
  // After twenty steps with both come three with one, of which the first warms up, and so does the next one
  // with both. What a program does between steps has all cores.
  void stepsWithFewerCoresAreMeasuredApart() {
    Program program;
    program.variables[protocol::variable::kThreads] = "2";
    const auto ended = program.run([] {
      finished_epochs();
      for (int i = 0; i < 24; ++i) {
        train({.time = [](int cores) { return cores == 2 ? 0.25 : 0.5; }});
        if (cores() != 2) Program::say("fewer cores");
      }
      checkpoint::save_all_states("manual");
    });
    QVERIFY(ended.said.empty());
    const Json rows = account_in(program).at("profile").at("rows");
    QCOMPARE(rows.size(), 2u);
    for (const std::size_t at : {0, 1}) {
      QCOMPARE(rows.at(at).at("cores").get<int>(), at == 0 ? 1 : 2);
      QCOMPARE(rows.at(at).at("optimizer").dump(), (at == 0 ? Json{0.625, 2} : Json{0.375, 19}).dump());
      QCOMPARE(rows.at(at).at("sync").dump(), (at == 0 ? Json{0.125, 2} : Json{0.125, 19}).dump());
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
        train({.count = 620, .time = [](int cores) { return cores == 2 ? 0.3 : 0.1; }, .even = even});
        Program::say(cores());
      });
      return ended.said.at(0).get<int>();
    };
    QCOMPARE(kept(true, true), 1);
    QCOMPARE(kept(false, true), 2);
    QCOMPARE(kept(true, false), 2);
  }

  // Two replicas take turns on one device, in computing and in waiting.
  void waitingIsSharedWithTheDevice() {
    Program program;
    program.variables[protocol::variable::kNumDevices] = "1";
    const Heard heard(
        program,
        [] {
          finished_epochs();
          train({.count = 3});
          checkpoint::save_all_states("manual");
        },
        2);
    const Json row = account_in(program).at("profile").at("rows").at(0);
    QCOMPARE(row.at("optimizer").dump(), (Json{0.1875, 2}.dump()));
    QCOMPARE(row.at("sync").dump(), (Json{0.0625, 2}.dump()));
    QCOMPARE(heard.values("batch_size").at(1), 16.0);
    QCOMPARE(heard.values("scale").at(1), 2.0);
  }

  // Neither what writes it, nor the micro-batches of a step that was broken off.
  void onlyWhatIsOfAStepIsMeasured() {
    Program program;
    const Heard heard(program, [] {
      finished_epochs();
      train({.count = 2, .accumulation_steps = 1});
      device().work(7);
      checkpoint::save_all_states("manual");
      train({.count = 1, .accumulation_steps = 1});
      step_context().micro_step = 0;
      metrics::begin_micro_step();
      device().work(7);
      metrics::end_micro_step();  // and no more of it
      metrics::leave_steps();
      train({.count = 1, .accumulation_steps = 1});
      metrics::complete_last_step();
      metrics::commit_step({.gain = 1, .gradient = kNoise});  // nothing was begun
      checkpoint::save_all_states("manual");
    });
    const auto times = heard.values("step_time");
    QCOMPARE(times.size(), 4u);
    for (const auto& [step, seconds] : times) QCOMPARE(seconds, 0.625);
    const Json row = account_in(program).at("profile").at("rows").at(0);
    QCOMPARE(row.at("accumulation").dump(), (Json{0.25, 3}.dump()));
    QCOMPARE(row.at("optimizer").dump(), (Json{0.375, 3}.dump()));
    const auto waited = heard.values("sync_time");
    QCOMPARE(waited.at(4), 0.125);
    QCOMPARE(waited.at(5), 0.0);
  }

  // Replicas divide a run's cores where each may have any number of them; else each keeps its own.
  void whatOthersWouldComputeWithIsKnown_data() {
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("of_each");
    for (const int devices : {0, 8})
      for (const int of_each : {0, 1, 4})
        QTest::addRow("%d devices, %d each", devices, of_each) << devices << of_each;
  }
  void whatOthersWouldComputeWithIsKnown() {
    QFETCH(int, devices);
    QFETCH(int, of_each);
    Program program;
    if (devices > 0) program.variables[protocol::variable::kNumDevices] = std::to_string(devices);
    if (of_each > 0) program.variables[protocol::variable::kDevicesPerReplica] = std::to_string(of_each);
    const StepTime time = [](int cores) { return 2.0 / std::max(cores, 1); };
    // The second generation has one core, and knows of more; the third computes on a GPU.
    std::int64_t last = -1;
    for (const int cores : {4, 1, 0}) {
      const int threads = std::max(cores, 1), count = cores == 4 ? 70 : 10;
      program.variables[protocol::variable::kThreads] = std::to_string(threads);
      if (cores == 0)
        program.start = [](const ProcessGroupOptions& options) {
          start_session(options, std::make_unique<OnGpu>());
        };
      const Heard heard(program, [time, count] {
        finished_epochs();
        train({.count = count, .time = time});
        metrics::suggest({}, 8, 0);  // waits for the fit
        Program::say({number(metrics::predict_goodput(8, 0)), number(metrics::predict_goodput(32, 1))});
        train({.time = time});
        metrics::complete_last_step();
        metrics::commit_step({.gain = 1, .gradient = kNoise});  // nothing was begun
        checkpoint::save_all_states("manual");
      });
      const protocol::Model model = heard.of<protocol::Model>().back();
      QVERIFY(model.core_exponent > 0.2);
      QCOMPARE(model.cores, cores);
      const goodput::PerfParams perf = params(model);
      const goodput::GoodputFunction function(perf, kNoise, 8,
                                              {devices, cores > 0 && devices > 0 && of_each == 0, threads});
      QCOMPARE(heard.ended[0].said.at(0).at(0).get<double>(), function.evaluate({1, 1, 8, 0}));
      QCOMPARE(heard.ended[0].said.at(0).at(1).get<double>(), function.evaluate({1, 1, 32, 1}));
      // A step is compared with the model by the cores that it had.
      last += count + 2;
      const double predicted = goodput::step_time(perf, {1, 1, 8, 0}, {devices, false, threads});
      QCOMPARE(heard.values("model_step_time").at(last), predicted);
      QCOMPARE(heard.values("model_error").at(last), (2.0 / threads + 0.125) / predicted - 1);
      QVERIFY(!heard.values("model_error").contains(last + 1));
    }
  }

  // Without noise, or where nobody knows the initial batch size, nothing is predicted.
  void whatIsPredictedNeedsNoiseAndABatchSize_data() {
    QTest::addColumn<double>("noise");
    QTest::addColumn<int>("initial_batch_size");
    QTest::addColumn<bool>("known");
    QTest::newRow("both") << 50.0 << 8 << true;
    QTest::newRow("little noise") << 0.5 << 8 << true;
    QTest::newRow("no noise") << 0.0 << 8 << false;
    QTest::newRow("a batch of one") << 50.0 << 1 << true;
    QTest::newRow("no batch") << 50.0 << 0 << false;
  }
  void whatIsPredictedNeedsNoiseAndABatchSize() {
    QFETCH(double, noise);
    QFETCH(int, initial_batch_size);
    QFETCH(bool, known);
    Program program;
    const Heard heard(program, [=] {
      finished_epochs();
      train({.count = 12, .gradient = {0.5, noise}, .initial_batch_size = initial_batch_size});
      const auto suggested = metrics::suggest({.max_batch_size = 64, .min_local = 1}, 8, 0);
      Program::say({metrics::measured_goodput({8, 0}).has_value(), metrics::predict_goodput(8, 0).has_value(),
                    suggested.has_value()});
    });
    QCOMPARE(heard.ended[0].said.at(0).dump(), (Json{known, known, known}.dump()));
    for (const char* name : {"scale", "efficiency", "noise_scale", "batch_size"})
      QCOMPARE(heard.values(name).contains(12), initial_batch_size > 0);
    if (initial_batch_size > 0)
      QCOMPARE(heard.values("noise_scale").at(12), noise / 0.5 * initial_batch_size);
    QCOMPARE(heard.of<protocol::Model>().front().min_local_batch_size, 1);  // nobody said another
  }

  // Five steps that were measured before a restart are enough for a suggestion; it goes as far as the noise
  // is known.
  void aRestartSuggestsByWhatWasMeasured() {
    Program program;
    program.run([] {
      finished_epochs();
      train({.count = 6, .gradient = {1, 5000}});
      checkpoint::save_all_states("manual");
    });
    const goodput::Bounds limits{.max_batch_size = 512, .min_local = 1, .accumulation = true};
    const Heard heard(program, [limits] {
      finished_epochs();
      const auto one = metrics::suggest(limits, 8, 0);
      Program::say(one ? Json{one->choice.local_batch_size, one->choice.accumulation_steps, one->promise}
                       : Json());
    });
    const auto models = heard.of<protocol::Model>();
    QCOMPARE(models.size(), 1u);
    const auto expected =
        suggestion({params(models[0]), {1, 5000}, 8, {0, false, 1, true}, 1, 1}, limits, {8, 8, 0, 0, 8});
    QVERIFY(expected);
    const auto& [choice, promise] = *expected;
    QVERIFY(choice.local_batch_size * (choice.accumulation_steps + 1) > 16);
    QCOMPARE(heard.ended[0].said.at(0).dump(),
             (Json{choice.local_batch_size, choice.accumulation_steps, promise}.dump()));
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

  // AdaptDL's model has no term for cores, neighbours or the update: all of these are in the times that it
  // fits.
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
      train({.count = 6,
             .time = [&](int) { return ++micro_batch % 2 == 0 ? 0.375 : 0.25; },
             .accumulation_steps = 1});
      metrics::complete_last_step();
      while (!fs::exists(is_done)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    const std::string request = served.get();
    QVERIFY2(request.starts_with("PUT /hints/job HTTP/1.0\r\n"), request.c_str());
    Profile profile;
    for (int i = 0; i < 5; ++i) {
      profile.add_accumulation({1, 1, 8, false, 0, 0}, 0.25);
      profile.add_optimizer({1, 1, 8, false, 0, 0}, 0.5, 0.125);
    }
    const goodput::PerfParams fitted = goodput::fit(
        profile.rows(), {.contention = std::min(protocol::told_contention(), goodput::kMostContention)});
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
