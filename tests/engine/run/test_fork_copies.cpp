// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint of one run as the beginning of another one: which it is, that it is good, and what the other
// run takes over with it.
#include "batchscope/protocol/branch.h"
#include "batchscope/run/fork.h"
#include "client/fork.h"
#include "rows.h"
#include "stored_runs.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestForkCopies : public QObject {
  Q_OBJECT

  std::unique_ptr<StoredRuns> runs_;
  std::string id_;

  std::string found(const std::string& text) const { return find_checkpoint(id_, text).filename().string(); }

 private Q_SLOTS:
  void init() {
    runs_ = std::make_unique<StoredRuns>();
    id_ = runs_->add(runs_->spec());
  }

  void itIsSaidByItsNameOrItsNumber() {
    for (const int number : {0, 3, 12}) StoredRuns::write_checkpoint(id_, number, number + 1);
    QCOMPARE(found("checkpoint-000003"), "checkpoint-000003");
    QCOMPARE(found("3"), "checkpoint-000003");
    QCOMPARE(found("0"), "checkpoint-000000");
    QCOMPARE(found(""), "checkpoint-000012");
  }

  void whatIsNotThereIsToldWithWhatIs() {
    VERIFY_THROWS("not_found", "has no good checkpoint", find_checkpoint(id_, ""));
    VERIFY_THROWS("not_found", "has no checkpoint \"3\"; there are none", find_checkpoint(id_, "3"));
    for (const int number : {3, 12}) StoredRuns::write_checkpoint(id_, number, 40);
    for (const std::string text : {"4", "-3", "3x", "x3", "checkpoint-3", "../checkpoints/checkpoint-000003"})
      VERIFY_THROWS("not_found",
                    "has no checkpoint \"" + text + "\"; there are checkpoint-000012, checkpoint-000003",
                    find_checkpoint(id_, text));
  }

  // A copy would get a checksum of its own, by which the damage is good.
  void aDamagedOneIsNeverCopied_data() {
    testing::rows("content", {"the stale", "the", "the state and more"});
  }
  void aDamagedOneIsNeverCopied() {
    QFETCH(QString, content);
    StoredRuns::write_checkpoint(id_, 2, 30);
    const fs::path damaged = StoredRuns::write_checkpoint(id_, 3, 40);
    testing::write_file(damaged / "model", content.toStdString());
    QCOMPARE(found(""), "checkpoint-000002");
    VERIFY_THROWS("corrupt", "checkpoint-000003/model", find_checkpoint(id_, "3"));
    const fs::path copies = runs_->path("copies");
    VERIFY_THROWS("corrupt", "checkpoint-000003/model", copy_checkpoint(id_, "checkpoint-000003", copies));
    QVERIFY(!fs::exists(copies));
    VERIFY_THROWS("corrupt", "checkpoint-000003/model",
                  fork_run(runs_->catalogue(), id_, {.checkpoint = "3", .name = "fork", .arguments = {}}));
    QCOMPARE(runs_->catalogue().runs().size(), 1u);
  }

  // The samples before it were another run's.
  void theCopyIsTheStateAlone() {
    const fs::path original = StoredRuns::write_checkpoint(id_, 3, 40);
    const std::string before = testing::contents(original / "manifest.json");
    const LaidCheckpoint laid = copy_checkpoint(id_, "3", runs_->path("copies"));
    QCOMPARE(laid.name, "checkpoint-000003");
    QCOMPARE(laid.step, 40);
    const protocol::Manifest copy = protocol::verify_checkpoint(runs_->path("copies") / laid.name);
    QCOMPARE(copy.step, 40);
    QCOMPARE(copy.generation, -1);
    QVERIFY(copy.ledger.empty());
    QVERIFY(!copy.pinned);
    QCOMPARE(testing::contents(runs_->path("copies") / laid.name / "model"), "the state");
    QCOMPARE(testing::contents(original / "manifest.json"), before);
  }

  // Where a run goes on without its samples it says from where; the copy has none anyway.
  void theCopyCountsNoSamplesOfTheOther() {
    const fs::path folder = protocol::run_paths(id_).checkpoints / protocol::checkpoint_name(4);
    protocol::Manifest manifest;
    manifest.step = 40;
    manifest.ledger_from = 30;
    manifest.pinned = true;
    protocol::write_checkpoint(folder, manifest, [&](const fs::path& partial) {
      testing::write_file(partial / "model", "the state");
      manifest.files = {{"model", 9, protocol::file_crc32(partial / "model")}};
    });
    QCOMPARE(protocol::verify_checkpoint(folder).ledger_from, 30);
    const LaidCheckpoint laid = copy_checkpoint(id_, "4", runs_->path("deep") / "copies");
    const protocol::Manifest copy = protocol::verify_checkpoint(runs_->path("deep") / "copies" / laid.name);
    QCOMPARE(copy.ledger_from, 0);
    QVERIFY(!copy.pinned);
  }

  void aRunThatHasNotBegunGetsItLaid() {
    StoredRuns::write_checkpoint(id_, 3, 40);
    const std::string to = runs_->catalogue().create_run(runs_->spec());
    QCOMPARE(lay_checkpoint(id_, "", to), 40);
    QCOMPARE(protocol::verify_checkpoint(protocol::run_paths(to).checkpoints / "checkpoint-000003").step, 40);
    // In folders that nobody else reads.
    for (const fs::path& folder : {protocol::run_paths(to).root, protocol::run_paths(to).checkpoints})
      QVERIFY(fs::status(folder).permissions() == fs::perms::owner_all);
  }

  // Events of a script were meant for the other run. The supervisor that would train it ends at once here.
  void aForkIsTheOtherRunButForItsBeginning() {
    protocol::RunSpec spec = runs_->spec();
    spec.arguments = {"--epochs", "5"};
    spec.triggers = {protocol::Trigger::parse("step=90:stop")};
    spec.environment = {{"DATA", "/data"}, {protocol::variable::kBranch, "{}"}};
    const std::string origin = runs_->add(spec);
    storage::Generation generation;
    for (const int replicas : {1, 2}) {
      generation.number = replicas;
      generation.replicas = replicas;
      runs_->catalogue().put_generation(origin, generation);
    }
    StoredRuns::write_checkpoint(origin, 3, 40);
    VERIFY_THROWS("timeout", "ended at once", fork_run(runs_->catalogue(), origin));
    const storage::Run fork = runs_->catalogue().resolve("digits fork");
    QCOMPARE(fork.spec.replicas, 2);
    QCOMPARE(fork.spec.arguments, spec.arguments);
    QVERIFY(fork.spec.triggers.empty());
    QVERIFY((fork.spec.environment == std::map<std::string, std::string>{{"DATA", "/data"}}));
    QCOMPARE(fork.state, protocol::RunState::failed);
    QVERIFY(
        protocol::verify_checkpoint(protocol::run_paths(fork.id).checkpoints / "checkpoint-000003").pinned);
    const auto events = runs_->catalogue().events(fork.id);
    QCOMPARE(events.front().text, "Forked from digits (" + origin + "), checkpoint-000003 after step 40.");
    QCOMPARE(events.front().generation, 0);
    QCOMPARE(events.front().step, 40);
    QCOMPARE(runs_->catalogue().run(origin)->spec.triggers.size(), 1u);
  }

  void whatAPersonSaysOfAForkIsDone() {
    StoredRuns::write_checkpoint(id_, 3, 40);
    VERIFY_THROWS(
        "timeout", "ended at once",
        fork_run(runs_->catalogue(), id_,
                 {.checkpoint = "3", .name = "other", .replicas = 3, .arguments = {{"--epochs", "6"}}}));
    VERIFY_THROWS("timeout", "ended at once",
                  fork_run(runs_->catalogue(), runs_->catalogue().resolve("other").id,
                           {.checkpoint = "", .name = "single", .replicas = 1, .arguments = {}}));
    QCOMPARE(runs_->catalogue().resolve("single").spec.replicas, 1);
    const storage::Run fork = runs_->catalogue().resolve("other");
    QCOMPARE(fork.spec.replicas, 3);
    QCOMPARE(fork.spec.arguments, (std::vector<std::string>{"--epochs", "6"}));
  }
};

BATCHSCOPE_TEST(TestForkCopies)
#include "test_fork_copies.moc"
