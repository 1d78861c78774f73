// SPDX-License-Identifier: Apache-2.0
//
// A supervisor's account of what the one before it left: generations, checkpoints and their ledger.
#include "record/predecessor.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "recorded_run.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

class TestPredecessor : public RecordedTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }

  void theNextGenerationIsBeyondAllThatLeftSomething() {
    const auto next = [&](const std::vector<int>& numbers) {
      std::vector<storage::Generation> generations;
      for (const int number : numbers) generations.emplace_back().number = number;
      return next_generation(generations, paths());
    };
    QCOMPARE(next({}), 0);
    QCOMPARE(next({0}), 1);
    QCOMPARE(next({4, 2}), 5);
    std::filesystem::create_directories(paths().logs);
    std::ofstream(paths().log_file(6, 1)) << "its supervisor died";
    std::ofstream(paths().logs / "fork-server.log") << "";
    QCOMPARE(next({4, 2}), 7);
    QCOMPARE(next({9}), 10);
  }

  void runTimeIsThatOfTheGenerations() {
    std::vector<storage::Generation> generations(3);
    generations[0].started = 100;
    generations[0].ended = 130;
    generations[1].started = 200;  // has not ended
    generations[2].started = 300;
    generations[2].ended = 312.5;
    QCOMPARE(time_in_generations(generations), 42.5);
    QCOMPARE(time_in_generations({}), 0.0);
  }

  // As late as its series go, and no earlier than it began.
  void aGenerationThatWasCutOffEndsWithItsLastStep() {
    for (const int number : {0, 1, 2}) {
      storage::Generation begun;
      begun.number = number;
      begun.started = 1e9 + 100 * number;
      if (number == 1) begun.ended = 1e9 + 150, begun.last_step = 4, begun.outcome = "finished";
      if (number == 2) begun.last_step = 9;
      catalogue().put_generation(id(), begun);
    }
    recorder().measured(6, {{"time", 1e9 + 50}});
    recorder().measured(7, {{"time", 1e9 + 60}});
    recorder().begin_generation(2);
    recorder().measured(8, {{"time", 1e9 + 190}});
    recorder().commit();
    catalogue().set_progress(id(), 8, 0, 0, 0, {});  // of which the first generation has no series
    reconcile(catalogue(), *catalogue().run(id()), paths());
    const auto generations = catalogue().generations(id());
    QCOMPARE(generations.at(0).ended, 1e9 + 60);
    QCOMPARE(generations.at(0).last_step, 7);
    QCOMPARE(generations.at(0).outcome, "interrupted");
    QCOMPARE(generations.at(1).ended, 1e9 + 150);
    QCOMPARE(generations.at(1).outcome, "finished");
    QCOMPARE(generations.at(2).ended, 1e9 + 200);
    QCOMPARE(generations.at(2).last_step, 9);
  }

  // A store of before holds one: the generation ended when it began, for all that is known.
  void aTimeOfASeriesThatIsNoneEndsNoGeneration() {
    storage::Generation begun;
    begun.started = 1e9;
    catalogue().put_generation(id(), begun);
    recorder().measured(1, {{"time", 1e18}});
    recorder().commit();
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QCOMPARE(catalogue().generations(id()).at(0).ended, 1e9);
  }

  void aCheckpointThatNobodyToldOfIsListedAsItIs() {
    protocol::Manifest manifest;
    manifest.step = 40;
    manifest.epoch = 2;
    manifest.progress = 3.5;
    manifest.reason = "manual";
    manifest.generation = 0;
    manifest.files = {{"model", 30, 0}, {"optimizer", 47, 0}};
    const auto directory = paths().checkpoints / "checkpoint-000001";
    std::filesystem::create_directory(directory);
    protocol::write_manifest(directory, manifest);
    const timespec times[] = {{1'000'000'000, 0}, {1'000'000'000, 500'000'000}};
    QCOMPARE(utimensat(AT_FDCWD, directory.c_str(), times, 0), 0);
    recorder().adopt_checkpoints();
    recorder().flush();
    const storage::Checkpoint found = catalogue().checkpoints(id()).at(0);
    QCOMPARE(found.name, "checkpoint-000001");
    QCOMPARE(found.generation, 0);
    QCOMPARE(found.step, 40);
    QCOMPARE(found.epoch, 2);
    QCOMPARE(found.progress, 3.5);
    QCOMPARE(found.time, 1e9 + 0.5);
    QCOMPARE(found.seconds, 0.0);
    QCOMPARE(found.bytes, 77);
    QCOMPARE(found.reason, "manual");
    // A row is left as it is, where it is of this one and not of another of its name.
    storage::Checkpoint told = found;
    told.seconds = 1.5;
    const auto adopted = [&](const std::function<void(storage::Checkpoint&)>& change) {
      storage::Checkpoint listed = told;
      change(listed);
      catalogue().put_checkpoint(id(), listed);
      recorder().adopt_checkpoints();
      recorder().flush();
      return catalogue().checkpoints(id()).at(0).seconds == 0;
    };
    QVERIFY(!adopted([](auto&) {}));
    QVERIFY(adopted([](auto& listed) { listed.step = 41; }));
    QVERIFY(adopted([](auto& listed) { listed.epoch = 3; }));
    QVERIFY(adopted([](auto& listed) { listed.reason = "exit"; }));
    QVERIFY(adopted([](auto& listed) { listed.bytes = 78; }));
    QVERIFY(adopted([](auto& listed) { listed.generation = 1; }));
  }

  // The launch sees that, and may be able to say more.
  void whereAllCheckpointsAreGoneTheyStayListed() {
    storage::Checkpoint gone;
    gone.name = "checkpoint-000003";
    catalogue().put_checkpoint(id(), gone);
    recorder().take(trained(0, 10));
    recorder().flush();
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QCOMPARE(catalogue().checkpoints(id()).size(), 1u);
    QCOMPARE(catalogue().ledger(id()).size(), 1u);
    write_checkpoint(paths(), 4, {{0, trained(0, 5)}});
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QCOMPARE(catalogue().checkpoints(id()).size(), 1u);
    QCOMPARE(catalogue().checkpoints(id()).at(0).name, "checkpoint-000004");
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 5)}}));
  }

  void aCheckpointThatCannotBeReadIsPassedOver() {
    write_checkpoint(paths(), 1, {{0, trained(0, 5)}});
    write_checkpoint(paths(), 2, {{0, trained(0, 10)}});
    write_checkpoint(paths(), 3, {{0, trained(0, 15)}});
    std::ofstream(paths().checkpoints / "checkpoint-000003" / "manifest.json") << "{";
    recorder().take(trained(0, 20));
    recorder().flush();
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 10)}}));
    QCOMPARE(catalogue().checkpoints(id()).size(), 2u);
  }

  void checkpointsThatNobodyToldOfAreListedInTheirOrder() {
    for (const int number : {0, 1, 2}) write_checkpoint(paths(), number, {{3, trained(0, 10 * number + 10)}});
    recorder().begin_generation(3);
    recorder().adopt_checkpoints();
    recorder().flush();
    QCOMPARE(catalogue().checkpoints(id()).size(), 3u);
    QCOMPARE(catalogue().ledger(id()).back().entry.to, 30);
    recorder().restored("checkpoint-000001");
    recorder().flush();
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{3, trained(0, 20)}}));
  }

  // Removing the newest leaves its name to the next one, which is another checkpoint.
  void aNameThatIsUsedAgainIsListedAnew() {
    write_checkpoint(paths(), 0, {{0, trained(0, 10)}});
    write_checkpoint(paths(), 1, {{0, trained(0, 20)}});
    recorder().adopt_checkpoints();
    recorder().flush();
    std::filesystem::remove_all(paths().checkpoints / "checkpoint-000001");
    write_checkpoint(paths(), 1, {{0, trained(0, 50)}});
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QCOMPARE(catalogue().checkpoints(id()).size(), 2u);
    for (const auto& checkpoint : catalogue().checkpoints(id()))
      QCOMPARE(checkpoint.step, checkpoint.name == "checkpoint-000000" ? 10 : 50);
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 50)}}));
  }

  // The catalogue could not be written for a while, checkpoints went their way, and the supervisor was killed
  // with all that it knew; what it had told of a time that was undone is in the catalogue().
  void oneCheckpointKnowsTheWholeLedger() {
    catalogue().put_generation(id(), {});
    for (const std::int64_t from : {0, 10, 20}) recorder().take(trained(from, from + 10));
    recorder().flush();
    const protocol::Ledger whole{{0, trained(0, 20)}, {1, trained(20, 40)}, {3, trained(40, 70)}};
    write_checkpoint(paths(), 8, whole);
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QVERIFY(catalogue().ledger(id()) == whole);
    QCOMPARE(catalogue().checkpoints(id()).at(0).generation, 3);
  }

  // A generation's record beyond its last checkpoint lasts where it ended in order; what is missing of the
  // time before is in the checkpoint.
  void whatTheCatalogueMissedIsMadeGood() {
    recorder().take(trained(0, 10));
    recorder().take(trained(30, 40));
    recorder().flush();
    write_checkpoint(paths(), 2, {{0, trained(0, 30)}});
    recorder().adopt_checkpoints();
    recorder().flush();
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 30)}, {0, trained(30, 40)}}));
  }

  // A validation that is repeated within an epoch is the same stretch of the same pass.
  void whatIsValidatedAgainCountsAgain() {
    const auto validated = [](std::int64_t step) {
      return protocol::LedgerEntry{"validate-0", 0, 0, 0, 10, 0, 10, step};
    };
    const protocol::Ledger until{{0, trained(0, 10)}, {0, validated(10)}, {0, validated(20)}};
    for (const auto& [generation, entry] : until) recorder().take(entry);
    recorder().take(trained(10, 30));
    recorder().take(validated(30));
    recorder().flush();
    write_checkpoint(paths(), 2, until);
    recorder().adopt_checkpoints();
    recorder().flush();
    QCOMPARE(catalogue().ledger(id()).size(), 5u);
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QVERIFY(catalogue().ledger(id()) == until);
  }

  // The ledger of a checkpoint that is there for a person to look at is not what lasted.
  void aCheckpointOfAnotherTimeIsNotTakenIn() {
    write_checkpoint(paths(), 1, {{0, trained(0, 10)}});
    write_checkpoint(paths(), 2, {{0, trained(0, 20)}});  // that could not be loaded
    recorder().begin_generation(1);
    recorder().restored("checkpoint-000001");
    recorder().take(trained(10, 15));
    recorder().adopt_checkpoints();
    recorder().flush();
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 10)}, {1, trained(10, 15)}}));
    QCOMPARE(catalogue().checkpoints(id()).size(), 2u);
  }

  // The run's checkpoints held what came since the one before, and the catalogue the rest.
  void aRunOfVersion1GoesOn() {
    catalogue().put_generation(id(), {});
    for (const std::int64_t from : {0, 10, 20}) recorder().take(trained(from, from + 10));
    recorder().flush();
    const protocol::LedgerEntry last = trained(10, 20);
    const auto old = paths().checkpoints / "checkpoint-000001";
    std::filesystem::create_directory(old);
    std::ofstream(old / "manifest.json")
        << protocol::Json{{"version", 1},
                          {"step", 20},
                          {"epoch", 0},
                          {"progress", 1},
                          {"num_replicas", 1},
                          {"reason", "exit"},
                          {"files", {{{"name", "model"}, {"bytes", 0}, {"crc32", 0}}}},
                          {"ledger", {protocol::Json::parse(protocol::encode(last))}}};
    recorder().begin_generation(1);
    recorder().restored("checkpoint-000001");
    recorder().flush();
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 10)}, {0, trained(10, 20)}}));
    // The first of the new version says as much as it can.
    recorder().take(trained(20, 25));
    recorder().flush();
    write_checkpoint(paths(), 2, {{-1, last}, {1, trained(20, 28)}}, 20);
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QVERIFY((catalogue().ledger(id()) ==
             protocol::Ledger{{0, trained(0, 10)}, {0, trained(10, 20)}, {1, trained(20, 28)}}));
  }

  // The stretches of a validation that ended at the same step as the checkpoint are told apart.
  void theLedgerGoesBackToTheCheckpointThatIsUsed() {
    const protocol::LedgerEntry trained{"train-0", 0, 0, 0, 20, 0, 20, 20},
        validated{"validate-0", 0, 0, 0, 5, 0, 10, 20}, later{"validate-0", 0, 0, 5, 10, 0, 10, 20};
    write_checkpoint(paths(), 0, {{0, trained}, {0, validated}});
    for (const auto& entry : {trained, validated, later}) recorder().take(entry);
    recorder().flush();
    recorder().restored("checkpoint-000000");
    recorder().flush();
    QCOMPARE(catalogue().ledger(id()).size(), 2u);
    QCOMPARE(catalogue().ledger(id())[1].entry, validated);
    recorder().restored({});
    recorder().flush();
    QVERIFY(catalogue().ledger(id()).empty());
  }
};

BATCHSCOPE_TEST(TestPredecessor)
#include "test_predecessor.moc"
