// SPDX-License-Identifier: Apache-2.0
//
// The writer of checkpoints beside training: one at a time, and whoever overtakes it waits for its end.
#include "checkpoint/background_writer.h"

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
};

BATCHSCOPE_TEST(TestBackgroundWriter)
#include "test_background_writer.moc"
