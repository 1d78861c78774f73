// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope-pool` itself: what it says to a person who calls it, what it has of whoever starts
// it, and how it ends.
#include <signal.h>

#include <QProcess>
#include <filesystem>

#include "batchscope/protocol/error.h"
#include "batchscope/run/pool.h"
#include "patience.h"
#include "rows.h"
#include "signal_masks.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;

class TestProgram : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    qputenv("XDG_STATE_HOME", (folder_ / "state").c_str());
  }
  void cleanup() {
    for (const char* name : {"BATCHSCOPE_DB", "XDG_STATE_HOME"}) qunsetenv(name);
  }

  void saysWhatItIs_data() {
    const auto row = testing::columns<QString, int>({"argument", "code"});
    row("asked for", "--help", kExitOk);
    row("a command", "pause", kExitUsage);
    row("an empty word", "", kExitUsage);
  }
  void saysWhatItIs() {
    QFETCH(const QString, argument);
    QFETCH(const int, code);
    QProcess program;
    program.start(kProgram, {argument});
    QVERIFY(program.waitForFinished(kPatience));
    QCOMPARE(program.exitCode(), code);
    const std::string out = program.readAllStandardOutput().toStdString(),
                      errors = program.readAllStandardError().toStdString();
    VERIFY_HOLDS(code == kExitOk ? out : errors, "batchscope pool --help lists the commands");
    QCOMPARE(code == kExitOk ? errors : out, "");
    QVERIFY(std::filesystem::is_empty(folder_ / ""));
  }

  void whatIsWrongIsSaid() {
    write_file(folder_ / "runs.db", "no database at all");
    QProcess program;
    program.start(kProgram, QStringList());
    QVERIFY(program.waitForFinished(kPatience));
    QCOMPARE(program.exitCode(), static_cast<int>(kExitCorrupt));
    VERIFY_HOLDS(program.readAllStandardError().toStdString(), "error: " + (folder_ / "runs.db").string());
  }

  // SIGTERM ends it, although its starter may have blocked signals; a line to a node that has gone does not.
  void aPersonCanEndIt() {
    storage::Catalogue catalogue(folder_ / "runs.db");
    catalogue.change_pool_settings([](auto& settings) { settings.draining = true; });
    catalogue.submit_run(named("a"), {});
    QProcess program;
    program.setChildProcessModifier([] {
      sigset_t all;
      sigfillset(&all);
      sigprocmask(SIG_SETMASK, &all, nullptr);
    });
    program.start(kProgram, QStringList());
    QVERIFY(program.waitForStarted(kPatience));
    QTRY_VERIFY_WITH_TIMEOUT(run::kPool.alive(), kPatience);
    const std::string status = contents("/proc/" + std::to_string(program.processId()) + "/status");
    QCOMPARE(run::signals_of(status, "SigBlk"), 0u);
    QVERIFY((run::signals_of(status, "SigIgn") & 1U << (SIGPIPE - 1)) != 0);
    program.terminate();
    QVERIFY(program.waitForFinished(kPatience));
  }

 private:
  const QString kProgram = qEnvironmentVariable("BATCHSCOPE_BIN") + "/batchscope-pool";
  Folder folder_;
};

BATCHSCOPE_TEST(TestProgram)
#include "test_program.moc"
