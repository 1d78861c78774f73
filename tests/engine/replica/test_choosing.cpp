// SPDX-License-Identifier: Apache-2.0
//
// Batch sizes that a loop over data takes: those that goodput chooses, on a device whose step times are
// given, those of a branch, and those at which the noise is measured; and in what order the samples come.
#include <cmath>
#include <functional>

#include "adapt/metrics.h"
#include "adapt/noise_measurement.h"
#include "adapt/step_context.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/branch.h"
#include "batchscope/protocol/noise_estimates.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "device.h"
#include "generations.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Device;
using batchscope::testing::Program;

class TestChoosing : public QObject {
  Q_OBJECT

  using Json = protocol::Json;
  using StepTime = std::function<double(std::int64_t samples)>;  // s
  using Gradient = std::function<goodput::GradParams(std::int64_t steps_done)>;

  static goodput::GradParams noisy(std::int64_t) { return {1, 1000}; }

  // Trains with a batch size that goodput chooses from 8 on, and says that of each step.
  static void train(const StepTime& time, const Gradient& gradient = noisy) {
    auto owned = std::make_unique<Device>();
    Device& device = *owned;
    set_timer(std::move(owned));
    AdaptiveDataLoaderHelper training({.size = 100'000, .batch_size = 8});
    training.autoscale_batch_size(64, {}, false, true);
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
      for (auto loop = training.loop(); !loop.done(); loop.advance()) {
        const StepContext& now = step_context();
        device.work(time(now.samples));
        device.wait();
        if (!now.optimizer_step) {
          metrics::end_micro_step();
          continue;
        }
        Program::say(now.accumulation_steps > 0 ? Json{now.samples, now.local_batch_size}
                                                : Json(now.samples));
        metrics::commit_step({.gain = 1, .gradient = gradient(metrics::steps())});
      }
  }

  // "30 x 8, 5 x 16"
  static std::string sizes(const Program::Ended& ended) {
    std::string text;
    for (std::size_t at = 0, run = 0; at < ended.said.size(); at += run) {
      for (run = 1; at + run < ended.said.size() && ended.said[at + run] == ended.said[at];) ++run;
      text += (text.empty() ? "" : ", ") + std::to_string(run) + " x " + ended.said[at].dump();
    }
    return text;
  }

  // One loop over so many samples, whose positions are said.
  static void say_positions(std::int64_t size, std::int64_t batch_size) {
    AdaptiveDataLoaderHelper training({.size = size, .batch_size = batch_size});
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
      for (auto loop = training.loop(); !loop.done(); loop.advance()) {
        Program::say(loop.pass()->positions(loop.number()));
        if (step_context().optimizer_step)
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
        else
          metrics::end_micro_step();
      }
    Program::say("the end");
  }
  static std::string lines(const Program::Ended& ended) {
    std::string text;
    for (const Json& line : ended.said) text += line.dump() + " ";
    return text;
  }

 private Q_SLOTS:
  // --- by goodput ---

  // A step takes as long whatever its size. Thirty steps after each cut the next size is looked for, twice
  // the largest that was measured at the most.
  void aLargerStepIsTakenWhereItBringsMore() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=70:stop","step=110:stop"])";
    const auto run = [] { train([](std::int64_t) { return 0.125; }); };
    QCOMPARE(sizes(program.run(run)), "30 x 8, 30 x 16, 10 x 32");
    // It goes on as it was, and looks again thirty steps later.
    QCOMPARE(sizes(program.run(run)), "30 x 32, 10 x 64");
  }

  // The rest of a pass is cut anew, from the next sample on.
  void aLargerStepLosesNoSample() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=70:stop","step=75:stop"])";
    const auto train = [] {
      auto owned = std::make_unique<Device>();
      Device& device = *owned;
      set_timer(std::move(owned));
      AdaptiveDataLoaderHelper training({.size = 100'000, .batch_size = 8});
      training.autoscale_batch_size(64, {}, false, true);
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          Program::say(loop.pass()->positions(loop.number()));
          device.work(0.125);
          device.wait();
          metrics::commit_step({.gain = 1, .gradient = {1, 1000}});
        }
    };
    std::int64_t next = 0;
    for (int generation = 0; generation < 2; ++generation)
      for (const Json& step : program.run(train).said)
        for (const std::int64_t position : step) QCOMPARE(position, next++);
    QCOMPARE(next, 30 * 8 + 30 * 16 + 15 * 32);
    const protocol::Ledger ledger = program.newest().ledger;
    QCOMPARE(ledger.front().entry.from, 0);
    QCOMPARE(ledger.back().entry.to, next);
    for (std::size_t i = 1; i < ledger.size(); ++i) QCOMPARE(ledger[i].entry.from, ledger[i - 1].entry.to);
  }

  // A batch that memory does not hold any more is made in parts.
  void noStepIsLargerThanMemoryHolds() {
    Program program;
    program.variables[protocol::variable::kMaxLocalBatchSize] = "16";
    program.variables[protocol::variable::kTriggers] = R"(["step=100:stop"])";
    const auto run = [] { train([](std::int64_t) { return 0.125; }); };
    QCOMPARE(sizes(program.run(run)), "30 x 8, 70 x 16");
    Program smaller;
    smaller.variables[protocol::variable::kTriggers] = R"(["step=70:stop","step=80:stop"])";
    QCOMPARE(sizes(smaller.run(run)), "30 x 8, 30 x 16, 10 x 32");
    smaller.variables[protocol::variable::kMaxLocalBatchSize] = "16";
    QCOMPARE(sizes(smaller.run(run)), "10 x [32,16]");
  }

  void aStepThatBringsClearlyLessIsLeftAgain() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=130:stop"])";
    const auto ended =
        program.run([] { train([](std::int64_t samples) { return samples > 8 ? 1.0 : 0.125; }); });
    QCOMPARE(sizes(ended), "30 x 8, 30 x 16, 70 x 8");
  }

