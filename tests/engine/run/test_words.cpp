// SPDX-License-Identifier: Apache-2.0
//
// Numbers and exits in words.
#include "words.h"

#include <sys/wait.h>

#include <limits>

#include "batchscope/run/number_text.h"
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

  // Four digits; whole numbers in groups; what is very large or small as a power of ten.
  void numbersHaveFourDigits() {
    for (const auto& [value, text] : std::initializer_list<std::pair<double, const char*>>{
             {0, "0"},
             {std::numeric_limits<double>::quiet_NaN(), "nan"},
             {-std::numeric_limits<double>::infinity(), "-inf"},
             {1, "1"},
             {-0.0, "0"},
             {0.021344, "0.02134"},
             {99.996, "100"},
             {9999.6, "10,000"},
             {1e-4, "0.0001"},
             {1e-5, "1 × 10⁻⁵"},
             {1'234'567, "1,235,000"},
             {1.2346e12, "1.235 × 10¹²"},
             {12.346, "12.35"},
             {-12.5, "-12.5"},
             {999.94, "999.9"},
             {999.96, "1,000"},
             {1234.6, "1,235"},
             {-1234.4, "-1,234"},
             {12'344, "12,340"},
             {99'999.9, "100,000"},
             {123'460, "123,500"},
             {9'999'400'000, "9,999,000,000"},
             {9'999'600'000, "1 × 10¹⁰"},
             {-2.5e23, "-2.5 × 10²³"},
             {0.00012344, "0.0001234"},
             {0.00009999961, "0.0001"},
             {0.000099994, "9.999 × 10⁻⁵"},
             {1.5e-7, "1.5 × 10⁻⁷"},
             {4.8e-69, "4.8 × 10⁻⁶⁹"}})
      QCOMPARE(number_text(value), text);
  }

  void aRangeIsThatOfItsError() {
    QCOMPARE(range_text(100, 0.25), "100 (80 to 125)");
    for (const double none : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
      QCOMPARE(range_text(100, none), "100");
    QCOMPARE(range_text(std::numeric_limits<double>::infinity(), 0.25), "inf");
    QCOMPARE(range_text(std::numeric_limits<double>::quiet_NaN(), 0.25), "nan");
  }

  void changesAreInWholePercent() {
    for (const auto& [share, text] : {std::pair(0.5, "+50 %"),
                                      {-0.5, "−50 %"},
                                      {0.126, "+13 %"},
                                      {-0.124, "−12 %"},
                                      {0.0049, "0 %"},
                                      {-0.0049, "0 %"},
                                      {0.0051, "+1 %"},
                                      {1.25, "+125 %"}})
      QCOMPARE(change_text(share), text);
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
