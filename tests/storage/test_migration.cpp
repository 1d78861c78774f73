// SPDX-License-Identifier: Apache-2.0
//
// Catalogues that older versions made are brought up to date, and nothing in them is lost. Each
// catalogue_vN.sql is such a file as text; it stays as that version wrote it.
#include <unistd.h>

#include <QTest>
#include <cmath>
#include <fstream>
#include <sstream>

#include "batchscope/protocol/process_id.h"
#include "store_test.h"

using namespace batchscope;
using namespace batchscope::storage;
using test::error_of;
using test::Folder;
using test::meddle;
namespace fs = std::filesystem;

namespace {

std::string fixture(const char* name) {
  std::ifstream in(fs::path(FIXTURES) / name);
  return (std::ostringstream() << in.rdbuf()).str();
}

}  // namespace

class TestMigration : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_.emplace();
    file_ = *folder_ / "runs.db";
    QVERIFY(meddle(file_, fixture("catalogue_v1.sql")));
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
    catalogue.lease_devices("aaaaaaaa", [](const auto&) { return std::vector<std::string>{"cpu:0"}; });
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

  void aLivingSupervisorIsNotDisturbed() {
    const protocol::ProcessId self = protocol::identify(getpid());
    QVERIFY(meddle(file_, "UPDATE run SET supervisor_pid = " + std::to_string(self.pid) +
                              ", supervisor_start = " + std::to_string(self.start) +
                              " WHERE id = 'bbbbbbbb'"));
    const auto error = error_of([&] { Catalogue catalogue(file_); });
    QCOMPARE(error->kind(), ErrorKind::conflict);
    QVERIFY(std::string(error->what()).find("bbbbbbbb") != std::string::npos);
    QVERIFY(!fs::exists(file_.string() + ".v1.backup"));
  }

 private:
  std::optional<Folder> folder_;
  fs::path file_;
};

QTEST_APPLESS_MAIN(TestMigration)
#include "test_migration.moc"
