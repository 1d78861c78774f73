// SPDX-License-Identifier: Apache-2.0
//
// A program that is started again runs the code between its loops anew: what it sums up there, wherever it
// was stopped, is what it would have been without. And the samples in their order, as loaders, replicas and
// logs have them.
#include <signal.h>

#include <algorithm>
#include <functional>
#include <map>

#include "adapt/loops.h"
#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "generations.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Program;

class TestReplay : public QObject {
  Q_OBJECT

  using Json = protocol::Json;
  using Ids = std::vector<std::int64_t>;

  // Two epochs, each of a pass of training and two validations, and one at the end, with sums that are kept,
  // emptied and changed between them. `after` is called after each batch with how many there were in this
  // process.
  static void train(const std::function<void(int batches)>& after) {
    int batches = 0;
    AdaptiveDataLoaderHelper training({.size = 6, .batch_size = 3}),
        validation({.size = 7, .batch_size = 4, .training = false});
    Accumulator<std::int64_t> kept({{"begun", 5}}), emptied, changed;
    const auto say = [](const std::string& where, const auto& sums) {
      Program::say({{"where", where}, {"sums", sums}});
    };
    const auto validate = [&](const std::string& where, Accumulator<std::int64_t>& own) {
      for (auto loop = validation.loop(); !loop.done(); loop.advance()) {
        const std::int64_t count = loop.pass()->count(loop.number());
        for (Accumulator<std::int64_t>* const one : {&kept, &emptied, &changed, &own})
          (*one)["seen"] += count;
        after(++batches);
      }
      if (replica_rank() == 0) kept["between"] += 100;
      say(where + " kept", kept.synchronized());
      say(where + " emptied", emptied.synchronized());
      emptied.clear();
      changed.synchronized([&](auto& sums) {
        say(where + " changed", sums);
        sums["seen"] *= 2;
      });
      say(where + " own", own.synchronized());
    };
    for (const int epoch : remaining_epochs_until(2)) {
      Accumulator<std::int64_t> own({{"epoch", epoch}}), another;
      for (auto loop = training.loop(); !loop.done(); loop.advance()) {
        another["trained"] += loop.pass()->count(loop.number());
        metrics::commit_step({.gain = 1, .gradient = {1, 10}});
        after(++batches);
      }
      const std::string name = std::to_string(epoch);
      say(name + " another", another.synchronized());
      another.clear();
      for (const char* round : {".0", ".1"}) validate(name + round, own);
      if (replica_rank() == 0) another["after"] += 3;
      say(name + " at its end", another.synchronized());
      emptied.clear();
    }
    Accumulator<std::int64_t> last;
    validate("last", last);
  }
  static std::map<std::string, std::string> sums(const Program::Ended& ended) {
    std::map<std::string, std::string> all;
    for (const Json& line : ended.said)
      if (line.contains("where")) all[line.at("where")] = line.at("sums").dump();
    return all;
  }

  // Trains an epoch, and says which order was asked for, and the samples of each micro-batch.
  static void say_order(std::int64_t size, std::int64_t batch_size) {
    const auto order = [size](int epoch, std::int64_t pass, const std::vector<Cut>& cuts) {
      std::string text = std::to_string(epoch) + "." + std::to_string(pass);
      for (const Cut& cut : cuts)
        text += " " + std::to_string(cut.start) + "/" + std::to_string(cut.width) + "/" +
                std::to_string(cut.replicas);
      Program::say(text);
      Ids ids(static_cast<std::size_t>(size));
      for (std::int64_t at = 0; at < size; ++at) ids[static_cast<std::size_t>(at)] = 100 + at;
      return ids;
    };
    AdaptiveDataLoaderHelper training({.size = size, .batch_size = batch_size, .order = order}),
        validation({.size = size, .batch_size = batch_size, .training = false, .order = order});
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
      for (auto loop = training.loop(); !loop.done(); loop.advance()) {
        Program::say(loop.pass()->ids(loop.number()));
        metrics::commit_step({.gain = 1, .gradient = {1, 10}});
      }
    for (auto loop = validation.loop(); !loop.done(); loop.advance())
      Program::say({loop.pass()->micro_batches(), loop.pass()->ids(loop.number())});
  }
  static std::string lines(const Program::Ended& ended) {
    std::string text;
    for (const Json& line : ended.said) text += line.dump() + "\n";
    return text;
  }

