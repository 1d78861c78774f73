// SPDX-License-Identifier: Apache-2.0
//
// The report: totals of the ledger, and the file that REPORT.md describes.
#include <QTemporaryDir>
#include <fstream>

#include "batchscope/protocol/error.h"
#include "follow/report.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

storage::Ledger stretch(int generation, int pass, std::int64_t from, std::int64_t to,
                        std::int64_t padding = 0) {
  return {generation, {"train-0", 0, pass, from, to, padding, 100, 0}};
}

}  // namespace

class TestReport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void totalsPassesAcrossRestarts() {
    const auto totals = ledgerTotals({stretch(0, 0, 0, 60), stretch(1, 0, 60, 100, 2), stretch(1, 1, 0, 30)});
    QCOMPARE(totals.size(), std::size_t{2});
    QCOMPARE(totals[0]["samples"].get<int>(), 100);
    QCOMPARE(totals[0]["repeated"].get<int>(), 0);
    QCOMPARE(totals[0]["padding"].get<int>(), 2);
    QCOMPARE(totals[1]["pass"].get<int>(), 1);
    QCOMPARE(totals[1]["samples"].get<int>(), 30);
  }

  void countsWhatWasUsedTwice() {
    const auto totals = ledgerTotals({stretch(0, 0, 0, 60), stretch(1, 0, 40, 100)});
    QCOMPARE(totals[0]["samples"].get<int>(), 120);
    QCOMPARE(totals[0]["repeated"].get<int>(), 20);
  }

  void reportsARun() {
    const QTemporaryDir folder;
    qputenv("BATCHSCOPE_DB", folder.filePath("runs.db").toUtf8());
    storage::Catalogue catalogue(folder.filePath("runs.db").toStdString());
    protocol::RunSpec spec;
    spec.name = "digits";
    spec.program = "/bin/true";
    spec.replicas = 2;
    const std::string id = catalogue.create_run(spec);
    storage::Generation first;
    first.replicas = 2;
    first.reason = "start";
    first.first_step = 1;
    first.last_step = 40;
    catalogue.put_generation(id, first);
    catalogue.add_ledger(id, 0, stretch(0, 0, 0, 100).entry);
    catalogue.set_progress(id, 40, 1, 1, 1, {{"accuracy", 0.98}});
    catalogue.set_state(id, protocol::RunState::finished);

    const storage::Run run = *catalogue.run(id);
    const Facts facts = gatherFacts(catalogue, run);
    QCOMPARE(facts.state, std::string("finished"));
    QCOMPARE(facts.numbers.at("generations"), 1.0);
    const auto verdicts =
        judge({Expectation::parse("accuracy>=0.97"), Expectation::parse("epochs==2")}, facts);
    const auto file = folder.filePath("report.json").toStdString();
    writeReport(OutputTarget(file), makeReport(catalogue, run, verdicts, 5));

    std::ifstream in(file);
    const auto report = protocol::Json::parse(in);
    QCOMPARE(report["version"].get<int>(), 1);
    QCOMPARE(report["exit_code"].get<int>(), 5);
    QCOMPARE(report["run"]["id"].get<std::string>(), id);
    QCOMPARE(report["generations"][0]["last_step"].get<int>(), 40);
    QVERIFY(report["generations"][0]["pause"].is_null());
    QCOMPARE(report["final"]["accuracy"].get<double>(), 0.98);
    QCOMPARE(report["expectations"][0]["passed"].get<bool>(), true);
    QCOMPARE(report["expectations"][1]["seen"].get<std::string>(), std::string("1"));
    QCOMPARE(report["ledger"][0]["samples"].get<int>(), 100);
  }

  void saysWhereItCannotWrite() {
    try {
      writeReport(OutputTarget("/nowhere/report.json"), {});
      QFAIL("written");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::io);
      QVERIFY2(QString(error.what()).contains("/nowhere/report.json"), error.what());
    }
  }
};

BATCHSCOPE_TEST(TestReport)
#include "test_report.moc"
