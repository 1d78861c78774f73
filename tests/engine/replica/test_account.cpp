// SPDX-License-Identifier: Apache-2.0
//
// The account of steps on a device whose times are known: which steps are measured, what is fitted and told
// of it, what is suggested, and what a checkpoint holds of it all.
#include <cmath>

#include "adapt/cores.h"
#include "adapt/metrics.h"
#include "adapt/profile.h"
#include "adapt/step_context.h"
#include "batchscope/goodput/fit.h"
#include "batchscope/protocol/contention.h"
#include "batchscope/protocol/event_file.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/record.h"
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

class TestAccount : public QObject {
  Q_OBJECT

  // Takes the device's times from here on.
  static Device& device() {
    if (auto* const present = dynamic_cast<Device*>(&timer())) return *present;
    auto made = std::make_unique<Device>();
    Device& device = *made;
    set_timer(std::move(made));
    return device;
  }

  static constexpr goodput::GradParams kGradient{1, 50, 0.5};

  // A step of this shape, of an initial batch size of 8, whose micro-batches take so long each, the last one
  // that much more for the update.
  static void step(BatchShape shape, double micro_batch, double update = 0, bool even = true) {
    device();
    StepContext& context = step_context();
    context = {.initial_batch_size = 8,
               .local_batch_size = shape.local_batch_size,
               .accumulation_steps = shape.accumulation_steps,
               .micro_batches = 3,
               .even = even,
               .samples = shape.batch_size(num_replicas())};
    for (; context.micro_step < shape.accumulation_steps; ++context.micro_step) {
      metrics::begin_micro_step();
      device().work(micro_batch);
      metrics::end_micro_step();
    }
    metrics::begin_micro_step();
    device().work(micro_batch + update);
    device().wait();
    metrics::commit_step({.gain = 1, .gradient = kGradient});
  }

  static void steps(int count, BatchShape shape, double micro_batch, double update = 0) {
    for (int i = 0; i < count; ++i) step(shape, micro_batch, update);
  }

  static goodput::PerfParams params(const protocol::Model& model) {
    const protocol::PerfParams& perf = model.perf.value();
    return {perf.alpha_c,        perf.beta_c,      perf.alpha_n,     perf.beta_n,
            perf.alpha_r,        perf.beta_r,      perf.gamma,       model.core_exponent,
            model.core_overhead, model.contention, model.update_time};
  }

  // The file of this state in the newest checkpoint.
  static Json state(const Program& program, const char* name) {
    return Json::parse(
        testing::contents(protocol::list_checkpoints(program.path("checkpoints")).at(0) / name));
  }

  static Json said(const std::optional<double>& number) { return number ? Json(*number) : Json(); }
  static Json said(const std::optional<Suggestion>& one) {
    if (!one) return {};
    return {one->choice.goodput, one->choice.local_batch_size, one->choice.accumulation_steps, one->promise};
  }

 private Q_SLOTS:
  // --- which steps are measured ---

  // The first step of a shape warms up, and one that is short is no example.
  void fullStepsOfAShapeAreMeasuredAfterTheFirst() {
    Program program;
    program.run([] {
      finished_epochs();
      steps(2, {8, 0}, 0.5);
      steps(3, {16, 0}, 0.75);
      steps(2, {16, 1}, 0.25);
      step({16, 1}, 9, 9, false);
      step_context() = {.initial_batch_size = 8, .local_batch_size = 16, .accumulation_steps = 1};
      metrics::leave_steps();
      metrics::commit_step({.gradient = kGradient});  // no micro-batch was begun
      checkpoint::save_all_states("manual");
    });
    const Json profile = state(program, "metrics").at("profile"), &rows = profile.at("rows");
    QCOMPARE(profile.at("measured").get<int>(), 4);
    QCOMPARE(rows.size(), 2u);
    const auto row = [](int local, const Json& accumulation, const Json& optimizer, int last) {
      return Json{{"nodes", 1},
                  {"replicas", 1},
                  {"local_batch_size", local},
                  {"shared", false},
                  {"cores", 1},
                  {"neighbours", 1},
                  {"accumulation", accumulation},
                  {"optimizer", optimizer},
                  {"sync", {0.0, optimizer.at(1)}},
                  {"last", last}};
    };
    QCOMPARE(rows.at(0).dump(), (row(8, {0.0, 0}, {0.5, 1}, 1).dump()));
    QCOMPARE(rows.at(1).at("accumulation").dump(), (Json{0.25, 1}.dump()));
    QCOMPARE(rows.at(1).at("optimizer").at(1).get<int>(), 3);
    QCOMPARE(rows.at(1).at("last").get<int>(), 4);
  }

