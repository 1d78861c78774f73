// SPDX-License-Identifier: Apache-2.0
//
// Sums of numbers, of vectors and of types of a program's own: what is added and taken, what all replicas
// have together, and whose it is after a restart.
#include <string>
#include <vector>

#include "adapt/metrics.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/epoch.h"
#include "generations.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Program;

namespace {

// Words that are added by putting one behind the other; of these none is taken.
struct Words {
  std::string text;
  Words& operator+=(const Words& other) {
    text += other.text;
    return *this;
  }
  Words& operator-=(const Words& other) {
    text.erase(text.rfind(other.text));
    return *this;
  }
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Words, text)
};

}  // namespace

class TestAccumulator : public QObject {
  Q_OBJECT

  using Json = protocol::Json;

  static std::string lines(const Program::Ended& ended) {
    std::string text;
    for (const Json& line : ended.said) text += line.dump() + " ";
    return text;
  }

 private Q_SLOTS:
  void numbersAreAddedAndTaken() {
    const auto ended = Program().run([] {
      Accumulator sums({{"a", 1}, {"b", 2}});
      sums["a"] += 4;
      sums.update({{"b", 3}, {"c", 10}});
      sums.subtract({{"c", 4}, {"d", 0.5}});
      Program::say(sums.synchronized());
      sums += {{"a", 1}};
      sums -= {{"b", 1}};
      Program::say(sums.synchronized());
      sums.synchronized([](auto& all) {
        all.erase("c");
        all["a"] *= 2;
      });
      Program::say(sums.synchronized());
      sums.clear();
      Program::say(sums.synchronized().size());
      Program::say(sums["a"]);
    });
    QCOMPARE(lines(ended), R"({"a":5.0,"b":5.0,"c":6.0,"d":-0.5} {"a":6.0,"b":4.0,"c":6.0,"d":-0.5} )"
                           R"({"a":12.0,"b":4.0,"d":-0.5} 0 0.0 )");
  }

  // Entry by entry, as long as the longer one.
  void vectorsAreAddedEntryByEntry() {
    const auto ended = Program().run([] {
      Accumulator<std::vector<double>> sums;
      sums.update({{"a", {1, 2}}});
      sums.update({{"a", {10, 20, 30}}});
      sums.subtract({{"a", {1}}, {"b", {5, 6}}});
      sums.subtract({{"b", {1, 1, 1}}});
      Program::say(sums.synchronized());
    });
    QCOMPARE(lines(ended), R"({"a":[10.0,22.0,30.0],"b":[-6.0,-7.0,-1.0]} )");
  }

  void anythingIsAddedThatCanBe() {
    const auto ended = Program().run([] {
      Accumulator<Words> words;
      words.update({{"a", {"one "}}});
      words.update({{"a", {"two "}}});
      words.update({{"a", {"three "}}});
      words.subtract({{"a", {"two three "}}});
      Program::say(words.synchronized().at("a").text);
    });
    QCOMPARE(lines(ended), "\"one \" ");
  }

  // In the order of the ranks. What a program begins with is there once.
  void allReplicasHaveTheSame() {
    const auto replicas = Program().run_replicas(3, [] {
      Accumulator<Words> words(Accumulator<Words>::Sums{{"a", {"begun "}}});
      words.update({{"a", {std::to_string(replica_rank()) + " "}}, {"b", {"x"}}});
      Program::say(words.synchronized());
      words.synchronized([](auto& all) { all["a"].text += "changed "; });
      words.update({{"a", {std::to_string(replica_rank()) + " "}}});
      Program::say(words.synchronized());
      Program::say(words["a"].text);
    });
    for (std::size_t rank = 0; rank < 3; ++rank)
      QCOMPARE(lines(replicas[rank]), R"({"a":{"text":"begun 0 1 2 "},"b":{"text":"xxx"}} )"
                                      R"({"a":{"text":"begun 0 1 2 changed 0 1 2 "},"b":{"text":"xxx"}} )" +
                                          (rank == 0 ? std::string(R"("begun 0 1 2 changed 0 " )")
                                                     : "\"" + std::to_string(rank) + " \" "));
  }

