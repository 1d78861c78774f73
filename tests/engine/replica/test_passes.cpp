// SPDX-License-Identifier: Apache-2.0
//
// Passes over the data one after the other, where an epoch ends by progress or a branch by its samples: where
// each begins, what is left at its end, and what a pass without a step is.
#include <functional>
#include <thread>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/protocol/branch.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "device.h"
#include "heard.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Device;
using batchscope::testing::Heard;
using batchscope::testing::Program;
using batchscope::testing::refusal_in_epoch;

class TestPasses : public QObject {
  Q_OBJECT

  using Json = protocol::Json;
  using Ids = std::vector<std::int64_t>;

  static Device& take_device() {
    auto owned = std::make_unique<Device>();
    Device& device = *owned;
    set_timer(std::move(owned));
    return device;
  }
  static void end_of_batch(double gain = 1) {
    if (step_context().optimizer_step)
      metrics::commit_step({.gain = gain, .gradient = {1, 1000}});
    else
      metrics::end_micro_step();
  }
  // An epoch of four passes of four samples, two a step, which are said: [pass, positions].
  static void quarters() {
    std::int64_t pass = -1;
    AdaptiveDataLoaderHelper training(
        {.size = 4, .batch_size = 2, .order = [&pass](int, std::int64_t number, const auto&) {
           pass = number;
           return Ids{0, 1, 2, 3};
         }});
    training.scale_by_replicas();
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
      for (auto loop = training.loop(); !loop.done(); loop.advance()) {
        Program::say({pass, loop.pass()->positions(loop.number())});
        end_of_batch(0.25);
      }
  }
  static std::string lines(const Program::Ended& ended) {
    std::string text;
    for (const Json& line : ended.said) text += line.dump() + " ";
    return text;
  }
  // "train 0.1 0-4 of 4, step 4": the pass behind the epoch.
  static std::string ledger(const Program& program) {
    std::string text;
    for (const auto& [generation, entry] : program.newest().ledger)
      text += std::to_string(entry.epoch) + "." + std::to_string(entry.pass) + " " +
              std::to_string(entry.from) + "-" + std::to_string(entry.to) + ", step " +
              std::to_string(entry.step) + "; ";
    return text;
  }

 private Q_SLOTS:
  // Also where it is between two of them.
  void aStopInAnEpochOfPassesLosesNoSample() {
    for (int stop = 1; stop < 8; ++stop) {
      Program program;
      program.variables[protocol::variable::kTriggers] = "[\"step=" + std::to_string(stop) + ":stop\"]";
      std::string all;
      for (int generation = 0; generation < 2; ++generation) {
        const auto ended = program.run(quarters);
        all += lines(ended);
        if (generation == 0) {
          QCOMPARE(ended.code, kExitCheckpointed);
          QCOMPARE(program.newest().step, stop);
        }
      }
      QCOMPARE(all, "[0,[0,1]] [0,[2,3]] [1,[0,1]] [1,[2,3]] [2,[0,1]] [2,[2,3]] [3,[0,1]] [3,[2,3]] ");
      const std::string whole = "0.0 0-4, step 2; 0.1 0-4, step 4; 0.2 0-4, step 6; 0.3 0-4, step 8; ";
      if (stop % 2 == 0) QCOMPARE(ledger(program), whole);
      if (stop == 3)
        QCOMPARE(ledger(program),
                 "0.0 0-4, step 2; 0.1 0-2, step 3; 0.1 2-4, step 4; 0.2 0-4, step 6; "
                 "0.3 0-4, step 8; ");
    }
  }

  // Whichever pass it is, however short.
  void aPassWithoutAStepIsRefused() {
    for (const std::int64_t size : {2, 8})
      for (const bool first : {true, false})
        VERIFY_HOLDS(refusal_in_epoch([size, first] {
                       AdaptiveDataLoaderHelper training({.size = size, .batch_size = 2});
                       training.scale_by_replicas();
                       bool commits = !first;
                       for (auto loop = training.loop(); !loop.done(); loop.advance()) {
                         if (training.current_index().value() >= size) commits = false;
                         if (commits) metrics::commit_step({.gain = 0.125, .gradient = {1, 10}});
                       }
                     }),
                     "a whole pass made none");
  }