  // Two replicas that take turns on one device have half of their time each.
  void aSharedDeviceIsMeasuredAsIfEachHadOne() {
    Program program;
    program.variables[protocol::variable::kNumDevices] = "1";
    program.variables[protocol::variable::kThreads] = "2";
    const auto replicas = program.run_replicas(2, [] {
      finished_epochs();
      steps(11, {8, 1}, 0.5, 0.25);
      checkpoint::save_all_states("manual");
      Program::say({said(metrics::measured_goodput({8, 1})), said(metrics::measured_goodput({8, 2}))});
    });
    const Json row = state(program, "metrics").at("profile").at("rows").at(0);
    QCOMPARE(row.at("accumulation").dump(), (Json{0.25, 10}.dump()));
    QCOMPARE(row.at("optimizer").dump(), (Json{0.375, 10}.dump()));
    QVERIFY(row.at("shared").get<bool>());
    QCOMPARE(row.at("replicas").get<int>(), 2);
    const goodput::GoodputFunction function({}, kGradient, 8);
    for (const auto& replica : replicas)
      for (const int accumulation : {1, 2}) {
        const std::int64_t batch_size = 8 * (accumulation + 1) * 2;
        const double expected =
            static_cast<double>(batch_size) / (accumulation * 0.5 + 0.75) * function.efficiency(batch_size);
        const double measured =
            replica.said.at(0).at(static_cast<std::size_t>(accumulation - 1)).get<double>();
        QVERIFY(std::abs(measured - expected) < 1e-9 * expected);
      }
  }

  // --- the model ---

  void allIsToldThatTheModelIsOf() {
    Program program;
    program.variables[protocol::variable::kThreads] = "4";
    program.variables[protocol::variable::kContention] = "5";
    program.variables[protocol::variable::kSyncTime] = "0.0625";
    const Heard heard(program, [] {
      finished_epochs();
      steps(6, {8, 1}, 0.25, 0.125);
      const goodput::Bounds limits{
          .max_batch_size = 1024, .min_local = 2, .max_local = 256, .accumulation = true};
      for (int i = 0; i < 2; ++i) metrics::suggest(limits, 16, 0);  // waits for the fit
    });
    const auto models = heard.of<protocol::Model>();
    QCOMPARE(models.size(), 1u);  // nothing was measured between the two
    const protocol::Model& model = models[0];
    QCOMPARE(model.grad_sqr, 1.0);
    QCOMPARE(model.grad_var, 50.0);
    QCOMPARE(model.grad_sqr_error, 0.5);
    QCOMPARE(model.init_batch_size, 8);
    QCOMPARE(model.max_batch_size, 1024);
    QCOMPARE(model.min_local_batch_size, 2);
    QCOMPARE(model.max_local_batch_size, 256);
    QVERIFY(model.accumulation && !model.single_gradient && model.keeps_fastest_cores);
    QCOMPARE(model.micro_batches, 3);
    QCOMPARE(model.cores, 4);
    QCOMPARE(model.max_profiled_replicas, 1);
    QCOMPARE(model.min_profiled_local_batch_size, 8);
    QCOMPARE(model.max_profiled_local_batch_size, 8);
    QCOMPARE(model.step, 6);
    Profile profile;
    for (int i = 0; i < 5; ++i) {
      profile.add_accumulation({1, 1, 8, false, 4, 1}, 0.25);
      profile.add_optimizer({1, 1, 8, false, 4, 1}, 0.375, 0);
    }
    const auto rows = profile.rows();
    const goodput::PerfParams fitted = goodput::fit(rows, {goodput::kMostContention, 0.0625}),
                              told = params(model);
    QCOMPARE(told.alpha_r, 0.0625);
    QCOMPARE(told.alpha_c, fitted.alpha_c);
    QCOMPARE(told.beta_c, fitted.beta_c);
    QCOMPARE(told.alpha_n, fitted.alpha_n);
    QCOMPARE(told.beta_n, fitted.beta_n);
    QCOMPARE(told.alpha_r, fitted.alpha_r);
    QCOMPARE(told.beta_r, fitted.beta_r);
    QCOMPARE(told.gamma, fitted.gamma);
    QCOMPARE(told.core_exponent, fitted.core_exponent);
    QCOMPARE(told.core_overhead, fitted.core_overhead);
    QCOMPARE(told.contention, fitted.contention);
    QCOMPARE(told.update, 0.0);  // ten steps are needed for it
    QCOMPARE(model.residual, goodput::fit_residual(fitted, rows));
  }

