// SPDX-License-Identifier: Apache-2.0
//
// Loops over data, epochs, scripted events and requests, in programs of one replica that are started again:
// which samples are seen, what is skipped, what a checkpoint says, and what is refused.
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>
#include <utility>

#include "adapt/loops.h"
#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/epoch.h"
#include "generations.h"
#include "session/non_finite_step.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Program;
using batchscope::testing::refusal_in_epoch;

class TestLoops : public QObject {
  Q_OBJECT

  using Json = protocol::Json;
  using Ids = std::vector<std::int64_t>;

  // Does what a program does after its batch: an optimizer step with a gain, where the batch ends one.
  static void step(double gain = 1) {
    if (step_context().optimizer_step)
      metrics::commit_step({.gain = gain, .gradient = {1, 10}});
    else
      metrics::end_micro_step();
  }

  // Two epochs of 10 samples, 3 a step, each with a validation of 7 samples, 4 at a time, whose samples are
  // counted.
  static void train(
      const std::function<void()>& after_step = [] {}, std::int64_t size = 10,
      const std::function<void()>& after_validation = [] {}) {
    AdaptiveDataLoaderHelper training({.size = size, .batch_size = 3}),
        validation({.size = 7, .batch_size = 4, .training = false});
    Accumulator<std::int64_t> seen;
    for (const int epoch : remaining_epochs_until(2)) {
      for (auto loop = training.loop(); !loop.done(); loop.advance()) {
        Program::say({{"epoch", epoch}, {"ids", loop.pass()->ids(loop.number())}});
        step();
        after_step();
      }
      for (auto loop = validation.loop(); !loop.done(); loop.advance()) {
        const Ids ids = loop.pass()->ids(loop.number());
        Program::say({{"epoch", epoch}, {"validated", ids}});
        seen["samples"] += std::ssize(ids);
        after_validation();
      }
      Program::say({{"epoch", epoch}, {"seen", seen.synchronized()["samples"]}});
      seen.clear();
    }
    Program::say({{"finished", finished_epochs()}, {"steps", metrics::steps()}});
  }