  // Each replica's share is its own again where as many begin; else rank 0 has all.
  void sharesAreKeptAsFarAsCanBe() {
    Program program;
    const auto share = [] {
      Accumulator<std::int64_t> outside, other;
      Program::say(outside["sum"]);
    };
    program.run_replicas(2, [] {
      Accumulator<std::int64_t> outside({{"sum", 100}}), other;
      outside["sum"] += replica_rank() + 1;
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(2)) {
        Accumulator<std::int64_t> inside, another;
        if (epoch == 1) checkpoint::save_all_states("manual");
      }
    });
    std::string names;
    const auto checkpoints = protocol::list_checkpoints(program.path("checkpoints"));
    for (const auto& file : protocol::read_manifest(checkpoints.at(1)).files)
      if (file.name.starts_with("accumulator")) names += file.name + " ";
    QCOMPARE(names, "accumulator-0 accumulator-1 accumulator-epoch1-0 accumulator-epoch1-1 ");
    for (const int replicas : {2, 3, 1}) {
      const auto ended = program.run_replicas(replicas, share);
      QCOMPARE(lines(ended[0]), replicas == 2 ? "101 " : "103 ");
      for (std::size_t rank = 1; rank < ended.size(); ++rank)
        QCOMPARE(lines(ended[rank]), replicas == 2 ? "2 " : "0 ");
    }
  }

  // Nothing is summed up a second time in it.
  void whatAnEpochPassedIsReplayedInIt() {
    const auto ended = Program().run([] {
      Accumulator<std::int64_t> sums;
      for (const int breaks : {1, 2, 0}) try {
          for (const int epoch : remaining_epochs_until(2)) {
            if (epoch == 0) sums["a"] += 1;
            Program::say(sums.synchronized()["a"]);
            if (epoch == 0 && breaks == 1) throw std::runtime_error("in between");
            sums["a"] += 10;
            Program::say(sums.synchronized()["a"]);
            sums.clear();
            if (epoch == 1 && breaks == 2) throw std::runtime_error("in between");
            sums["a"] += 100;
            Program::say(sums.synchronized()["a"]);
          }
        } catch (const std::runtime_error&) {
        }
    });
    // The first epoch up to the exception; again, and to its end; the second; and that again.
    QCOMPARE(lines(ended), "1 1 11 100 100 110 100 110 100 ");
  }

  // Sums that a program empties before it trains are not emptied once more where training goes on.
  void aClearBeforeTheEpochsIsMadeOnce() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=2:stop"])";
    const auto train = [] {
      AdaptiveDataLoaderHelper training({.size = 8, .batch_size = 2});
      Accumulator<std::int64_t> sums;
      sums.clear();
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          sums["seen"] += loop.pass()->count(loop.number());
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
        }
        Program::say(sums.synchronized());
      }
    };
    QCOMPARE(program.run(train).code, kExitCheckpointed);
    QCOMPARE(lines(program.run(train)), R"({"seen":8} )");
  }

  // Sums before, between and behind the epochs count once, wherever the program was stopped.
  void whatIsSummedOutsideOfEpochsCountsOnce_data() {
    QTest::addColumn<int>("step");
    for (const int step : {1, 4, 5, 8}) QTest::addRow("%d", step) << step;  // two an epoch
  }
  void whatIsSummedOutsideOfEpochsCountsOnce() {
    QFETCH(const int, step);
    const auto train = [] {
      AdaptiveDataLoaderHelper training({.size = 4, .batch_size = 2});
      Accumulator<std::int64_t> sums;
      AdaptiveDataLoaderHelper validation({.size = 3, .batch_size = 3, .training = false});
      const auto pass = [&](const char* name) {
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          sums[name] += loop.pass()->count(loop.number());
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
        }
      };
      sums["before"] += 1;
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(2)) pass("first");
      sums["between"] += 1;
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(4)) pass("second");
      sums["behind"] += 1;
      for (auto loop = validation.loop(); !loop.done(); loop.advance())
        sums["last"] += loop.pass()->count(loop.number());
      sums["at the end"] += 1;
      Program::say(sums.synchronized());
    };
    Program program;
    program.variables[protocol::variable::kTriggers] = "[\"step=" + std::to_string(step) + ":stop\"]";
    QCOMPARE(program.run(train).code, kExitCheckpointed);
    QCOMPARE(lines(program.run(train)),
             R"({"at the end":1,"before":1,"behind":1,"between":1,"first":8,"last":3,"second":8} )");
  }

  // An epoch that an exception ended is entered again, and what it makes is what it made before.
  void anEpochThatIsEnteredAgainGoesOn() {
    Program program;
    program.run([] {
      finished_epochs();
      for (const bool breaks : {true, false}) try {
          for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
            Accumulator<std::int64_t> sums;
            AdaptiveDataLoaderHelper validation({.size = 2, .training = false});
            if (breaks) throw std::runtime_error("in between");
            checkpoint::save_all_states("manual");
          }
        } catch (const std::runtime_error&) {
        }
    });
    std::string names;
    for (const auto& directory : protocol::list_checkpoints(program.path("checkpoints")))
      for (const auto& file : protocol::read_manifest(directory).files)
        if (file.name.find("-epoch") != std::string::npos) names += file.name + " ";
    QCOMPARE(names, "accumulator-epoch0-0 loader-validate-epoch0-0 ");
  }
};

BATCHSCOPE_TEST(TestAccumulator)
#include "test_accumulator.moc"
