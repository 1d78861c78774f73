// SPDX-License-Identifier: Apache-2.0
//
// Processes and what is written down of them: signals, replicas that a supervisor leaves to the next one,
// programs, and the lock of a store's own process.
#include "system/process_table.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QScopeGuard>
#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "batchscope/run/pool.h"
#include "open_files.h"
#include "stored_runs.h"
#include "system/process_signals.h"
#include "system/programs.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestProcesses : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  fs::path path(const char* name) const { return folder_.filePath(name).toStdString(); }
  static bool eventually(const std::function<bool()>& condition) {
    return QTest::qWaitFor(condition, 20'000);
  }

 private Q_SLOTS:

  // --- signals ---

  void whoIsAskedToEndIsTold() {
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    const std::ptrdiff_t open = testing::count_open_files();
    for (const int asked : {SIGTERM, SIGINT}) {
      int told = 0;
      ProcessSignals signals;
      signals.on_terminate = [&] { ++told; };
      QTest::qWait(0);
      QCOMPARE(told, 0);
      raise(asked);  // for this thread, which waits for it
      QVERIFY(eventually([&] { return told > 0; }));
      QCOMPARE(told, 1);
    }
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
      QCOMPARE(sigismember(&after, number), sigismember(&before, number));
    QCOMPARE(testing::count_open_files(), open);
  }

  // --- replicas ---

  void childrenAreThoseOfThisProcess() {
    const std::vector<pid_t> before = run::children();
    const pid_t child = fork();
    if (child == 0)
      for (;;) pause();
    std::vector<pid_t> with_child = before;
    with_child.push_back(child);
    QVERIFY(run::children() == with_child);
    ::kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    QVERIFY(run::children() == before);
  }

  void replicasAreReadAsTheyWereWritten() {
    const fs::path file = path("replicas.json");
    const std::vector<ProcessId> replicas{{4711, 1'234'567'890'123}, {1, 0}};
    QVERIFY(read_replicas(file).empty());
    write_replicas(file, replicas);
    QCOMPARE(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    QVERIFY(read_replicas(file) == replicas);
    write_replicas(file, {replicas[1]});
    QVERIFY(read_replicas(file) == std::vector<ProcessId>{replicas[1]});
    write_replicas(file, {});
    QVERIFY(read_replicas(file).empty());
    for (const char* const nonsense : {"", "{", "[{\"pid\":1,\"started\":2},{\"pid\":3}]", "[1]",
                                       "[{\"pid\":1,\"started\":2},{\"pid\":\"3\",\"started\":4}]"}) {
      testing::write_file(file, nonsense);
      QVERIFY2(read_replicas(file).empty(), nonsense);
    }
  }

  // --- programs ---

  void theHookOfPythonIsThisBuilds() {
    qputenv("BATCHSCOPE_BIN", path("bin").c_str());
    const auto forget = qScopeGuard([] { qunsetenv("BATCHSCOPE_BIN"); });
    const fs::path hook = path("bin") / "python/hook", installed = "/usr/share/batchscope/python/hook";
    const fs::path other = fs::exists(installed / "sitecustomize.py") ? installed : fs::path();
    QCOMPARE(python_hook(), other);
    fs::create_directories(hook / "sitecustomize.py");  // a folder is none
    QCOMPARE(python_hook(), other);
    fs::remove(hook / "sitecustomize.py");
    testing::write_file(hook / "sitecustomize.py", "");
    QCOMPARE(python_hook(), hook);
  }

  void aProgramIsAFileThatCanBeExecuted() {
    fs::create_directory(path("folder"));
    testing::write_file(path("text"), "");
    fs::permissions(path("text"), fs::perms::owner_read | fs::perms::owner_write);
    testing::write_file(path("program"), "#!/bin/sh\n");
    fs::permissions(path("program"), fs::perms::owner_all);
    QVERIFY(is_executable(path("program")));
    for (const char* const other : {"folder", "text", "missing"}) QVERIFY(!is_executable(path(other)));
  }

  // --- the process of a store ---

  void theLockOfAStoreSaysWhoseItIs() {
    const StoredRuns runs;
    const fs::path lock = kPool.lock_path();
    testing::write_file(lock, "1234567890123 of somebody before\n");
    const std::ptrdiff_t open = testing::count_open_files();
    {
      const StoreLock pool(kPool), other(kPool);
      QVERIFY(pool.held() && !other.held());
      QCOMPARE(testing::contents(lock), std::to_string(getpid()) + "\n");
      const std::ptrdiff_t with_both = testing::count_open_files();
      QVERIFY(kPool.alive() && kPool.heartbeat());
      QCOMPARE(kPool.hang(), "");
      QCOMPARE(testing::count_open_files(), with_both);
      const auto beaten = [&](int milliseconds_ago) {
        fs::last_write_time(lock,
                            fs::file_time_type::clock::now() - std::chrono::milliseconds(milliseconds_ago));
      };
      testing::write_file(lock, "1\n");
      beaten(60'500);
      VERIFY_HOLDS(kPool.hang(), "batchscope-pool, process 1, has not answered for 6");
      beaten(30'000);
      QCOMPARE(kPool.hang(), "");
    }
    QVERIFY(!kPool.alive());
    QCOMPARE(testing::count_open_files(), open);
  }

  void aLockThatCannotBeMadeIsNamed() {
    const StoredRuns runs;
    const fs::path lock = kPool.lock_path();
    QVERIFY(!kPool.alive() && !kPool.heartbeat());
    fs::create_directory(lock);
    VERIFY_THROWS("io", "cannot open " + lock.string() + ": Is a directory", StoreLock{kPool});
    QVERIFY(!kPool.alive());
  }

  void whoRunsIsNotStartedAgain() {
    const StoredRuns runs;
    runs.add_program("batchscope-pool", "echo started >> \"${0%/*}/called\"");
    {
      const StoreLock pool(kPool);
      kPool.start();
    }
    QTest::qWait(50);
    QVERIFY(!fs::exists(runs.path("called")));
    kPool.start();
    QVERIFY(eventually([&] { return testing::holds(testing::contents(runs.path("called")), "started\n"); }));
  }
};

BATCHSCOPE_TEST(TestProcesses)
#include "test_processes.moc"
