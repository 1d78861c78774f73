// SPDX-License-Identifier: Apache-2.0
//
// Processes are told from others that had their number, also while they end.
#include "batchscope/protocol/process_id.h"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "test_case.h"

using namespace batchscope::protocol;

class TestProcessId : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theOwnProcessIsAlive() {
    const ProcessId own = identify(getpid());
    QVERIFY(own.start > 0);
    QVERIFY(is_alive(own));
    QVERIFY(!is_alive({own.pid, own.start + 1}));
  }

  void thereIsNoSuchProcess() {
    QVERIFY(!is_alive({}));
    QVERIFY(!is_alive(identify(-1)));
    QVERIFY(!is_alive({getpid(), 0}));  // its beginning could not be read
  }

  void aZombieIsNotAlive() {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t info{};
    QCOMPARE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    QVERIFY(!is_alive(identify(child)));
    QCOMPARE(waitpid(child, nullptr, 0), child);
  }

  // Reading of a process that ends between opening and reading fails with ESRCH.
  void aProcessMayEndWhileItIsLookedAt() {
    for (int round = 0; round < 300; ++round) {
      const pid_t child = fork();
      if (child == 0) _exit(0);
      const ProcessId process = identify(child);
      std::thread reaper([child] { waitpid(child, nullptr, 0); });
      while (is_alive(process) || identify(child).start != 0) continue;
      reaper.join();
    }
  }
};

BATCHSCOPE_TEST(TestProcessId)
#include "test_process_id.moc"
