// SPDX-License-Identifier: Apache-2.0
//
// How the doctor judges what the probe reports.
#include <QtTest>
#include <algorithm>

#include "doctor.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

const protocol::Json kHealthy = {
    {"torch", "1.13.0"},   {"blas", "OpenBLAS"}, {"blas_library", "/usr/lib/libblas.so.3"},
    {"threads", 2},        {"cuda", false},      {"cuda_devices", 0},
    {"backends", {"gloo"}}};

Finding findingOf(const protocol::Json& probe, int gpus, const std::string& subject) {
  const auto findings = judgeProbe(probe, gpus);
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.subject == subject; });
  return found == findings.end() ? Finding{} : *found;
}

}  // namespace

class TestDoctor : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void findsAHealthyLibTorchHealthy();
  void knowsWhatMendsAReferenceBlas();
  void missesCudaOnlyWhereThereIsAGpu();
  void missesBackends();
  void everythingThatIsNotWellHasARemedy();
  void missesACatalogueThatWasLost();
};

void TestDoctor::findsAHealthyLibTorchHealthy() {
  for (const Finding& finding : judgeProbe(kHealthy, 0)) QCOMPARE(finding.level, Finding::Level::ok);
}

void TestDoctor::missesACatalogueThatWasLost() {
  QTemporaryDir folder;
  qputenv("BATCHSCOPE_DB", folder.filePath("runs.db").toUtf8());
  qputenv("XDG_STATE_HOME", folder.path().toUtf8());
  QCOMPARE(examineStore().front().level, Finding::Level::ok);
  QVERIFY(QDir(folder.path()).mkpath("runs/abcd1234"));
  const Finding finding = examineStore().front();
  QCOMPARE(finding.level, Finding::Level::warning);
  QVERIFY(finding.text.find("1 run") != std::string::npos);
  QVERIFY(!QFile::exists(folder.filePath("runs.db")));  // looking changes nothing
}

void TestDoctor::knowsWhatMendsAReferenceBlas() {
  protocol::Json probe = kHealthy;
  probe["blas"] = "reference";
  const Finding finding = findingOf(probe, 0, "BLAS");
  QCOMPARE(finding.level, Finding::Level::problem);
  QCOMPARE(finding.remedy, std::string("apt-get install libopenblas0-pthread"));
}

void TestDoctor::missesCudaOnlyWhereThereIsAGpu() {
  QCOMPARE(findingOf(kHealthy, 0, "CUDA").level, Finding::Level::ok);
  QCOMPARE(findingOf(kHealthy, 1, "CUDA").level, Finding::Level::warning);
  protocol::Json probe = kHealthy;
  probe["cuda"] = true;
  QCOMPARE(findingOf(probe, 1, "CUDA").level, Finding::Level::problem);
  probe["cuda_devices"] = 1;
  QCOMPARE(findingOf(probe, 1, "CUDA").level, Finding::Level::ok);
}

void TestDoctor::missesBackends() {
  protocol::Json probe = kHealthy;
  probe["backends"] = protocol::Json::array();
  QCOMPARE(findingOf(probe, 0, "backends").level, Finding::Level::problem);
}

void TestDoctor::everythingThatIsNotWellHasARemedy() {
  protocol::Json probe = kHealthy;
  probe["blas"] = "reference";
  probe["backends"] = protocol::Json::array();
  for (const Finding& finding : judgeProbe(probe, 2))
    QCOMPARE(finding.remedy.empty(), finding.level == Finding::Level::ok);
}

QTEST_APPLESS_MAIN(TestDoctor)
#include "test_doctor.moc"
