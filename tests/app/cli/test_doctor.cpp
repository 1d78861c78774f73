// SPDX-License-Identifier: Apache-2.0
//
// How the doctor judges what the probe reports.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/unix_address.h"
#include "batchscope/storage/sweeps.h"
#include "doctor/doctor.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

const protocol::Json kHealthy = {{"torch", "1.13.0"},
                                 {"blas", "OpenBLAS"},
                                 {"blas_library", "/usr/lib/libblas.so.3"},
                                 {"threads", 2},
                                 {"cuda", false},
                                 {"cuda_devices", 0},
                                 {"backends", {"gloo"}},
                                 {"onednn", "Intel(R) MKL-DNN v2.6.3 (Git Hash N/A)"},
                                 {"onednn_limit", ""},
                                 {"amx_fault", ""}};

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
  void findsAHealthyLibTorchHealthy() {
    for (const Finding& finding : judgeProbe(kHealthy, 0)) QCOMPARE(finding.level, Finding::Level::ok);
  }

  void knowsWhatMendsAReferenceBlas() {
    protocol::Json probe = kHealthy;
    probe["blas"] = "reference";
    const Finding finding = findingOf(probe, 0, "BLAS");
    QCOMPARE(finding.level, Finding::Level::problem);
    QCOMPARE(finding.remedy, std::string("apt-get install libopenblas0-pthread"));
  }

  void missesCudaOnlyWhereThereIsAGpu() {
    QCOMPARE(findingOf(kHealthy, 0, "CUDA").level, Finding::Level::ok);
    QCOMPARE(findingOf(kHealthy, 1, "CUDA").level, Finding::Level::warning);
    protocol::Json probe = kHealthy;
    probe["cuda"] = true;
    QCOMPARE(findingOf(probe, 1, "CUDA").level, Finding::Level::problem);
    probe["cuda_devices"] = 1;
    QCOMPARE(findingOf(probe, 1, "CUDA").level, Finding::Level::ok);
  }

  void missesBackends() {
    protocol::Json probe = kHealthy;
    probe["backends"] = protocol::Json::array();
    QCOMPARE(findingOf(probe, 0, "backends").level, Finding::Level::problem);
  }

  void tellsWhatKeepsOneDnnFromAmx_data() {
    QTest::addColumn<QByteArray>("limit");
    QTest::addColumn<QByteArray>("fault");
    QTest::addColumn<bool>("well");
    QTest::addColumn<QByteArray>("text");
    QTest::addRow("a sound processor") << QByteArray() << QByteArray() << true << QByteArray("2.6.3");
    QTest::addRow("a fault") << QByteArray() << QByteArray("no tiles") << true
                             << QByteArray("2.6.3, which replicas limit to AVX512_CORE_BF16: no tiles");
    QTest::addRow("the user's limit") << QByteArray("AVX2") << QByteArray("no tiles") << true
                                      << QByteArray("2.6.3, limited to AVX2 by your environment");
    for (const char* limit : {"AVX512_CORE_AMX", "all"})
      QTest::addRow("the user insists by %s", limit)
          << QByteArray(limit) << QByteArray("no tiles") << false
          << QByteArray("2.6.3, and your environment allows ") + limit +
                 ": bf16 kills the process, because no tiles";
  }

  void tellsWhatKeepsOneDnnFromAmx() {
    QFETCH(QByteArray, limit);
    QFETCH(QByteArray, fault);
    QFETCH(bool, well);
    QFETCH(QByteArray, text);
    protocol::Json probe = kHealthy;
    probe["onednn_limit"] = limit.toStdString();
    probe["amx_fault"] = fault.toStdString();
    const Finding finding = findingOf(probe, 0, "oneDNN");
    QCOMPARE(finding.text, text.toStdString());
    QCOMPARE(finding.level == Finding::Level::ok, well);
  }

  void everythingThatIsNotWellHasARemedy() {
    protocol::Json probe = kHealthy;
    probe["blas"] = "reference";
    probe["backends"] = protocol::Json::array();
    probe["onednn_limit"] = "ALL";
    probe["amx_fault"] = "no tiles";
    for (const Finding& finding : judgeProbe(probe, 2))
      QCOMPARE(finding.remedy.empty(), finding.level == Finding::Level::ok);
  }

  void missesACatalogueThatWasLost() {
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

  void tellsWhatReplicasCostOneAnother() {
    QTemporaryDir folder;
    qputenv("BATCHSCOPE_DB", folder.filePath("runs.db").toUtf8());
    QVERIFY(examineContention().empty());
    storage::Catalogue catalogue(folder.filePath("runs.db").toStdString());
    protocol::RunSpec spec;
    spec.name = "a";
    spec.program = "/bin/a";
    const std::string run = catalogue.create_run(spec);
    catalogue.lease_devices(run, [](const auto&...) { return std::vector<std::string>{"cpu:0"}; });
    for (const int replicas : {1, 2}) {
      storage::Generation generation;
      generation.number = generation.replicas = replicas;
      generation.first_step = 1;
      generation.last_step = 100;
      catalogue.put_generation(run, generation);
    }
    protocol::Model model;
    model.perf = protocol::PerfParams{.alpha_c = 0.01, .alpha_r = 0.0025, .gamma = 1};
    model.residual = 0.01;
    model.cores = 1;
    model.contention = 0.25;
    model.max_profiled_local_batch_size = 8;
    catalogue.put_model(run, 0, model);
    const auto findings = examineContention();
    QCOMPARE(findings.size(), 2u);
    const auto tells = [](const Finding& finding, const char* text) {
      return finding.level == Finding::Level::ok && finding.text.find(text) != std::string::npos;
    };
    QVERIFY(tells(findings[0], "on cores, a replica takes 25 % longer for each other replica"));
    QVERIFY(tells(findings[0], "(measured in 1 run)"));
    QVERIFY(tells(findings[1], "on cores, two replicas take at least 2.5 ms longer for a step"));
  }

  // Another store's run has its socket in the same folder.
  void leavesSocketsAloneAtWhichSomebodyListens() {
    QTemporaryDir folder;
    qputenv("BATCHSCOPE_DB", folder.filePath("runs.db").toUtf8());
    qputenv("XDG_STATE_HOME", folder.path().toUtf8());
    storage::Catalogue(folder.filePath("runs.db").toStdString());
    const protocol::RunPaths paths = protocol::run_paths("abcd1234");
    std::filesystem::create_directories(paths.runtime);
    const auto remedy = [] {
      const auto findings = examineStore();
      const auto found = std::ranges::find(findings, "leftover", &Finding::subject);
      return found == findings.end() ? "" : found->remedy;
    };
    const int supervisor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = protocol::unix_address(paths.control_socket);
    QCOMPARE(::bind(supervisor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    QCOMPARE(::listen(supervisor, 1), 0);
    QCOMPARE(remedy(), std::string());
    ::close(supervisor);  // as if it was killed: its socket stays
    QCOMPARE(remedy(), "rm -r " + paths.runtime.string());
  }

  void namesTheFolderOfRunsOnSlurm() {
    QTemporaryDir folder;
    for (const char* name : {"scontrol", "sbatch"}) {
      QFile program(folder.filePath(name));
      QVERIFY(program.open(QIODevice::WriteOnly));
      program.write("#!/bin/sh\n");
      program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    const QByteArray path = qgetenv("PATH");
    const QString before = QDir::currentPath();
    qputenv("PATH", folder.path().toUtf8() + ':' + path);
    QVERIFY(QDir::setCurrent(folder.path()));
    const auto findings = examineSlurm({});
    QVERIFY(QDir::setCurrent(before));
    qputenv("PATH", path);
    const auto found = std::ranges::find(findings, "folder", &Finding::subject);
    QVERIFY(found != findings.end());
    VERIFY_HOLDS(QString::fromStdString(found->text), folder.path() + " can be written");
  }

  void missesTheProcessOfASweep() {
    QTemporaryDir folder;
    qputenv("BATCHSCOPE_DB", folder.filePath("runs.db").toUtf8());
    qputenv("XDG_STATE_HOME", folder.path().toUtf8());
    storage::Catalogue catalogue(folder.filePath("runs.db").toStdString());
    storage::Sweep sweep;
    sweep.name = "lr";
    storage::Sweeps(catalogue).create(sweep);
    const auto remedy = [] {
      const auto findings = examineStore();
      const auto found = std::ranges::find(findings, "sweep", &Finding::subject);
      return found == findings.end() ? "" : found->remedy;
    };
    QCOMPARE(remedy(), std::string("batchscope sweep resume 'lr'"));
    storage::Sweeps(catalogue).set_state("lr", storage::SweepState::stopped);
    QCOMPARE(remedy(), std::string());
  }
};

BATCHSCOPE_TEST(TestDoctor)
#include "test_doctor.moc"
