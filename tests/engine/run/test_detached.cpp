// SPDX-License-Identifier: Apache-2.0
//
// A program of ours that is started apart from the one that starts it.
#include "system/detached.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <QScopeGuard>
#include <QTemporaryDir>
#include <filesystem>

#include "batchscope/run/own_program.h"
#include "signal_masks.h"
#include "system/process_table.h"
#include "system/programs.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestDetached : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  const fs::path root_ = folder_.path().toStdString();

  void make(const char* name, const std::string& script) const {
    testing::write_file(root_ / name, "#!/bin/sh\n" + script);
    fs::permissions(root_ / name, fs::perms::owner_all);
  }

 private Q_SLOTS:
  void initTestCase() { qputenv("BATCHSCOPE_BIN", root_.c_str()); }
  void cleanupTestCase() { qunsetenv("BATCHSCOPE_BIN"); }

  // Beside the one that runs, where nobody has said otherwise.
  void programsAreWhereSomebodySays() {
    QCOMPARE(program_directory(), root_);
    qputenv("BATCHSCOPE_BIN", "");
    const auto back = qScopeGuard([this] { qputenv("BATCHSCOPE_BIN", root_.c_str()); });
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    QCOMPARE(program_directory(), here);
    qunsetenv("BATCHSCOPE_BIN");
    QCOMPARE(program_directory(), here);
    qputenv("BATCHSCOPE_BIN", ".");
    QCOMPARE(fs::canonical(program_directory()), fs::current_path());
    QVERIFY(program_directory().is_absolute());
    VERIFY_THROWS("not_found", "no-such-program is missing: build it", own_program("no-such-program"));
  }

  // The terminal's keys are meant for whoever started it.
  void itReadsNothingAndSaysEverythingInItsLog() {
    make("speaker",
         "read -r line && echo \"read: $line\"\npwd\necho a complaint >&2\necho \"$#: $2\"\necho end\n");
    const int standard_input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int typed[2];
    QCOMPARE(pipe2(typed, O_CLOEXEC), 0);
    QCOMPARE(write(typed[1], "words\n", 6), 6);
    dup2(typed[0], STDIN_FILENO);
    const auto give_back = qScopeGuard([&] {
      if (standard_input >= 0)
        dup2(standard_input, STDIN_FILENO);
      else
        close(STDIN_FILENO);
      for (const int descriptor : {standard_input, typed[0], typed[1]}) close(descriptor);
    });
    const fs::path log = root_ / "speaker.log";
    testing::write_file(log, "of the one before\n");
    start_detached("speaker", {"one", "a  b"}, log);
    QTRY_VERIFY_WITH_TIMEOUT(testing::holds(testing::contents(log), "end\n"), 20'000);
    QCOMPARE(testing::contents(log), "of the one before\n/\na complaint\n2: a  b\nend\n");
  }

  // A supervisor blocks signals for itself, and ignores others.
  void itHeedsAllSignals() {
    make("signals", "cat /proc/self/status\necho end\n");
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    signal(SIGXFSZ, SIG_IGN);
    const auto restore = qScopeGuard([&] {
      signal(SIGXFSZ, SIG_DFL);
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    });
    const fs::path log = root_ / "signals.log";
    start_detached("signals", {}, log);
    QTRY_VERIFY_WITH_TIMEOUT(testing::holds(testing::contents(log), "end\n"), 20'000);
    QCOMPARE(signals_of(testing::contents(log), "SigBlk"), 0u);
    QCOMPARE(signals_of(testing::contents(log), "SigIgn"), 0u);
  }

  void itsLogIsItsOwners() {
    make("silent", "exit 0\n");
    start_detached("silent", {}, root_ / "silent.log");
    QCOMPARE(fs::status(root_ / "silent.log").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }

  // A supervisor that takes in what its replicas leave behind would end it with them.
  void itIsNoChildOfASubreaper() {
    make("waits", "while [ -e \"$0\" ]; do sleep 0.05; done\n");
    for (const int subreaper : {1, 0}) {
      QCOMPARE(prctl(PR_SET_CHILD_SUBREAPER, subreaper), 0);
      const ProcessId process = start_detached("waits", {}, root_ / "waits.log");
      QVERIFY(is_alive(process));
      const std::string status = testing::contents("/proc/" + std::to_string(process.pid) + "/status");
      QVERIFY2(!testing::holds(status, "PPid:\t" + std::to_string(getpid()) + "\n"), status.c_str());
      int after = -1;
      QCOMPARE(prctl(PR_GET_CHILD_SUBREAPER, &after), 0);
      QCOMPARE(after, subreaper);
    }
    fs::remove(root_ / "waits");
  }
};

BATCHSCOPE_TEST(TestDetached)
#include "test_detached.moc"