 private Q_SLOTS:
  // --- sums ---

  void sumsAreAsWithoutAStop_data() {
    QTest::addColumn<int>("stop");
    for (int stop = 1; stop <= 14; ++stop) QTest::addRow("after batch %d", stop) << stop;
  }
  void sumsAreAsWithoutAStop() {
    QFETCH(int, stop);
    static const auto whole = sums(Program().run([] { train([](int) {}); }));
    QCOMPARE(whole.size(), 24u);
    QCOMPARE(whole.at("1.1 kept"), R"({"begun":5,"between":400,"seen":28})");
    QCOMPARE(whole.at("1.1 emptied"), R"({"seen":7})");
    QCOMPARE(whole.at("1.1 changed"), R"({"seen":105})");
    QCOMPARE(whole.at("1.1 own"), R"({"epoch":1,"seen":14})");
    QCOMPARE(whole.at("1 at its end"), R"({"after":3})");
    for (const int replicas : {1, 2}) {
      Program program;
      auto all = sums(program.run([stop] {
        train([stop](int batches) {
          if (batches == stop) ::raise(SIGTERM);
        });
      }));
      for (const auto& [where, values] : all) QCOMPARE(where + values, where + whole.at(where));
      const auto again = sums(program.run_replicas(replicas, [] { train([](int) {}); }).front());
      for (const auto& [where, values] : again) QCOMPARE(where + values, where + whole.at(where));
      all.insert(again.begin(), again.end());
      QCOMPARE(all.size(), whole.size());
    }
  }

  // Outside of epochs, too.
  void evaluationsAreAsWithoutAStop_data() {
    QTest::addColumn<int>("stop");
    for (int stop = 1; stop <= 6; ++stop) QTest::addRow("after batch %d", stop) << stop;
  }
  void evaluationsAreAsWithoutAStop() {
    QFETCH(int, stop);
    const auto evaluate = [](int stops_after) {
      return [stops_after] {
        int batches = 0;
        AdaptiveDataLoaderHelper validation({.size = 3, .batch_size = 2, .training = false});
        Accumulator<std::int64_t> sums;
        const auto say = [&](const std::string& where) {
          Program::say({{"where", where}, {"sums", sums.synchronized()}});
        };
        sums["begun"] += 10;
        say("begin");
        for (const char* round : {"0", "1", "2"}) {
          for (auto loop = validation.loop(); !loop.done(); loop.advance()) {
            sums["seen"] += loop.pass()->count(loop.number());
            if (++batches == stops_after) ::raise(SIGTERM);
          }
          say(round);
          sums.clear();
          sums["between"] += 100;
          say(std::string(round) + " and on");
        }
      };
    };
    static const auto whole = sums(Program().run(evaluate(0)));
    QCOMPARE(whole.at("begin"), R"({"begun":10})");
    QCOMPARE(whole.at("0"), R"({"begun":10,"seen":3})");
    QCOMPARE(whole.at("2"), R"({"between":100,"seen":3})");
    QCOMPARE(whole.size(), 7u);
    Program program;
    auto all = sums(program.run(evaluate(stop)));
    const auto again = sums(program.run(evaluate(0)));
    all.insert(again.begin(), again.end());
    QCOMPARE(all, whole);
    for (const auto& [where, values] : again) QCOMPARE(where + values, where + whole.at(where));
  }

  // --- the order of the samples ---

