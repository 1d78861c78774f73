// SPDX-License-Identifier: Apache-2.0
//
// Every telemetry message through a line and back, and lines that are none.
#include <cmath>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/telemetry.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestTelemetry : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyMessageSurvives() {
    const std::vector<Message> messages{
        Hello{1, 2, 3, 4, "gloo", "cpu", "LibTorch", 1, true, 5.5, 6.5, false, false, true},
        Restored{1, "checkpoint-000002", 400, 7.25},
        Steps{401, {{"loss", {0.5, INFINITY}}, {"mono", {1, 2}}}, 3},
        Scalar{"accuracy", 500, 0.97, 8},
        Heartbeat{1, 501, "train", "all_reduce 'ask'", 8.5, 9},
        Position{2, 8, "validate", 0.25, 1234.5, 10},
        EpochMark{2, false, 600, 11},
        LedgerEntry{"train-0", 2, 1, 10, 12000, 1, 12000, 600},
        Model{PerfParams{1, 2, 3, 4, 5, 6, 7},
              0.1,
              0.2,
              0.05,
              64,
              1024,
              16,
              256,
              true,
              true,
              3,
              4,
              2,
              16,
              256,
              0.05,
              600,
              0.8,
              0.2,
              2},
        CheckpointWritten{"checkpoint-000003", "manual", 600, 2, 1234.5, 99, 12, 13, 14},
        Triggered{1, 600, 15},
        Refused{"the disk is full", 7},
        Hyperparameters{{{"lr", "0.1"}}},
        Notice{"warning", "a sentence", 600},
        Goodbye{1, 143, 600, 16},
        Failure{1, "checkpoint", "damaged", 600, 64, 17, "checkpoint-000012"}};
    QCOMPARE(messages.size(), std::variant_size_v<Message>);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::string line = encode(messages[i]);
      QCOMPARE(messages[i].index(), i);
      QVERIFY(line.ends_with('\n'));
      const Message back = decode(line);
      QCOMPARE(back.index(), i);
      QCOMPARE(encode(back), line);
    }
  }

  void notANumberSurvives() {
    const Message back = decode(encode(Scalar{"loss", 1, std::nan(""), 0}));
    QVERIFY(std::isnan(std::get<Scalar>(back).value));
  }

  void malformedLinesAreRefused_data() {
    testing::rows<QByteArray>(
        "line",
        {"", "{}", "nonsense", "{\"type\":7}", "{\"type\":\"surprise\"}",
         "{\"type\":\"goodbye\",\"code\":\"x\"}", "{\"type\":\"goodbye\",\"code\":1.5}",
         "{\"type\":\"steps\",\"columns\":[]}", "{\"type\":\"steps\",\"columns\":{\"a\":[1],\"b\":[1,2]}}",
         "{\"type\":\"model\",\"perf\":[null]}"});
  }
  void malformedLinesAreRefused() {
    QFETCH(QByteArray, line);
    QVERIFY_EXCEPTION_THROWN(decode(line.toStdString()), Error);
  }

  // Sums with such numbers must not overflow.
  void numbersBeyondAnySenseAreRefused_data() {
    testing::rows<QByteArray>(
        "number", {"9223372036854775807", "-9223372036854775808", "18446744073709551615", "9007199254740993",
                   "-9007199254740993", "1e300"});
  }
  void numbersBeyondAnySenseAreRefused() {
    QFETCH(QByteArray, number);
    for (const char* line : {R"({"type":"restored","step":%1})", R"({"type":"steps","first_step":%1})",
                             R"({"type":"steps","dropped":%1})", R"({"type":"epoch","epoch":%1})"})
      QVERIFY_EXCEPTION_THROWN(decode(QString(line).arg(QString(number)).toStdString()), Error);
  }
  void theLargestNumbersArrive() {
    const auto step = std::get<Restored>(decode(R"({"type":"restored","step":9007199254740992})")).step;
    QCOMPARE(step, std::int64_t{1} << 53);
    QCOMPARE(std::get<Goodbye>(decode(R"({"type":"goodbye","code":-1073741824})")).code, -(1 << 30));
    QVERIFY_EXCEPTION_THROWN(decode(R"({"type":"goodbye","code":1073741825})"), Error);
  }

  void textThatIsNoUtf8EndsNoRun() {
    const Message back = decode(encode(Scalar{"bad\xff", 1, 0, 0}));
    QVERIFY(std::get<Scalar>(back).name.starts_with("bad"));
  }
};

BATCHSCOPE_TEST(TestTelemetry)
#include "test_telemetry.moc"
