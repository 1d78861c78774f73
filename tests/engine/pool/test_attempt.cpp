// SPDX-License-Identifier: Apache-2.0
#include "attempt.h"

#include "test_case.h"

using namespace batchscope::pool;

namespace {

using Devices = std::vector<std::string>;

}  // namespace

class TestAttempt : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // After 5 s, and after twice as long each time, up to ten minutes; a pause asks for no devices.
  void isMadeAgainAfterTwiceTheTime() {
    for (const Devices& target : {Devices{"cuda:0"}, Devices{}}) {
      Attempt attempt;
      double now = 100;
      QVERIFY(!attempt.rests(target, now));
      for (const double patience : {5, 10, 20, 40, 80, 160, 320, 600, 600}) {
        attempt.begin(target, now);
        QCOMPARE(attempt.target(), target);
        QVERIFY(attempt.rests(target, now + patience - 1));
        now += patience;
        QVERIFY(!attempt.rests(target, now));
      }
    }
  }

  void anotherOneBeginsAtOnce() {
    Attempt attempt;
    attempt.begin({"cuda:0"}, 100);
    attempt.begin({"cuda:0"}, 105);
    QVERIFY(attempt.rests({"cuda:0"}, 106) && !attempt.rests({"cuda:1"}, 106));
    attempt.begin({"cuda:1"}, 106);
    QVERIFY(attempt.rests({"cuda:1"}, 110) && !attempt.rests({"cuda:1"}, 111));
  }
};

BATCHSCOPE_TEST(TestAttempt)
#include "test_attempt.moc"
