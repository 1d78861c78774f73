// SPDX-License-Identifier: Apache-2.0
//
// Every telemetry message through a line and back, and lines that are none.
#include <cmath>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/telemetry.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::protocol;

Q_DECLARE_METATYPE(Message)

class TestTelemetry : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Other programs read and write these lines: engines of other versions, and scripts by their hooks.
  void linesStayWhatTheyAre_data() {
    static_assert(std::variant_size_v<Message> == 16, "each has a row");
    const auto row = testing::columns<Message, std::string>({"message", "line"});
    row("hello", Hello{1, 2, 3, 4, "gloo", "cpu", "LibTorch", 1, true, 5.5, 6.5, false, false, true},
        R"({"type":"hello","version":1,"rank":2,"generation":3,"pid":4,"backend":"gloo","device":"cpu",
            "library":"LibTorch","threads":1,"forked":true,"started":5.5,"mono":6.5,"heartbeats":false,
            "checkpoints":false,"serves":true})");
    row("restored", Restored{1, "checkpoint-000002", 400, 7.25},
        R"({"type":"restored","rank":1,"checkpoint":"checkpoint-000002","step":400,"mono":7.25})");
    row("steps", Steps{401, {{"loss", {0.5, INFINITY}}}, 3},
        R"({"type":"steps","first_step":401,"columns":{"loss":[0.5,"inf"]},"dropped":3})");
    row("scalar", Scalar{"accuracy", 500, 0.5, 8},
        R"({"type":"scalar","name":"accuracy","step":500,"value":0.5,"mono":8.0})");
    row("heartbeat", Heartbeat{1, 501, "train", "all_reduce", 8.5, 9},
        R"({"type":"heartbeat","rank":1,"step":501,"phase":"train","waiting":"all_reduce","since":8.5,
            "mono":9.0})");
    row("position", Position{2, 8, "validate", 0.25, 1234.5, 10},
        R"({"type":"position","epoch":2,"epochs":8,"loop":"validate","fraction":0.25,"progress":1234.5,
            "mono":10.0})");
    row("epoch", EpochMark{2, false, 600, 11},
        R"({"type":"epoch","epoch":2,"begin":false,"step":600,"mono":11.0})");
    row("ledger", LedgerEntry{"train-0", 2, 1, 10, 12000, 1, 12001, 600},
        R"({"type":"ledger","loader":"train-0","epoch":2,"pass":1,"from":10,"to":12000,"padding":1,
            "dataset_size":12001,"step":600})");
    Model model;
    model.perf = PerfParams{1, 2, 3, 4, 5, 6, 7};
    model.core_exponent = 0.5, model.core_overhead = 0.25, model.contention = 0.125;
    model.update_time = 0.0625, model.cores = 3, model.divides_cores = true, model.keeps_fastest_cores = true;
    model.grad_sqr = 0.5, model.grad_var = 1.5, model.grad_sqr_error = 0.25;
    model.init_batch_size = 64, model.max_batch_size = 1024;
    model.min_local_batch_size = 16, model.max_local_batch_size = 256;
    model.accumulation = model.single_gradient = true;
    model.micro_batches = 4, model.devices = 5, model.max_profiled_replicas = 2;
    model.min_profiled_local_batch_size = 17, model.max_profiled_local_batch_size = 255;
    model.residual = 0.75, model.step = 600;
    row("model", model,
        R"({"type":"model","perf":[1.0,2.0,3.0,4.0,5.0,6.0,7.0],"core_exponent":0.5,"core_overhead":0.25,
            "contention":0.125,"update_time":0.0625,"cores":3,"divides_cores":true,"keeps_fastest_cores":true,"grad_sqr":0.5,"grad_var":1.5,
            "grad_sqr_error":0.25,"init_batch_size":64,"max_batch_size":1024,"min_local_batch_size":16,
            "max_local_batch_size":256,"accumulation":true,"single_gradient":true,"micro_batches":4,"devices":5,
            "max_profiled_replicas":2,"min_profiled_local_batch_size":17,"max_profiled_local_batch_size":255,
            "residual":0.75,"step":600})");
    row("checkpoint", CheckpointWritten{"checkpoint-000003", "manual", 600, 2, 1234.5, 99, 12, 13, 14},
        R"({"type":"checkpoint","name":"checkpoint-000003","reason":"manual","step":600,"epoch":2,
            "progress":1234.5,"bytes":99,"last_step":12.0,"began":13.0,"mono":14.0})");
    row("triggered", Triggered{1, 600, 15}, R"({"type":"triggered","index":1,"step":600,"mono":15.0})");
    row("refused", Refused{"the disk is full", 7},
        R"({"type":"refused","text":"the disk is full","step":7})");
    row("hyperparameters", Hyperparameters{{{"lr", "0.1"}}},
        R"({"type":"hyperparameters","values":{"lr":"0.1"}})");
    row("notice", Notice{"warning", "a sentence", 600},
        R"({"type":"notice","level":"warning","text":"a sentence","step":600})");
    row("goodbye", Goodbye{1, 143, 600, 16},
        R"({"type":"goodbye","rank":1,"code":143,"step":600,"mono":16.0})");
    row("failure", Failure{1, "checkpoint", "damaged", 600, 64, 17, "checkpoint-000012"},
        R"({"type":"failure","rank":1,"kind":"checkpoint","text":"damaged","step":600,"local_batch_size":64,
            "mono":17.0,"checkpoint":"checkpoint-000012"})");
  }
  void linesStayWhatTheyAre() {
    QFETCH(const Message, message);
    QFETCH(const std::string, line);
    QVERIFY(encode(message).ends_with('\n'));
    QCOMPARE(Json::parse(encode(message)).dump(), Json::parse(line).dump());
    QCOMPARE(encode(decode(line)), encode(message));
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