  void theOrderIsOfEachPassAndItsCuts() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=1:stop","step=2:stop"])";
    const auto run = [] { say_order(9, 2); };
    QCOMPARE(lines(program.run(run)), "\"0.0 0/2/1\"\n[100,101]\n");
    const auto both = program.run_replicas(2, run);
    QCOMPARE(lines(both[0]), "\"0.0 0/2/1 2/2/2\"\n[102]\n");
    QCOMPARE(lines(both[1]), "\"0.0 0/2/1 2/2/2\"\n[103]\n");
    // Three replicas have a sample each, the last of them none; it is padded in training alone.
    const auto three = program.run_replicas(3, run);
    const std::string cut = "\"0.0 0/2/1 2/2/2 4/3/3\"\n", validation = "\"1.0 0/3/3\"\n";
    QCOMPARE(lines(three[0]), cut + "[104]\n[107]\n" + validation + "[3,[100]]\n[3,[103]]\n[3,[106]]\n");
    QCOMPARE(lines(three[1]), cut + "[105]\n[108]\n" + validation + "[3,[101]]\n[3,[104]]\n[3,[107]]\n");
    QCOMPARE(lines(three[2]), cut + "[106]\n[102]\n" + validation + "[3,[102]]\n[3,[105]]\n[3,[108]]\n");
  }

  // A pass that goes on as it was has no other cut, and the next one begins without those of this one.
  void aPassIsCutWhereSomethingChanges() {
    Program program;
    program.variables[protocol::variable::kTriggers] =
        R"(["step=1:stop","step=2:stop","step=3:stop","step=4:stop","epoch=1:stop"])";
    const auto cuts = [&](int replicas) {
      const auto ended = program.run_replicas(replicas, [] {
        AdaptiveDataLoaderHelper training(
            {.size = 12, .batch_size = 2, .order = [](int epoch, std::int64_t, const auto& all) {
               std::string text = std::to_string(epoch);
               for (const Cut& cut : all)
                 text += " " + std::to_string(cut.start) + "/" + std::to_string(cut.width) + "/" +
                         std::to_string(cut.replicas);
               Program::say(text);
               return Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
             }});
        for ([[maybe_unused]] const int epoch : remaining_epochs_until(2))
          for (auto loop = training.loop(); !loop.done(); loop.advance())
            metrics::commit_step({.gain = 1, .gradient = {1, 10}});
      });
      return ended.front().said.at(0).get<std::string>();
    };
    QCOMPARE(cuts(1), "0 0/2/1");
    QCOMPARE(cuts(2), "0 0/2/1 2/2/2");
    QCOMPARE(cuts(2), "0 0/2/1 2/2/2");
    QCOMPARE(cuts(3), "0 0/2/1 2/2/2 6/3/3");
    QCOMPARE(cuts(3), "0 0/2/1 2/2/2 6/3/3");
    QCOMPARE(cuts(2), "1 0/2/2");
  }

  // A single sample of them is used.
  void otherDataAreRefusedFromTheFirstSampleOn() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=1:stop"])";
    const auto over = [](std::int64_t size) {
      return [size] {
        AdaptiveDataLoaderHelper training({.size = size, .batch_size = 1});
        for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
          for (auto loop = training.loop(); !loop.done(); loop.advance())
            metrics::commit_step({.gain = 1, .gradient = {1, 10}});
      };
    };
    QCOMPARE(program.run(over(3)).code, kExitCheckpointed);
    VERIFY_HOLDS(lines(program.run(over(4))), "in the middle of a loop over 3 samples, the dataset is 4");
  }

  void whoHasNoSampleValidatesOneBatchLess() {
    const auto three = Program().run_replicas(3, [] { say_order(4, 3); });
    QCOMPARE(lines(three[0]), "\"0.0 0/3/3\"\n[100]\n[103]\n\"1.0 0/3/3\"\n[2,[100]]\n[2,[103]]\n");
    QCOMPARE(lines(three[1]), "\"0.0 0/3/3\"\n[101]\n[101]\n\"1.0 0/3/3\"\n[1,[101]]\n");
    QCOMPARE(lines(three[2]), "\"0.0 0/3/3\"\n[102]\n[102]\n\"1.0 0/3/3\"\n[1,[102]]\n");
  }

  // In training all replicas step together, and whoever has no sample has a batch of padding.
  void inTrainingAllHaveAsManyBatches() {
    for (const auto& replica : Program().run_replicas(3, [] {
           AdaptiveDataLoaderHelper training({.size = 4, .batch_size = 3});
           for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
             for (auto loop = training.loop(); !loop.done(); loop.advance()) {
               Program::say(loop.pass()->micro_batches());
               metrics::commit_step({.gain = 1, .gradient = {1, 10}});
             }
         }))
      QCOMPARE(lines(replica), "2\n2\n");
  }

  // Half of a pass's progress in a pass: two passes make an epoch.
  void eachPassOfAnEpochIsDrawnAnew() {
    const auto ended = Program().run([] {
      AdaptiveDataLoaderHelper training(
          {.size = 4, .batch_size = 2, .order = [](int epoch, std::int64_t pass, const auto&) {
             Program::say({epoch, pass});
             return Ids{0, 1, 2, 3};
           }});
      training.scale_by_replicas();
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(2))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          Program::say({training.current_index().value(), training.end_index().value(),
                        running_loop()->fraction(metrics::progress())});
          metrics::commit_step({.gain = 0.5, .gradient = {1, 10}});
        }
    });
    QCOMPARE(lines(ended),
             "[0,0]\n[0,4,0.0]\n[2,4,0.25]\n[0,1]\n[4,8,0.5]\n[6,8,0.75]\n"
             "[1,0]\n[0,4,0.0]\n[2,4,0.25]\n[1,1]\n[4,8,0.5]\n[6,8,0.75]\n");
  }

  void howMuchOfALoopIsDone() {
    const auto fraction = [](const RunningLoop& loop, double progress) { return loop.fraction(progress); };
    QCOMPARE(fraction({.dataset_size = 8, .position = 2}, 100), 0.25);
    QCOMPARE(fraction({.dataset_size = 1, .position = 1}, 0), 1.0);
    QCOMPARE(fraction({.dataset_size = 0, .position = 2}, 0), 0.0);  // of a stream nobody knows
    const RunningLoop by_progress{.dataset_size = 8, .position = 2, .progress_from = 10, .progress_to = 14};
    QCOMPARE(fraction(by_progress, 9), 0.0);
    QCOMPARE(fraction(by_progress, 11), 0.25);
    QCOMPARE(fraction(by_progress, 15), 1.0);
  }

  void aStreamIsNotTheDataOfAnotherSize() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=1:stop"])";
    const auto stream = [](std::int64_t, std::int64_t to) { return std::min<std::int64_t>(to, 10); };
    const auto over = [](const AdaptiveDataLoaderHelper::Options& options) {
      return [options] {
        AdaptiveDataLoaderHelper training(options);
        for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
          for (auto loop = training.loop(); !loop.done(); loop.advance()) {
            Program::say(loop.pass()->ids(loop.number()));
            metrics::commit_step({.gain = 1, .gradient = {1, 10}});
          }
      };
    };
    QCOMPARE(lines(program.run(over({.batch_size = 4, .stream = stream}))), "[0,1,2,3]\n");
    VERIFY_HOLDS(lines(program.run(over({.size = 10, .batch_size = 4}))),
                 "in the middle of a loop over a stream, the dataset is 10 samples now");
    const auto replicas = program.run_replicas(4, over({.batch_size = 4, .stream = stream}));
    QCOMPARE(lines(replicas[0]), "[4]\n[8]\n");
    QCOMPARE(lines(replicas[1]), "[5]\n[9]\n");
    for (const std::size_t padded : {2, 3})
      QCOMPARE(lines(replicas[padded]), "[" + std::to_string(4 + padded) + "]\n[8]\n");
  }

  // --- the log of samples ---

  void samplesAreLoggedWithTheirStep() {
    Program program;
    const std::string folder = program.path("samples");
    std::filesystem::create_directory(folder);
    program.variables[protocol::variable::kSampleLog] = folder;
    program.variables[protocol::variable::kTriggers] = R"(["step=2:stop"])";
    const auto run = [] {
      AdaptiveDataLoaderHelper training({.size = 7, .batch_size = 2, .drop_last = false}),
          validation({.size = 3, .batch_size = 2, .training = false});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
        for (auto loop = training.loop(); !loop.done(); loop.advance())
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
        for (auto loop = validation.loop(); !loop.done(); loop.advance()) {
        }
      }
    };
    program.run(run);
    program.run_replicas(2, run);
    const auto line = [](const char* ids, const char* loader, int step) {
      return "{\"epoch\":0,\"ids\":[" + std::string(ids) + "],\"loader\":\"" + loader +
             "\",\"pass\":0,\"step\":" + std::to_string(step) + "}\n";
    };
    QCOMPARE(testing::contents(folder + "/samples-g0-r0.jsonl"),
             line("0,1", "train-0", 1) + line("2,3", "train-0", 2));
    QCOMPARE(testing::contents(folder + "/samples-g1-r0.jsonl"),
             line("4", "train-0", 3) + line("6", "train-0", 4) + line("0", "validate-0", 4) +
                 line("2", "validate-0", 4));
    QCOMPARE(testing::contents(folder + "/samples-g1-r1.jsonl"),
             line("5", "train-0", 3) + line("1", "validate-0", 4));
    Program nowhere;
    nowhere.variables[protocol::variable::kSampleLog] = nowhere.path("nowhere");
    VERIFY_HOLDS(lines(nowhere.run(run)), "cannot write the sample log in " + nowhere.path("nowhere"));
  }

  // A step counts when it is made, and not when its batch is handed out; however the loop is left.
  void whatWasNotTrainedOnComesAgain_data() {
    QTest::addColumn<bool>("is_made");
    QTest::addColumn<QString>("samples");
    QTest::newRow("before the step") << false << "[100,101] [102,103] [102,103] [104,105] [106,107] ";
    QTest::newRow("behind the step") << true << "[100,101] [102,103] [104,105] [106,107] ";
  }
  void whatWasNotTrainedOnComesAgain() {
    QFETCH(bool, is_made);
    QFETCH(QString, samples);
    Program program;
    const auto ended = program.run([is_made] {
      const auto order = [](int, std::int64_t, const auto&) {
        return Ids{100, 101, 102, 103, 104, 105, 106, 107};
      };
      AdaptiveDataLoaderHelper training({.size = 8, .batch_size = 2, .order = order});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (const bool breaks : {true, false}) try {
            for (auto loop = training.loop(); !loop.done(); loop.advance()) {
              Program::say(loop.pass()->ids(loop.number()));
              const bool now = breaks && loop.number() == 1;
              if (now && !is_made) throw std::runtime_error("in between");
              metrics::commit_step({.gain = 1, .gradient = {1, 10}});
              if (now) throw std::runtime_error("in between");
            }
          } catch (const std::runtime_error&) {
          }
    });
    std::string all;
    for (const Json& line : ended.said) all += line.dump() + " ";
    QCOMPARE(QString::fromStdString(all), samples);
    const auto ledger = program.newest().ledger;
    std::int64_t next = 0;
    for (const auto& [generation, entry] : ledger) {
      QCOMPARE(entry.from, next);
      next = entry.to;
    }
    QCOMPARE(next, 8);
  }

  // A step that an exception breaks off was not made: its samples are not logged, and come again.
  void whatABrokenStepUsedIsNotLogged() {
    Program program;
    program.variables[protocol::variable::kSampleLog] = program.path("");
    program.run([] {
      AdaptiveDataLoaderHelper training({.size = 8, .batch_size = 2});
      training.scale_by_replicas(2, false);
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (const bool breaks : {true, false}) try {
            for (auto loop = training.loop(); !loop.done(); loop.advance()) {
              Program::say(loop.pass()->ids(loop.number()));
              if (breaks && loop.number() == 2) throw std::runtime_error("in between");
              if (step_context().optimizer_step)
                metrics::commit_step({.gain = 1, .gradient = {1, 10}});
              else
                metrics::end_micro_step();
            }
          } catch (const std::runtime_error&) {
          }
    });
    std::string ids;
    for (const int first : {0, 2, 4, 6})
      ids += "{\"epoch\":0,\"ids\":[" + std::to_string(first) + "," + std::to_string(first + 1) +
             "],\"loader\":\"train-0\",\"pass\":0,\"step\":" + (first < 4 ? "1" : "2") + "}\n";
    QCOMPARE(testing::contents(program.path("samples-g0-r0.jsonl")), ids);
  }
};

BATCHSCOPE_TEST(TestReplay)
#include "test_replay.moc"