  static std::vector<Ids> of(const Program::Ended& ended, int epoch, const char* what) {
    std::vector<Ids> all;
    for (const Json& line : ended.said)
      if (line.value("epoch", -1) == epoch && line.contains(what)) all.push_back(line.at(what).get<Ids>());
    return all;
  }
  static std::string lines(const std::vector<Json>& said) {
    std::string text;
    for (const Json& line : said) text += line.dump() + "\n";
    return text;
  }
  static const std::vector<Ids>& whole() {
    static const std::vector<Ids> all{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9}};
    return all;
  }

 private Q_SLOTS:
  // --- from the beginning to the end ---

  void eachEpochHasEachSampleOnce() {
    Program program;
    const auto ended = program.run([] { train(); });
    QCOMPARE(ended.code, 0);
    for (const int epoch : {0, 1}) {
      QCOMPARE(of(ended, epoch, "ids"), whole());
      QCOMPARE(of(ended, epoch, "validated"), (std::vector<Ids>{{0, 1, 2, 3}, {4, 5, 6}}));
    }
    for (const Json& line : ended.said)
      if (line.contains("seen")) QCOMPARE(line.at("seen").get<int>(), 7);
    QCOMPARE(ended.said.back().dump(), (Json{{"finished", 2}, {"steps", 8}}.dump()));
    const protocol::Manifest last = program.newest();
    QCOMPARE(last.reason, "exit");
    QCOMPARE(last.step, 8);
    QCOMPARE(last.epoch, 2);
    QCOMPARE(last.progress, 8.0);
    QCOMPARE(last.ledger.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      const protocol::LedgerEntry& entry = last.ledger[i].entry;
      QCOMPARE(entry.loader, i % 2 == 0 ? "train-0" : "validate-0");
      QCOMPARE(entry.epoch, static_cast<int>(i / 2));
      QCOMPARE(entry.pass, 0);
      QCOMPARE(entry.from, 0);
      QCOMPARE(entry.to, i % 2 == 0 ? 10 : 7);
      QCOMPARE(entry.dataset_size, entry.to);
      QCOMPARE(entry.padding, 0);
      QCOMPARE(entry.step, i < 2 ? 4 : 8);
    }
    // A program that is started again has nothing left to do.
    const auto again = program.run([] { train(); });
    QCOMPARE(again.code, 0);
    QCOMPARE(lines(again.said), (lines(std::vector<Json>{{{"finished", 2}, {"steps", 8}}})));
  }

  // Wherever it is stopped, also in the midst of validation.
  void whatIsStartedAgainGoesOnWithTheNextSample_data() {
    QTest::addColumn<int>("step");
    for (int step = 1; step <= 8; ++step) QTest::addRow("after step %d", step) << step;
  }
  void whatIsStartedAgainGoesOnWithTheNextSample() {
    QFETCH(int, step);
    Program program;
    program.variables[protocol::variable::kTriggers] = "[\"step=" + std::to_string(step) + ":stop\"]";
    const auto first = program.run([] { train(); });
    QCOMPARE(first.code, kExitCheckpointed);
    QCOMPARE(program.newest().step, step);
    QCOMPARE(program.newest().reason, "trigger");
    const auto second = program.run([] { train(); });  // in which it does not happen again
    QCOMPARE(second.code, 0);
    QCOMPARE(second.said.back().dump(), (Json{{"finished", 2}, {"steps", 8}}.dump()));
    for (const int epoch : {0, 1})
      for (const char* what : {"ids", "validated"}) {
        auto all = of(first, epoch, what);
        for (const Ids& ids : of(second, epoch, what)) all.push_back(ids);
        QCOMPARE(all, (what == std::string("ids") ? whole() : std::vector<Ids>{{0, 1, 2, 3}, {4, 5, 6}}));
      }
    // The sum of an epoch that was finished before is not there again; the others are whole.
    int sums = 0;
    for (const auto* ended : {&first, &second})
      for (const Json& line : ended->said)
        if (line.contains("seen")) {
          QCOMPARE(line.at("seen").get<int>(), 7);
          ++sums;
        }
    QCOMPARE(sums, 2);
    QCOMPARE(program.newest().ledger.size(), step == 4 || step == 8 ? 4u : 5u);
  }

  void aStopInTheMidstOfValidationLosesNoSum() {
    Program program;
    const auto first = program.run([] {
      train([] {}, 10,
            [] {
              if (metrics::steps() == 8) ::raise(SIGTERM);
            });
    });
    QCOMPARE(first.code, kExitCheckpointed);
    QCOMPARE(of(first, 1, "validated"), (std::vector<Ids>{{0, 1, 2, 3}}));
    const auto second = program.run([] { train(); });
    QCOMPARE(second.code, 0);
    QVERIFY(of(second, 1, "ids").empty());
    QCOMPARE(of(second, 1, "validated"), (std::vector<Ids>{{4, 5, 6}}));
    QCOMPARE(second.said.at(1).dump(), (Json{{"epoch", 1}, {"seen", 7}}.dump()));
  }

  void aScriptedCheckpointStopsNothing() {
    Program program;
    program.variables[protocol::variable::kTriggers] =
        R"(["step=3:checkpoint","step=3:checkpoint","epoch=1:checkpoint","progress=7:stop"])";
    const auto first = program.run([] { train(); });
    QCOMPARE(first.code, kExitCheckpointed);
    QCOMPARE(program.newest().step, 7);
    std::vector<std::int64_t> steps;
    for (const auto& directory : protocol::list_checkpoints(program.path("checkpoints")))
      steps.push_back(protocol::read_manifest(directory).step);
    QCOMPARE(steps, (Ids{7, 4}));  // the last two
  }

  void whatCannotBeWrittenStopsNothingThatCanWait() {
    struct Broken final : checkpoint::State {
      Broken() : State("broken") {}
      void save(std::ostream&) override { throw Error(ErrorKind::io, "no room"); }
      void load(std::istream&) override {}
    };
    for (const auto& [action, code, steps] :
         {std::tuple("checkpoint", 0, 8u), {"pause", 0, 8u}, {"stop", kExitFailure, 2u}}) {
      Program program;
      program.variables[protocol::variable::kTriggers] = "[\"step=2:" + std::string(action) + "\"]";
      const auto ended = program.run([] {
        Broken broken;
        train();
      });
      QCOMPARE(ended.code, code);
      QCOMPARE(of(ended, 0, "ids").size() + of(ended, 1, "ids").size(), steps);
      QVERIFY(!ended.said.back().contains("error"));
      QVERIFY(protocol::list_checkpoints(program.path("checkpoints")).empty());
    }
  }

  void requestsByASignalAreCarriedOutAfterTheStep() {
    for (const auto& [signal, code, reason] :
         {std::tuple(SIGUSR1, 0, "manual"), {SIGTERM, kExitCheckpointed, "exit"}}) {
      Program program;
      const auto ended = program.run([signal = signal] {
        train([signal] {
          if (metrics::steps() == 5) ::raise(signal);
        });
      });
      QCOMPARE(ended.code, code);
      bool found = false;
      for (const auto& directory : protocol::list_checkpoints(program.path("checkpoints"))) {
        const protocol::Manifest manifest = protocol::read_manifest(directory);
        found = found || (manifest.step == 5 && manifest.reason == reason);
      }
      QVERIFY(found);
      QCOMPARE(of(ended, 1, "ids").size(), code == 0 ? 4u : 1u);
    }
  }

  // --- how a loop ends ---

  void aBreakFinishesALoopAndAnExceptionDoesNot() {
    Program program;
    program.run([] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 3});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
        for (const bool breaks : {false, true, false}) try {
            for (auto loop = training.loop(); !loop.done(); loop.advance()) {
              Program::say({{"epoch", 0}, {"ids", loop.pass()->ids(loop.number())}});
              step();
              if (breaks) break;
              if (loop.number() == 1) throw std::runtime_error("in between");
            }
          } catch (const std::runtime_error&) {
          }
        Program::say({{"steps", metrics::steps()}, {"in_loop", running_loop().has_value()}});
        checkpoint::save_all_states("manual");
      }
    });
    const protocol::Manifest last = program.newest();
    // Two steps, one more of the same loop, and from the beginning again.
    QCOMPARE(last.ledger.size(), 2u);
    QCOMPARE(last.ledger[0].entry.to, 9);
    QCOMPARE(last.ledger[1].entry.from, 0);
    QCOMPARE(last.ledger[1].entry.to, 6);
  }

  void leavingAnEpochByABreakFinishesIt() {
    const auto ended = Program().run([] {
      for (const int epoch : remaining_epochs_until(5)) {
        Program::say({{"epoch", epoch}});
        if (epoch == 1) break;
      }
      Program::say({{"finished", finished_epochs()}, {"current", current_epoch()}});
      try {
        for ([[maybe_unused]] const int epoch : remaining_epochs_until(5)) throw std::runtime_error("no");
      } catch (const std::runtime_error&) {
        Program::say({{"finished", finished_epochs()}, {"current", current_epoch()}});
      }
    });
    QCOMPARE(lines(ended.said), (lines(std::vector<Json>{{{"epoch", 0}},
                                                         {{"epoch", 1}},
                                                         {{"finished", 2}, {"current", -1}},
                                                         {{"finished", 2}, {"current", -1}}})));
  }

  void dropLastLeavesTheShortStepOut() {
    const auto ended = Program().run([] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 4, .drop_last = true});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          Program::say({{"epoch", 0}, {"ids", loop.pass()->ids(loop.number())}});
          step();
        }
    });
    QCOMPARE(ended.code, 0);
    QCOMPARE(of(ended, 0, "ids"), (std::vector<Ids>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  }

  void aLoopSaysWhereItIs() {
    const auto ended = Program().run([] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 4});
      const auto tell = [&] {
        Program::say({{"index", training.current_index().value_or(-1)},
                      {"end", training.end_index().value_or(-1)},
                      {"loader", current_dataloader() == &training},
                      {"samples", step_context().samples},
                      {"batch", training.current_batch_size()}});
      };
      tell();
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          tell();
          step();
        }
      tell();
    });
    const auto line = [](int index, int end, bool loader, int samples) {
      return Json{{"index", index}, {"end", end}, {"loader", loader}, {"samples", samples}, {"batch", 4}};
    };
    QCOMPARE(lines(ended.said),
             (lines(std::vector<Json>{line(-1, -1, false, 0), line(0, 10, true, 4), line(4, 10, true, 4),
                                      line(8, 10, true, 2), line(-1, -1, false, 0)})));
  }

  // --- batch sizes ---

  // Algorithm 2 of AdaScale's paper: an epoch is over when it has made the progress of a pass at a gain of 1.
  void anEpochEndsByItsProgress() {
    for (const auto& [gain, steps] : {std::pair(0.5, 10), {1.0, 5}, {2.0, 3}}) {
      const auto ended = Program().run([gain = gain] {
        AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 2});
        training.scale_by_replicas();
        for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
          for (auto loop = training.loop(); !loop.done(); loop.advance()) step(gain);
        Program::say({{"steps", metrics::steps()}});
      });
      QCOMPARE(ended.said.back().dump(), (Json{{"steps", steps}}.dump()));
    }
    const auto by_pass = Program().run([] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 2});
      training.scale_by_replicas(1, false);
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) step(0.5);
      Program::say({{"steps", metrics::steps()}});
    });
    QCOMPARE(by_pass.said.back().dump(), (Json{{"steps", 5}}.dump()));
    VERIFY_HOLDS(refusal_in_epoch([] {
                   AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 2});
                   training.scale_by_replicas();
                   for (auto loop = training.loop(); !loop.done(); loop.advance()) {
                   }
                 }),
                 "a whole pass made none");
  }

  void eachReplicaTakesItsMicroBatches() {
    const auto ended = Program().run([] {
      AdaptiveDataLoaderHelper training({.size = 20, .batch_size = 3});
      training.scale_by_replicas(2, false);
      Program::say({{"batch", training.current_batch_size()},
                    {"local", training.current_local_batch_size()},
                    {"accumulation", training.accumulation_steps()},
                    {"maximum", training.max_batch_size().value_or(-1)}});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) step();
      Program::say({{"steps", metrics::steps()}, {"samples", metrics::samples()}});
    });
    QCOMPARE(lines(ended.said),
             (lines(std::vector<Json>{{{"batch", 6}, {"local", 3}, {"accumulation", 1}, {"maximum", -1}},
                                      {{"steps", 4}, {"samples", 20}}})));
  }

  // A batch that does not fit at once is accumulated, of a training loader.
  void whatMemoryHoldsIsTakenAtATime() {
    Program program;
    program.variables[protocol::variable::kMaxLocalBatchSize] = "4";
    const auto ended = program.run([] {
      AdaptiveDataLoaderHelper training({.size = 24, .batch_size = 8}),
          validation({.size = 24, .batch_size = 8, .training = false});
      for (AdaptiveDataLoaderHelper* const one : {&training, &validation})
        Program::say(
            {{"local", one->current_local_batch_size()}, {"accumulation", one->accumulation_steps()}});
      training.scale_by_replicas(2);
      Program::say(
          {{"local", training.current_local_batch_size()}, {"accumulation", training.accumulation_steps()}});
    });
    QCOMPARE(lines(ended.said), (lines(std::vector<Json>{{{"local", 4}, {"accumulation", 1}},
                                                         {{"local", 8}, {"accumulation", 0}},
                                                         {{"local", 4}, {"accumulation", 3}}})));
  }

  void aBatchSizeThatIsChosenIsAtMostTheData() {
    const auto ended = Program().run([] {
      AdaptiveDataLoaderHelper training({.size = 100, .batch_size = 10});
      for (const auto& [most, local] : {std::pair(50, LocalBatchBounds{}), {1000, {2, 40}}}) {
        training.autoscale_batch_size(most, local);
        Program::say({*training.max_batch_size(), training.local_batch_size_bounds().minimum,
                      training.local_batch_size_bounds().maximum});
      }
    });
    QCOMPARE(lines(ended.said), (lines(std::vector<Json>{{50, 1, 50}, {100, 2, 40}})));
  }

  // --- streams ---

  void aStreamEndsWhereItEnds() {
    const auto ended = Program().run([] {
      AdaptiveDataLoaderHelper training({.batch_size = 4, .stream = [](std::int64_t, std::int64_t to) {
                                           return std::min<std::int64_t>(to, 10);
                                         }});
      for (const int epoch : remaining_epochs_until(2))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          Program::say({{"epoch", epoch}, {"ids", loop.pass()->positions(loop.number())}});
          if (training.end_index()) Program::say("a stream has an end");
          step();
        }
    });
    QCOMPARE(ended.code, 0);
    for (const int epoch : {0, 1})
      QCOMPARE(of(ended, epoch, "ids"), (std::vector<Ids>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}));
    QCOMPARE(ended.said.size(), 6u);
    const auto refused = refusal_in_epoch([] {
      AdaptiveDataLoaderHelper training(
          {.batch_size = 4, .stream = [](std::int64_t, std::int64_t) { return std::int64_t{0}; }});
      training.loop();
    });
    VERIFY_HOLDS(refused, "the stream has no samples");
  }

  void aStreamThatHasBecomeShorterIsRefused() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=2:stop"])";
    const auto read = [](std::int64_t length) {
      return [length] {
        AdaptiveDataLoaderHelper training(
            {.batch_size = 4,
             .stream = [length](std::int64_t, std::int64_t to) { return std::min(to, length); }});
        for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
          for (auto loop = training.loop(); !loop.done(); loop.advance()) step();
      };
    };
    QCOMPARE(program.run(read(100)).code, kExitCheckpointed);
    const auto ended = program.run(read(7));
    QCOMPARE(ended.code, 1);
    VERIFY_HOLDS(ended.said.back().at("error").get<std::string>(),
                 "the stream ends after 7 samples, of which 8 were used before the checkpoint");
  }

  // --- what is refused ---

  void otherDataInTheMiddleOfALoopIsRefused() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=2:stop"])";
    QCOMPARE(program.run([] { train(); }).code, kExitCheckpointed);
    const auto ended = program.run([] { train([] {}, 11); });
    QCOMPARE(ended.code, 1);
    VERIFY_HOLDS(ended.said.back().at("error").get<std::string>(),
                 "in the middle of a loop over 10 samples, the dataset is 11 samples now");
    Program between;  // between loops it may change
    between.variables[protocol::variable::kTriggers] = R"(["epoch=1:stop"])";
    QCOMPARE(between.run([] { train(); }).code, kExitCheckpointed);
    QCOMPARE(between.run([] { train([] {}, 11); }).code, 0);
  }

  // --- gradients that are not finite ---

  void aHundredInARowAreTooMany() {
    const auto after = [](const NonFiniteStep& step) {
      return Program().run([=] { after_non_finite_step(step); }).code;
    };
    QCOMPARE(after({5, 99, 99}), 0);
    QCOMPARE(after({5, 100, 100}), 1);
    QCOMPARE(after({5, 1, 1, true}), 1);
    Program stops;
    stops.variables[protocol::variable::kNonFinite] = "restore";
    QCOMPARE(stops.run([] { after_non_finite_step({5, 1, 1}); }).code, 1);
  }

  // The checkpoint has all that was counted; a step that was skipped brought nothing.
  void whatWasCountedGoesOn() {
    Program program;
    program.run([] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 2});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          const bool skipped = metrics::steps() < 2;
          metrics::commit_step({.gain = 1.5, .skipped = skipped, .gradient = {1, 10}});
          Program::say({metrics::non_finite_in_a_row()});
        }
    });
    const auto again = program.run([] {
      finished_epochs();
      Program::say({metrics::steps(), metrics::samples(), metrics::non_finite_steps(), metrics::progress(),
                    metrics::non_finite_in_a_row()});
    });
    QCOMPARE(again.said.back().dump(), (Json{5, 10, 2, 4.5, 0}.dump()));
  }
};

BATCHSCOPE_TEST(TestLoops)
#include "test_loops.moc"
