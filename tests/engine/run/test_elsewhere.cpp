// SPDX-License-Identifier: Apache-2.0
//
// Runs that train elsewhere and are only followed here: whatever would train or control them here says where
// that is done. And requests as the words of a command.
#include <sqlite3.h>

#include <memory>

#include "batchscope/run/branch.h"
#include "batchscope/run/client.h"
#include "batchscope/run/command.h"
#include "batchscope/run/fork.h"
#include "batchscope/run/noise.h"
#include "batchscope/run/supervisor.h"
#include "batchscope/storage/origins.h"
#include "stored_runs.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::Request;
using Command = Request::Command;

class TestElsewhere : public QObject {
  Q_OBJECT

  std::unique_ptr<StoredRuns> runs_;

  // A run with a checkpoint, which was taken from another machine.
  std::string taken(bool followed) const {
    const std::string id = runs_->add(runs_->spec());
    StoredRuns::write_checkpoint(id, 3, 40, "loader-train");
    const std::vector<storage::RecordPart> parts{{.record = runs_->catalogue().record(id)}};
    runs_->catalogue().remove_run(id);
    storage::Origins(protocol::catalogue_path())
        .take(id, {.host = "cluster", .folder = "/scratch/" + id, .followed = followed}, parts);
    return id;
  }

 private Q_SLOTS:
  void init() { runs_ = std::make_unique<StoredRuns>(); }

  void aRunThatIsFollowedIsNeitherResumedNorControlled() {
    const std::string id = taken(true),
                      there = "conflict: run " + id +
                              " does not train on this machine, but on cluster, in /scratch/" + id +
                              ": do this there; batchscope follow cluster:/scratch/" + id +
                              " keeps this store up to date with it";
    QCOMPARE(testing::thrown_by([&] { request(id, {}, 10); }), there);
    QCOMPARE(testing::thrown_by([&] { resume_run(runs_->catalogue(), id); }), there);
    std::string answer;
    ControlClient client(id);
    client.send({},
                [&](const protocol::Json*, const Error* error) { answer = error ? error->what() : "done"; });
    QCOMPARE("conflict: " + answer, there);
    QCOMPARE(runs_->called(), "");
  }

  // The checkpoints of the followed run are there.
  void aRunThatIsFollowedIsNotForked() {
    const std::string id = taken(true);
    const std::string refusal = "conflict: run " + id +
                                " is only followed here, and its checkpoints are in cluster:/scratch/" + id +
                                ". To fork it, wait until it has ended, then call `batchscope import "
                                "--run-folder` with that folder on "
                                "a machine that sees the folder";
    QCOMPARE(testing::thrown_by([&] { fork_run(runs_->catalogue(), id); }), refusal);
    BranchOptions branches;
    branches.batch_sizes = {16, 32};
    branches.samples = 1024;
    QCOMPARE(testing::thrown_by([&] { branch_specs(runs_->catalogue(), id, branches); }), refusal);
    for (const auto& nobody :
         {testing::thrown_by([&] { fork_run(runs_->catalogue(), "aaaaaaaa"); }),
          testing::thrown_by([&] { branch_specs(runs_->catalogue(), "aaaaaaaa", branches); })})
      QCOMPARE(nobody, "not_found: there is no run aaaaaaaa");
  }

  // Nobody knows what it was.
  void aRunThatIsDamagedIsLeftAlone() {
    const std::string id = runs_->add(runs_->spec());
    StoredRuns::write_checkpoint(id, 3, 40, "loader-train");
    sqlite3* other = nullptr;
    QCOMPARE(sqlite3_open(protocol::catalogue_path().c_str(), &other), SQLITE_OK);
    QCOMPARE(sqlite3_exec(other, "UPDATE run SET spec = '{'", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    BranchOptions branches;
    branches.batch_sizes = {16, 32};
    branches.samples = 1024;
    const std::string refusal =
        testing::thrown_by([&] { storage::require_sound(*runs_->catalogue().run(id)); });
    QVERIFY2(refusal.starts_with("corrupt: "), refusal.c_str());
    QCOMPARE(testing::thrown_by([&] { resume_run(runs_->catalogue(), id); }), refusal);
    QCOMPARE(testing::thrown_by([&] { fork_run(runs_->catalogue(), id); }), refusal);
    QCOMPARE(testing::thrown_by([&] { branch_specs(runs_->catalogue(), id, branches); }), refusal);
    QCOMPARE(testing::thrown_by([&] { measure_noise(runs_->catalogue(), id, {}); }), refusal);
    QCOMPARE(testing::thrown_by([&] { supervise(id, 0, {}); }), refusal);
    QCOMPARE(runs_->called(), "");
  }

  // This store may go on with it.
  void aRunThatWasTakenInIsOneLikeAnyOther() {
    const std::string id = taken(false);
    QCOMPARE(testing::thrown_by([&] { request(id, {}, 10); }),
             "not_found: run " + id + " has no supervisor; resume it with: batchscope resume " + id);
    VERIFY_THROWS("timeout", "ended at once", resume_run(runs_->catalogue(), id));
    QCOMPARE(runs_->called(), "supervise " + id + "\n");
  }

  void aRequestIsACommand() {
    const auto words = [](Command command, std::optional<int> replicas = {},
                          std::optional<protocol::AutoReplicas> range = {}) {
      Request request;
      request.command = command;
      request.replicas = replicas;
      request.auto_replicas = range;
      QStringList all;
      for (const std::string& word : command_words("aaaaaaaa", request)) all << QString::fromStdString(word);
      return all.join(' ');
    };
    QCOMPARE(words(Command::pause), "pause aaaaaaaa");
    QCOMPARE(words(Command::stop), "stop aaaaaaaa");
    QCOMPARE(words(Command::rescale, 3), "rescale aaaaaaaa 3");
    QCOMPARE(words(Command::rescale, {}, protocol::AutoReplicas{2, 4}), "rescale aaaaaaaa auto:2-4");
    QCOMPARE(words(Command::resume), "resume aaaaaaaa --detach");
    QCOMPARE(words(Command::resume, 3), "resume aaaaaaaa --detach --replicas 3");
  }
};

BATCHSCOPE_TEST(TestElsewhere)
#include "test_elsewhere.moc"