  // After 30, 60 and 120 steps. From the hundredth on the noise is worth a larger step.
  void looksComeTheMoreSeldomTheLessChanges() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=130:stop"])";
    const auto ended = program.run([] {
      train([](std::int64_t) { return 0.125; },
            [](std::int64_t steps) {
              return steps < 100 ? goodput::GradParams{1000, 1} : goodput::GradParams{1, 1000};
            });
    });
    QCOMPARE(sizes(ended), "120 x 8, 10 x 16");
  }

  // Six samples in two parts, and the last four: a part of three weighs more than one of one.
  void eachMicroBatchSaysWhatItIs() {
    const auto ended = Program().run([] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 3});
      training.scale_by_replicas(2, false);
      const auto tell = [] {
        const StepContext& now = step_context();
        Program::say({now.initial_batch_size, now.local_batch_size, now.accumulation_steps, now.micro_batches,
                      now.micro_step, now.optimizer_step, now.gradient_weight, now.even, now.samples});
      };
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          tell();
          if (step_context().optimizer_step)
            metrics::commit_step({.gain = 1, .gradient = {1, 10}});
          else
            metrics::end_micro_step();
        }
      tell();
    });
    QCOMPARE(lines(ended),
             "[3,3,1,2,0,false,1.0,true,3] [3,3,1,2,1,true,1.0,true,6] [3,3,1,2,0,false,1.5,false,3] "
             "[3,3,1,2,1,true,0.5,false,4] [3,0,0,0,0,true,1.0,true,0] ");
  }

  void whatTheBoundsSayCanBeSaidAnew() {
    Program program;
    program.variables[protocol::variable::kMaxLocalBatchSize] = "16";
    const auto ended = program.run([] {
      AdaptiveDataLoaderHelper training({.size = 100, .batch_size = 8});
      const auto tell = [&] {
        Program::say({training.max_batch_size().value_or(-1), training.current_batch_size(),
                      training.current_local_batch_size(), training.accumulation_steps()});
      };
      training.scale_by_replicas(3);
      tell();
      training.autoscale_batch_size(64);
      tell();
      training.scale_by_replicas(2);
      tell();
    });
    QCOMPARE(lines(ended), "[-1,24,8,2] [64,8,8,0] [-1,16,8,1] ");
    VERIFY_HOLDS(testing::refusal_in_epoch([] {
                   AdaptiveDataLoaderHelper training({.size = 30, .batch_size = 3});
                   const auto loop = training.loop();
                   training.autoscale_batch_size(30);
                 }),
                 "autoscale_batch_size inside its own loop");
  }

  // --- of a branch ---

  void aBranchTrainsOverItsSamplesAndEnds() {
    Program program;
    program.variables[protocol::variable::kJobId] = "branch-1";
    program.variables[protocol::variable::kBranch] =
        protocol::Branch{.run = "run-1", .checkpoint = "checkpoint-000000", .batch_size = 4, .samples = 10}
            .text();
    const auto whole = program.run([] { say_positions(30, 8); });
    QCOMPARE(whole.code, 0);
    QCOMPARE(lines(whole), "[0,1,2,3] [4,5,6,7] [8,9] ");
    // Stopped in between it goes on; what another run used of its own samples counts for nothing.
    for (const bool same : {true, false}) {
      Program stopped;
      stopped.variables = program.variables;
      stopped.variables[protocol::variable::kTriggers] = R"(["step=1:stop"])";
      QCOMPARE(stopped.run([] { say_positions(30, 8); }).code, kExitCheckpointed);
      if (!same) stopped.variables[protocol::variable::kJobId] = "branch-2";
      QCOMPARE(lines(stopped.run([] { say_positions(30, 8); })),
               same ? "[4,5,6,7] [8,9] " : "[4,5,6,7] [8,9,10,11] [12,13] ");
    }
    // Behind the end of the data it goes on with another pass.
    Program small;
    small.variables = program.variables;
    QCOMPARE(lines(small.run([] { say_positions(6, 2); })), "[0,1,2,3] [4,5] [0,1,2,3] ");
  }

  void whatDoesNotFitMemoryIsAccumulatedInABranch() {
    Program program;
    program.variables[protocol::variable::kMaxLocalBatchSize] = "4";
    program.variables[protocol::variable::kBranch] =
        protocol::Branch{.run = "run-1", .checkpoint = "checkpoint-000000", .batch_size = 6, .samples = 12}
            .text();
    QCOMPARE(lines(program.run([] { say_positions(30, 2); })), "[0,1,2] [3,4,5] [6,7,8] [9,10,11] ");
  }

  // --- while the noise is measured ---

  void theNoiseIsMeasuredInStepsOfTenGradients() {
    Program program;
    program.variables[protocol::variable::kNoiseFile] = program.path("noise");
    const auto ended = program.run([] {
      AdaptiveDataLoaderHelper training({.size = 23, .batch_size = 2});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance())
          if (step_context().optimizer_step) {
            Program::say({training.current_local_batch_size(), step_context().samples});
            metrics::commit_step({.gain = 1, .gradient = {1, 10}});
          } else {
            metrics::end_micro_step();
          }
    });
    QCOMPARE(lines(ended), "[2,20] [2,3] ");
  }

  // An estimate a step, until there were as many micro-batches as were asked for.
  void estimatesAreWrittenUntilThereAreEnough() {
    Program program;
    const std::string file = program.path("noise");
    program.variables[protocol::variable::kNoiseFile] = file;
    program.variables[protocol::variable::kNoiseMicroBatches] = "10";
    const auto norms = [](double least) {
      return goodput::NormSample{.local_sqr = {least + 40, 30},
                                 .total_sqr = {least, 3},
                                 .count = 3,
                                 .scale = 3,
                                 .previous_sqr = {},
                                 .mean_of_two_sqr = {}};
    };
    const auto ended = program.run([norms] {
      step_context() = {.initial_batch_size = 8, .local_batch_size = 4};
      for (const double least : {5.0, std::nan(""), 6.0, std::nan("")})
        Program::say(noise_measurement().add(norms(least)));
    });
    QCOMPARE(lines(ended), "false false false true ");  // of three each
    Program nine;
    nine.variables = {{protocol::variable::kNoiseFile, nine.path("noise")},
                      {protocol::variable::kNoiseMicroBatches, "9"}};
    QCOMPARE(lines(nine.run([norms] {
               for (int i = 0; i < 3; ++i) Program::say(noise_measurement().add(norms(5)));
             })),
             "false false true ");
    const auto estimates = protocol::read_noise_estimates(file);
    QCOMPARE(estimates.size(), 2u);
    for (const std::size_t i : {0, 1}) {
      goodput::NoiseScale noise(2);
      QVERIFY(noise.update(norms(i == 0 ? 5 : 6)));
      const auto sqr = noise.sqr_by_group(), var = noise.var_by_group();
      QCOMPARE(estimates[i].initial_batch_size, 8);
      QCOMPARE(estimates[i].local_batch_size, 4);
      QCOMPARE(estimates[i].gradients, 3);
      QCOMPARE(estimates[i].sqr, sqr[0] + sqr[1]);
      QCOMPARE(estimates[i].var, var[0] + var[1]);
    }
  }
};

BATCHSCOPE_TEST(TestChoosing)
#include "test_choosing.moc"
