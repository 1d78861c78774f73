// SPDX-License-Identifier: Apache-2.0
//
// Catalogues that older versions made are brought up to date, and nothing in them is lost. Each
// catalogue_vN.sql is such a file as text; it stays as that version wrote it. A whole store of version 3,
// with a checkpoint and exported files of its run, is in tests/kept.
#include <unistd.h>

#include <cmath>

#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/process_id.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
namespace fs = std::filesystem;

class TestMigration : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_.emplace();
    file_ = *folder_ / "runs.db";
    QVERIFY(meddle(file_, contents(fs::path(FIXTURES) / "catalogue_v1.sql")));
  }

  void nothingOfVersion1IsLost() {
    Catalogue catalogue(file_);
    QCOMPARE(catalogue.runs().size(), 2u);
    const Run run = catalogue.run("aaaaaaaa").value();
    QCOMPARE(run.name, std::string("digits"));
    QCOMPARE(run.state, RunState::finished);
    QCOMPARE(run.spec.arguments, (std::vector<std::string>{"--data", "a b"}));
    QCOMPARE(run.latest.at("loss"), 0.5);
    QVERIFY(std::isnan(run.latest.at("gain")));
    QCOMPARE(run.tags, std::vector<std::string>{"kept"});
    QCOMPARE(run.note, std::string("a note"));
    QCOMPARE(catalogue.run("bbbbbbbb")->state, RunState::interrupted);
    QCOMPARE(catalogue.generations("aaaaaaaa").at(1).pause_parts.at("launch"), 0.25);
    QCOMPARE(catalogue.epochs("aaaaaaaa").at(0).last_step, 40);
    QCOMPARE(catalogue.events("aaaaaaaa").at(0).text, std::string("rescaled"));
    QCOMPARE(catalogue.checkpoints("aaaaaaaa").at(0).bytes, 4096);
    QCOMPARE(catalogue.ledger("aaaaaaaa").at(0).entry.to, 64);
    QCOMPARE(catalogue.hyperparameters("aaaaaaaa").at("lr"), std::string("0.1"));
  }

  void whatIsNewWorksInIt() {
    Catalogue catalogue(file_);
    QVERIFY(catalogue.leases().empty());
    catalogue.lease_devices("aaaaaaaa",
                            [](const auto&, const auto&) { return std::vector<std::string>{"cpu:0"}; });
    QCOMPARE(catalogue.run("aaaaaaaa")->devices, std::vector<std::string>{"cpu:0"});
    QCOMPARE(catalogue.create_run(catalogue.run("aaaaaaaa")->spec).size(), 8u);
  }

  void theOldFileIsKeptBesideIt() {
    { Catalogue catalogue(file_); }
    const fs::path backup = file_.string() + ".v1.backup";
    QVERIFY(fs::exists(backup));
    fs::rename(backup, *folder_ / "restored.db");
    Catalogue catalogue(*folder_ / "restored.db");
    QCOMPARE(catalogue.events("aaaaaaaa").at(0).id, 9);
  }

  void aStoreOfVersion3IsRead() {
    const fs::path kept = fs::path(FIXTURES) / "../kept";
    QVERIFY(meddle(*folder_ / "kept.db", contents(kept / "catalogue.sql")));
    Catalogue catalogue(*folder_ / "kept.db");
    const RunRecord record = catalogue.record("h3oiyw5j");
    QCOMPARE(record.run.name, std::string("fitted"));
    QCOMPARE(record.run.state, RunState::finished);
    QCOMPARE(record.run.spec.triggers.size(), 1u);
    QCOMPARE(record.run.latest.at("validation_loss"), 1.226824402809143);
    QCOMPARE(record.run.tags, (std::vector<std::string>{"kept", "small"}));
    QCOMPARE(record.run.note, std::string("made to be read"));
    QCOMPARE(record.run.hyperparameters.at("schedule"), std::string("cosine"));
    QCOMPARE(record.generations.size(), 2u);
    QCOMPARE(record.generations[1].pause_parts.at("launch"), 0.03809932799958915);
    QCOMPARE(record.epochs.at(1).first_step, 17);
    QCOMPARE(record.events.size(), 4u);
    QCOMPARE(record.ledger.at(1).entry.to, 8192);
    QCOMPARE(record.model->step, 17);
    QCOMPARE(catalogue.checkpoints("h3oiyw5j").at(0).bytes, 12135);

    // Opening it in its place would leave files beside it.
    fs::copy_file(kept / "samples.db", *folder_ / "samples.db");
    SampleReader samples(*folder_ / "samples.db");
    QCOMPARE(samples.series().size(), 25u);
    QCOMPARE(samples.read("loss", 1).back().step, 32);
    QCOMPARE(samples.read("loss", 1).back().value, record.run.latest.at("loss"));

    RunFileReader exported(kept / "fitted.sqlite");
    QCOMPARE(exported.count(), 761);

    const protocol::Manifest manifest = protocol::verify_checkpoint(kept / "checkpoint-000001");
    QCOMPARE(manifest.step, 32);
    QCOMPARE(manifest.files.size(), 7u);
    QCOMPARE(manifest.ledger, record.ledger);
  }

  void aLivingSupervisorIsNotDisturbed() {
    const protocol::ProcessId self = protocol::identify(getpid());
    QVERIFY(meddle(file_, "UPDATE run SET supervisor_pid = " + std::to_string(self.pid) +
                              ", supervisor_start = " + std::to_string(self.start) +
                              " WHERE id = 'bbbbbbbb'"));
    VERIFY_THROWS("conflict", "bbbbbbbb", Catalogue catalogue(file_));
    QVERIFY(!fs::exists(file_.string() + ".v1.backup"));
  }

 private:
  std::optional<Folder> folder_;
  fs::path file_;
};

BATCHSCOPE_TEST(TestMigration)
#include "test_migration.moc"