  void anUpdateIsToldOnceTenStepsHadIt() {
    Program program;
    program.variables[protocol::variable::kMeasureCores] = "0";
    const Heard heard(program, [] {
      finished_epochs();
      steps(31, {8, 1}, 0.25, 0.125);
      metrics::suggest({}, 16, 0);  // waits for the fit
    });
    const protocol::Model model = heard.of<protocol::Model>().back();
    QCOMPARE(model.step, 31);
    QCOMPARE(model.update_time, 0.125);
    QVERIFY(!model.keeps_fastest_cores);
    QCOMPARE(model.max_batch_size, 0);
  }

  // Suggestions and predictions are by the model that the supervisor is told; before there is one, there are
  // none.
  void suggestionsAreTheModels_data() {
    QTest::addColumn<int>("devices_per_replica");
    QTest::addColumn<bool>("second");
    for (const int of_each : {0, 2})
      for (const bool second : {false, true})
        QTest::addRow("%d %s", of_each, second ? "two sizes" : "one size") << of_each << second;
  }
  void suggestionsAreTheModels() {
    QFETCH(int, devices_per_replica);
    QFETCH(bool, second);
    Program program;
    program.variables[protocol::variable::kThreads] = "4";
    program.variables[protocol::variable::kNumDevices] = "4";
    if (devices_per_replica > 0)
      program.variables[protocol::variable::kDevicesPerReplica] = std::to_string(devices_per_replica);
    const goodput::Bounds limits{
        .max_batch_size = 512, .min_local = 1, .max_local = 128, .accumulation = true};
    const Heard heard(program, [limits, second] {
      finished_epochs();
      const auto suggested = [&](std::int64_t left) { return said(metrics::suggest(limits, 8, left)); };
      Program::say(
          {suggested(0), said(metrics::predict_goodput(8, 1)), said(metrics::measured_goodput({8, 0}))});
      steps(5, {8, 0}, 0.125);
      Program::say(Json::array({suggested(0)}));  // four were measured
      steps(1, {8, 0}, 0.125);
      if (second) steps(8, {16, 0}, 0.15625);
      Program::say({suggested(0), suggested(64), said(metrics::predict_goodput(8, 1)),
                    said(metrics::predict_goodput(32, 0))});
    });
    const auto& lines = heard.ended[0].said;
    QCOMPARE(lines.at(0).dump(), "[null,null,null]");
    QCOMPARE(lines.at(1).dump(), "[null]");
    const protocol::Model model = heard.of<protocol::Model>().back();
    QCOMPARE(model.step, second ? 14 : 6);
    const goodput::Devices devices{4, devices_per_replica == 0, 4, true};
    const StepModel expected{params(model), kGradient, 8, devices, 1, 1};
    const std::int64_t most = second ? 16 : 8;
    for (const auto& [at, left] : {std::pair(0, 0), {1, 64}}) {
      const auto one = suggestion(expected, limits, {most, 8, left, 0, second ? 0 : 8});
      QVERIFY(one);
      QCOMPARE(lines.at(2).at(static_cast<std::size_t>(at)).dump(), TestAccount::said(one).dump());
    }
    const goodput::GoodputFunction function(params(model), kGradient, 8, devices);
    QCOMPARE(lines.at(2).at(2).get<double>(), function.evaluate({1, 1, 8, 1}));
    QCOMPARE(lines.at(2).at(3).get<double>(), function.evaluate({1, 1, 32, 0}));
  }

