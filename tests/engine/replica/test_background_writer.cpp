// SPDX-License-Identifier: Apache-2.0
//
// The writer of checkpoints beside training: one at a time, and whoever overtakes it waits for its end.
#include "checkpoint/background_writer.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

class TestBackgroundWriter : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thatWhichIsOvertakenIsWaitedFor() {
    BackgroundWriter writer;
    QVERIFY(!writer.busy());
    int jobs = 0;
    writer.start([&] {
      while (!writer.overtaken()) std::this_thread::yield();
      ++jobs;
    });
    QVERIFY(writer.busy());
    writer.overtake();
    QCOMPARE(jobs, 1);
    QVERIFY(!writer.busy());
    bool overtaken = true;
    writer.start([&] { overtaken = writer.overtaken(); });
    writer.start([&] { ++jobs; });  // after the one before
    QVERIFY(!overtaken);
    writer.finish();
    QCOMPARE(jobs, 2);
  }

  void oneIsBegunWhenTheLastIsDone() {
    BackgroundWriter writer;
    std::atomic<bool> is_done = false, was_done = false;
    writer.start([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      is_done = true;
    });
    writer.start([&] { was_done = is_done.load(); });
    writer.finish();
    QVERIFY(was_done);
  }

  // Training asks before each step, and goes on.
  void askingWaitsForNothing() {
    BackgroundWriter writer;
    std::promise<void> asked;
    bool came = false;
    writer.start([&, answer = asked.get_future().share()] {
      came = answer.wait_for(std::chrono::milliseconds(800)) == std::future_status::ready;
    });
    const bool busy = writer.busy();
    asked.set_value();
    writer.finish();
    QVERIFY(busy && came);
  }
};

BATCHSCOPE_TEST(TestBackgroundWriter)
#include "test_background_writer.moc"
