// SPDX-License-Identifier: Apache-2.0
//
// Programs that are called for one thing: a run's own to measure its gradient noise at a checkpoint, and ours
// to take an exported run in. Scripts are in their place.
#include "batchscope/run/noise.h"

#include <filesystem>
#include <fstream>
#include <memory>

#include "batchscope/protocol/branch.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/client.h"
#include "batchscope/storage/samples.h"
#include "stored_runs.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestNoise : public QObject {
  Q_OBJECT

  std::unique_ptr<StoredRuns> runs_;

  // A run of this script, with checkpoints after steps 10 and 20.
  std::string add(const std::string& script) {
    runs_->add_program("program", script);
    protocol::RunSpec spec = runs_->spec();
    spec.program = runs_->path("program").string();
    spec.arguments = {"--epochs", "5"};
    spec.max_local_batch_size = 64;
    spec.environment = {{"BATCHSCOPE_FORK_SERVER", "on"}, {protocol::variable::kBranch, "{}"}, {"OWN", "x"}};
    const std::string id = runs_->add(spec);
    StoredRuns::write_checkpoint(id, 1, 10);
    StoredRuns::write_checkpoint(id, 2, 20);
    return id;
  }
  // A line of the shell that writes down an estimate.
  static std::string writes(double sqr) {
    return "echo '" + protocol::noise_line({8, 4, 16, sqr, 2.5}) + "' >> \"$BATCHSCOPE_NOISE_FILE\"\n";
  }
  static void record(const std::string& id, int generation, std::int64_t step, double noise) {
    storage::SampleWriter writer(protocol::run_paths(id).samples);
    writer.append(generation, protocol::series::kNoiseScale, step, noise);
    writer.commit();
  }

 private Q_SLOTS:
  void init() { runs_ = std::make_unique<StoredRuns>(); }

  void theProgramMeasuresAtACopyOfTheCheckpoint() {
    const std::string id =
        add("echo \"$@\" > said\nenv > variables\nls \"$ADAPTDL_CHECKPOINT_PATH\" >> said\n" + writes(0.5) +
            writes(-0.25));
    const MeasuredRun measured =
        measure_noise(runs_->catalogue(), id, {.checkpoint = {}, .micro_batches = 7});
    QCOMPARE(measured.checkpoint, "checkpoint-000002");
    QCOMPARE(measured.step, 20);
    QVERIFY(!measured.recorded);
    QCOMPARE(measured.estimates.size(), 2u);
    QCOMPARE(measured.estimates[0].initial_batch_size, 8);
    QCOMPARE(measured.estimates[0].gradients, 16);
    QCOMPARE(measured.estimates[1].sqr, -0.25);
    QCOMPARE(measured.estimates[1].var, 2.5);
    QCOMPARE(testing::contents(runs_->path("said")), "--epochs 5\ncheckpoint-000002\n");
    const std::string variables = "\n" + testing::contents(runs_->path("variables"));
    VERIFY_HOLDS(variables, "\nBATCHSCOPE_NOISE_MICRO_BATCHES=7\n", "\nADAPTDL_NUM_RESTARTS=1\n",
                 "\nADAPTDL_NUM_REPLICAS=1\n", "\nBATCHSCOPE_CHECKPOINT_INTERVAL=0.0\n",
                 "\nBATCHSCOPE_MAX_LOCAL_BATCH_SIZE=64\n", "\nBATCHSCOPE_DEVICE=cpu\n", "\nOWN=x\n",
                 "\nBATCHSCOPE_RENDEZVOUS_DIR=/");
    for (const char* const none :
         {"BATCHSCOPE_FORK_SERVER=", "BATCHSCOPE_BRANCH=", "BATCHSCOPE_TELEMETRY_SOCKET="})
      QVERIFY2(!testing::holds(variables, none), none);
    // Nothing of the copy is left, and nothing was recorded.
    const std::string folder = variables.substr(variables.find("ADAPTDL_CHECKPOINT_PATH=") + 24);
    QVERIFY(!fs::exists(folder.substr(0, folder.find('\n'))));
    QVERIFY(runs_->catalogue().events(id).empty());
  }

  void anotherCheckpointAndOtherArgumentsMayBeSaid() {
    const std::string id = add("echo \"$@\" > said\n" + writes(0.5));
    const MeasuredRun measured = measure_noise(
        runs_->catalogue(), id,
        {.checkpoint = "checkpoint-000001", .arguments = std::vector<std::string>{"--epochs", "9"}});
    QCOMPARE(measured.checkpoint, "checkpoint-000001");
    QCOMPARE(measured.step, 10);
    QCOMPARE(testing::contents(runs_->path("said")), "--epochs 9\n");
  }

  // The newest generation's which recorded one, at the checkpoint or before.
  void whatTheRunRecordedIsBesideIt() {
    const std::string id = add(writes(0.5));
    record(id, 0, 15, 100);
    QCOMPARE(measure_noise(runs_->catalogue(), id, {}).recorded, std::optional(100.0));
    record(id, 1, 18, 200);
    record(id, 1, 20, 300);
    record(id, 1, 21, 400);
    record(id, 2, 21, 500);
    QCOMPARE(measure_noise(runs_->catalogue(), id, {}).recorded, std::optional(300.0));
    QVERIFY(!measure_noise(runs_->catalogue(), id, {.checkpoint = "checkpoint-000001"}).recorded);
  }

  void aProgramThatMeasuresNothingHasItsLastWords_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("failure");
    QTest::newRow("a code")
        << "echo no data >&2\nexit 3"
        << "program ended with exit code 3 and measured nothing: no data. If its training is "
           "over at checkpoint-000002, choose an earlier checkpoint";
    QTest::newRow("a signal") << "kill -SEGV $$"
                              << "program was killed by signal 11 and measured nothing. If its";
  }
  void aProgramThatMeasuresNothingHasItsLastWords() {
    QFETCH(QString, script);
    QFETCH(QString, failure);
    const std::string id = add(script.toStdString());
    VERIFY_THROWS("failure", failure.toStdString(), measure_noise(runs_->catalogue(), id, {}));
  }

  void whoGivesUpEndsTheProgram() {
    const std::string id = add("echo $$ > process\nexec sleep 1000");
    pid_t process = 0;
    VERIFY_THROWS("conflict", "enough", measure_noise(runs_->catalogue(), id, {}, [&] {
                    std::ifstream(runs_->path("process")) >> process;
                    if (process > 0) throw Error(ErrorKind::conflict, "enough");
                  }));
    QVERIFY(process > 0);
    QVERIFY(!is_alive(protocol::identify(process)));
    QVERIFY(run::children().empty());
    VERIFY_THROWS("not_found", "there is no run aaaaaaaa", measure_noise(runs_->catalogue(), "aaaaaaaa", {}));
  }

  void anExportedRunIsTakenInByTheCommand() {
    runs_->add_program("batchscope", "echo \"$@\" > \"${0%/*}/called\"; echo '{\"imported\":\"abcd1234\"}'");
    QCOMPARE(import_run("/tmp/some run.bsr"), "abcd1234");
    QCOMPARE(testing::contents(runs_->path("called")), "import --json /tmp/some run.bsr\n");
    runs_->add_program("batchscope", "echo '{\"imported\":\"abcd1234\"}'; echo it is  torn >&2; exit 7");
    QCOMPARE(testing::thrown_by([] { import_run("/tmp/a.bsr"); }),
             "io: /tmp/a.bsr could not be imported: it is torn");
    runs_->add_program("batchscope", "kill -KILL $$");
    VERIFY_THROWS("io", "/tmp/a.bsr could not be imported", import_run("/tmp/a.bsr"));
  }
};

BATCHSCOPE_TEST(TestNoise)
#include "test_noise.moc"