  // Four cores that are slower than two, and some steps with fewer.
  void whatCoresAreWorthIsTold() {
    Program program;
    program.variables[protocol::variable::kThreads] = "4";
    program.variables[protocol::variable::kNumDevices] = "4";
    const Heard heard(program, [] {
      finished_epochs();
      for (int i = 0; i < 70; ++i) {
        const int all = cores_of_step(metrics::steps(), 4);
        step({8, 0}, all == 4 ? 0.5 : all == 2 ? 0.375 : 0.5625);
      }
      metrics::suggest({}, 8, 0);  // waits for the fit
      Program::say({said(metrics::predict_goodput(8, 1)), said(metrics::predict_goodput(32, 0))});
    });
    const protocol::Model model = heard.of<protocol::Model>().back();
    QVERIFY(model.core_exponent > 0 && model.core_overhead > 0);
    QVERIFY(!model.keeps_fastest_cores);  // a run of a fixed batch size keeps all
    const goodput::GoodputFunction function(params(model), kGradient, 8, {4, true, 4});
    QCOMPARE(heard.ended[0].said.at(0)[0].get<double>(), function.evaluate({1, 1, 8, 1}));
    QCOMPARE(heard.ended[0].said.at(0)[1].get<double>(), function.evaluate({1, 1, 32, 0}));
  }

  // A scheduler of AdaptDL, whose model has no cores, is told of it only where no supervisor of ours listens.
  void theModelIsTheSameWhoeverListens() {
    const auto work = [] {
      finished_epochs();
      for (int i = 0; i < 70; ++i) {
        const int all = cores_of_step(metrics::steps(), 4);
        step({8, 0}, all == 4 ? 0.5 : all == 2 ? 0.375 : 0.5625);
      }
      metrics::suggest({}, 8, 0);  // waits for the fit
      Program::say({said(metrics::predict_goodput(8, 1)), said(metrics::predict_goodput(32, 0))});
    };
    Program heard_by_both, alone;
    for (Program* const program : {&heard_by_both, &alone}) {
      program->variables[protocol::variable::kThreads] = "4";
      program->variables[protocol::variable::kNumDevices] = "4";
    }
    heard_by_both.variables[protocol::variable::kSupervisorUrl] = "http://127.0.0.1:1";
    const Heard heard(heard_by_both, work);
    QVERIFY(heard.of<protocol::Model>().back().core_exponent > 0);
    QCOMPARE(alone.run(work).said.at(0).dump(), heard.ended[0].said.at(0).dump());
  }

  void stepsAreComparedWithTheModel() {
    Program program;
    program.variables[protocol::variable::kThreads] = "1";
    const Heard heard(program, [] {
      finished_epochs();
      steps(6, {8, 1}, 0.25, 0.125);
      metrics::suggest({.max_batch_size = 8, .min_local = 1}, 8, 0);  // waits for the fit
      step({8, 1}, 0.5, 0.25);
      step({8, 1}, 0.125, 0.25, false);
      metrics::complete_last_step();
    });
    const goodput::PerfParams perf = params(heard.of<protocol::Model>().back());
    const double predicted = goodput::step_time(perf, {1, 1, 8, 1}, {0, false, 1});
    const auto model_times = heard.values("model_step_time"), errors = heard.values("model_error");
    QCOMPARE(model_times.at(7), predicted);
    QCOMPARE(model_times.at(8), predicted);
    QCOMPARE(errors.at(7), 1.25 / predicted - 1);
    QVERIFY(!errors.contains(8));  // a short step is no measure of it
    QCOMPARE(heard.values("step_time").at(7), 1.25);
    QCOMPARE(heard.values("throughput").at(7), 16 / 1.25);
  }

  // --- a checkpoint has all of it ---