  // One replica has used 4 of 9 samples; of what is left three can make no step.
  void aPassOfWhichNothingIsLeftIsPassedOver() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=1:stop","step=2:stop"])";
    const auto train = [] {
      AdaptiveDataLoaderHelper training({.size = 13, .batch_size = 4, .drop_last = true});
      training.scale_by_replicas();
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          Program::say(loop.pass()->positions(loop.number()));
          end_of_batch(0.5);
        }
    };
    QCOMPARE(lines(program.run(train)), "[0,1,2,3] ");
    const auto three = program.run_replicas(3, train);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const auto at = static_cast<std::int64_t>(rank);
      QCOMPARE(lines(three[rank]), Json(Ids{at, at + 3, at + 6, at + 9}).dump() + " ");
    }
    QCOMPARE(ledger(program), "0.0 0-4, step 1; 0.1 0-12, step 2; ");
  }

  void aShortStreamIsRefusedWhereTheShortBatchIsDropped() {
    for (const auto& replica : Program().run_replicas(2, [] {
           AdaptiveDataLoaderHelper training(
               {.batch_size = 4, .drop_last = true, .stream = [](std::int64_t, std::int64_t to) {
                  return std::min<std::int64_t>(to, 3);
                }});
           for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
             for (auto loop = training.loop(); !loop.done(); loop.advance()) end_of_batch();
         }))
      VERIFY_HOLDS(replica.said.back().at("error").get<std::string>(),
                   "drop_last drops the whole dataset: it has 3 samples, and a batch has 4");
  }

  // --- the size of a step ---

  // Thirty steps after the pass was cut ten samples are left, where a step of sixteen would be better.
  void whatIsLeftOfAPassMayBeTooLittleForALargerStep() {
    const auto ended = Program().run([] {
      Device& device = take_device();
      AdaptiveDataLoaderHelper training({.size = 250, .batch_size = 8});
      training.autoscale_batch_size(64, {}, false, true);
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          Program::say(loop.pass()->positions(loop.number()));
          device.work(0.125);
          device.wait();
          end_of_batch();
        }
    });
    std::int64_t next = 0;
    for (const Json& step : ended.said)
      for (const std::int64_t position : step) QCOMPARE(position, next++);
    QCOMPARE(next, 250);
    QCOMPARE(ended.said.size(), 32u);
    QCOMPARE(ended.said.back().size(), 2u);
  }

  // Passes of ten steps are too short to look in their midst.
  void eachPassChoosesAnew() {
    const auto ended = Program().run([] {
      Device& device = take_device();
      AdaptiveDataLoaderHelper training({.size = 80, .batch_size = 8});
      training.autoscale_batch_size(64, {}, false, true);
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          Program::say(step_context().samples);
          device.work(0.125);
          device.wait();
          end_of_batch(0.5);
        }
    });
    QCOMPARE(lines(ended), "8 8 8 8 8 8 8 8 8 8 16 16 16 16 16 32 32 16 64 16 ");
  }

  // One replica grows by micro-batches, or where it is told that a single gradient will do.
  void aLoneReplicaKeepsItsStepUnlessItMayDoOtherwise() {
    const auto ended = Program().run([] {
      Device& device = take_device();
      AdaptiveDataLoaderHelper training({.size = 1000, .batch_size = 8});
      training.autoscale_batch_size(64);
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          if (step_context().samples != 8 || step_context().accumulation_steps != 0)
            Program::say("another step");
          device.work(0.125);
          device.wait();
          end_of_batch();
        }
      Program::say(metrics::steps());
    });
    QCOMPARE(lines(ended), "125 ");
  }

  // Smaller micro-batches than were asked for, where memory holds no more; several only where the replicas
  // together do not hold the batch.
  void whatMemoryHoldsIsWithinTheBounds_data() {
    QTest::addColumn<int>("replicas");
    QTest::addColumn<QString>("memory");
    QTest::addColumn<int>("least");
    QTest::addColumn<int>("most");
    QTest::addColumn<bool>("accumulates");
    QTest::newRow("enough") << 1 << "16" << 4 << 16 << false;
    QTest::newRow("less than asked for") << 1 << "2" << 2 << 2 << true;
    QTest::newRow("half a batch on two") << 2 << "4" << 4 << 4 << false;
    QTest::newRow("less on two") << 2 << "3" << 3 << 3 << true;
  }
  void whatMemoryHoldsIsWithinTheBounds() {
    QFETCH(int, replicas);
    QFETCH(QString, memory);
    QFETCH(int, least);
    QFETCH(int, most);
    QFETCH(bool, accumulates);
    Program program;
    program.variables[protocol::variable::kMaxLocalBatchSize] = memory.toStdString();
    const Heard heard(
        program,
        [] {
          AdaptiveDataLoaderHelper training({.size = 2000, .batch_size = 8});
          training.autoscale_batch_size(64, {4, 0});
          for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
            for (auto loop = training.loop(); !loop.done(); loop.advance()) {
              end_of_batch();
              if (metrics::steps() < 12) continue;
              while (replica_rank() == 0 && !metrics::predict_goodput(8, 0))
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
              break;
            }
        },
        replicas);
    const protocol::Model model = heard.of<protocol::Model>().at(0);
    QCOMPARE(model.min_local_batch_size, least);
    QCOMPARE(model.max_local_batch_size, most);
    QCOMPARE(model.accumulation, accumulates);
    QCOMPARE(model.micro_batches, 0);  // goodput chooses
  }

  // --- times ---

  // A step has nothing of the time between the loops, and all steps are told.
  void aStepBeginsWithItsLoop() {
    Program program;
    const Heard heard(program, [] {
      Device& device = take_device();
      AdaptiveDataLoaderHelper training({.size = 4, .batch_size = 2});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(3)) {
        device.work(7);
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          device.work(0.5);
          device.wait();
          end_of_batch();
        }
      }
    });
    const auto times = heard.values("step_time");
    QCOMPARE(times.size(), 6u);
    for (const auto& [step, seconds] : times) QCOMPARE(seconds, 0.5);
  }

  void aLoopSaysWhenItsDataAreThere() {
    Program program;
    const Heard heard(program, [] {
      AdaptiveDataLoaderHelper training({.size = 4, .batch_size = 2});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          loop.data_ready();
          end_of_batch();
        }
    });
    for (const std::int64_t step : {1, 2}) QVERIFY(heard.values("data_time").at(step) >= 0.02);
  }

  // --- branches ---

  static std::map<std::string, std::string> branch(std::int64_t batch_size, std::int64_t samples) {
    return {
        {protocol::variable::kBranch,
         protocol::Branch{
             .run = "run-1", .checkpoint = "checkpoint-000000", .batch_size = batch_size, .samples = samples}
             .text()}};
  }

  // The batch size is its own, whatever follows the replicas; all its steps are told.
  void aBranchOfAPassEndsWithIt() {
    Program program;
    program.variables = branch(3, 6);
    const Heard heard(program, [] {
      Device& device = take_device();
      AdaptiveDataLoaderHelper training({.size = 6, .batch_size = 2});
      training.scale_by_replicas(2);
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          Program::say({loop.pass()->positions(loop.number()), step_context().micro_batches});
          device.work(0.5);
          device.wait();
          end_of_batch();
        }
      Program::say("the end");
    });
    QCOMPARE(heard.ended[0].code, 0);
    QCOMPARE(lines(heard.ended[0]), "[[0,1,2],0] [[3,4,5],0] ");
    QCOMPARE(heard.values("step_time").size(), 2u);
  }

  void aBranchIsNotAccumulatedWhereTheProgramIsNot() {
    Program program;
    program.variables = branch(6, 12);
    const auto ended = program.run([] {
      AdaptiveDataLoaderHelper training({.size = 12, .batch_size = 2});
      training.autoscale_batch_size(12, {1, 4});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) training.loop();
    });
    VERIFY_HOLDS(lines(ended), "a branch of batch size 6: ", "does not allow accumulation");
  }
};

BATCHSCOPE_TEST(TestPasses)
#include "test_passes.moc"
