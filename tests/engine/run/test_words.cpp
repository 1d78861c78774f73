// SPDX-License-Identifier: Apache-2.0
//
// Numbers and exits in words.
#include "words.h"

#include <sys/wait.h>

#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

class TestWords : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void secondsHaveTwoDigitsOrAreWhole() {
    for (const auto& [seconds, text] : {std::pair(0.618, "0.62 s"),
                                        {5.0, "5 s"},
                                        {9.44, "9.4 s"},
                                        {9.97, "10 s"},
                                        {10.4, "10 s"},
                                        {120.0, "120 s"}})
      QCOMPARE(seconds_text(seconds), text);
  }

  void bytesAreMegabytesOrGigabytes() {
    for (const auto& [bytes, text] : {std::pair(200'000L, "0.2 MB"),
                                      {9'900'000L, "9.9 MB"},
                                      {10'000'000L, "10 MB"},
                                      {45'400'000L, "45 MB"},
                                      {999'400'000L, "999 MB"},
                                      {1'000'000'000L, "1.0 GB"},
                                      {1'340'000'000L, "1.3 GB"}})
      QCOMPARE(bytes_text(bytes), text);
  }

  void oneReplicaIsOne() {
    QCOMPARE(replica_count_text(1), "1 replica");
    QCOMPARE(replica_count_text(0), "0 replicas");
    QCOMPARE(replica_count_text(2), "2 replicas");
  }

  void exitsAreTold() {
    QCOMPARE(exit_text(W_EXITCODE(3, 0)), "with exit code 3");
    QCOMPARE(exit_text(W_EXITCODE(0, 9)), "by signal 9");
  }

  void aSilentProgramIsToldHowItIsRecorded() {
    QVERIFY(testing::holds(silent_program_text(1, true), "batchscope.record(loss=loss.item())"));
    QVERIFY(testing::holds(silent_program_text(1, false), "a program on batchscope/train.h is recorded"));
    for (const bool python : {false, true})
      QVERIFY(!testing::holds(silent_program_text(1, python), "It ran"));
    VERIFY_HOLDS(silent_program_text(3, true), "It ran 3 times", "import batchscope.torch as adl");
    VERIFY_HOLDS(silent_program_text(2, false), "It ran 2 times", "AdaptiveDataParallel divide it");
  }
};

BATCHSCOPE_TEST(TestWords)
#include "test_words.moc"