  void allGoesOnAfterARestart() {
    Program program;
    program.run([] {
      finished_epochs();
      steps(12, {8, 0}, 0.125);
      checkpoint::save_all_states("manual");
    });
    const Json before = state(program, "metrics");
    QCOMPARE(before.at("steps").get<int>(), 12);
    const auto again = program.run([] {
      finished_epochs();
      checkpoint::save_all_states("manual");
      Program::say({said(metrics::measured_goodput({8, 0})),
                    said(metrics::suggest({.max_batch_size = 64, .min_local = 1}, 0, 0)).size(),
                    said(metrics::measured_goodput({16, 0}))});
    });
    QCOMPARE(protocol::list_checkpoints(program.path("checkpoints")).size(), 2u);
    QCOMPARE(state(program, "metrics").dump(), before.dump());
    QCOMPARE(again.said.at(0).at(0).get<double>(),
             8 / 0.125);  // at the initial batch size a sample is worth one
    QCOMPARE(again.said.at(0).at(1).get<int>(), 4);
    QVERIFY(again.said.at(0).at(2).is_null());
  }

  // --- programs without a loader ---

  void withoutALoaderNothingIsOverAnInitialBatch() {
    Program program;
    const Heard heard(program, [] {
      finished_epochs();
      const auto scale = metrics::step_scale(6);
      Program::say({scale.own, scale.nominal});
      metrics::commit_step({.gain = 3, .gradient = kGradient});
      step_context() = {
          .initial_batch_size = 8, .local_batch_size = 16, .accumulation_steps = 2, .samples = 20};
      const auto with_loader = metrics::step_scale(6);
      Program::say({with_loader.own, with_loader.nominal});
    });
    QCOMPARE(heard.ended[0].said.at(0).dump(), (Json{6.0, 6.0}.dump()));
    QCOMPARE(heard.ended[0].said.at(1).dump(), (Json{2.5, 6.0}.dump()));
    QCOMPARE(heard.values("gain").at(1), 3.0);
    for (const char* name :
         {"efficiency", "scale", "batch_size", "local_batch_size", "step_time", "data_time"})
      QVERIFY2(heard.values(name).empty(), name);
  }

  // --- TensorBoard ---

  void eventFilesHaveTheRowsAndWhatIsRecorded() {
    Program program;
    program.variables[protocol::variable::kTensorboardDir] = program.path("events");
    program.run([] {
      record("before", 7);
      AdaptiveDataLoaderHelper training({.size = 9, .batch_size = 3});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          record("loss", 1);
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
        }
      protocol::EventFile own(fs::path(std::getenv(protocol::variable::kTensorboardDir)) / "own");
      training.to_tensorboard(own, 5, "mine");
    });
    std::string engine, own;
    for (const auto& entry : fs::recursive_directory_iterator(program.path("events")))
      if (entry.is_regular_file())
        (entry.path().parent_path().filename() == "own" ? own : engine) += testing::contents(entry.path());
    const auto count = [](const std::string& text, const std::string& tag) {
      int found = 0;
      const std::string field =
          "\n" + std::string(1, static_cast<char>(tag.size())) + tag;  // as it is serialised
      for (std::size_t at = 0; (at = text.find(field, at)) != std::string::npos; at += field.size()) ++found;
      return found;
    };
    QCOMPARE(count(engine, "before"), 1);
    for (const char* name : {"loss", "gain", "progress", "scale", "efficiency"})
      QCOMPARE(count(engine, name), 3);
    QCOMPARE(count(engine, "mono"), 0);
    for (const char* name : {"mine/Total_Batch_Size", "mine/Local_Batch_Size", "mine/Accumulation_Steps"})
      QCOMPARE(count(own, name), 1);
  }

  void eventsThatCannotBeWrittenStopNothing() {
    Program program;
    std::filesystem::create_directory(program.path("a"));
    testing::write_file(program.path("a/file"), "in the way");
    program.variables[protocol::variable::kTensorboardDir] = program.path("a/file/events");
    const Heard heard(program, [] {
      for (const double value : {1, 2, 3}) record("x", value);
    });
    const auto notices = heard.of<protocol::Notice>();
    QCOMPARE(notices.size(), 1u);
    QCOMPARE(notices[0].level, "warning");
    VERIFY_HOLDS(notices[0].text, "nothing more is written for TensorBoard: ");
    QCOMPARE(heard.of<protocol::Scalar>().size(), 3u);
  }
};

BATCHSCOPE_TEST(TestAccount)
#include "test_account.moc"
