// SPDX-License-Identifier: Apache-2.0
//
// Readers of what other experiment trackers write: what they make of good bytes, in pieces of any size, and
// of bad ones.
#include <cmath>

#include "test_case.h"
#include "thrown.h"
#include "tracker_files.h"
#include "trackers/csv_series_reader.h"
#include "trackers/event_file_reader.h"
#include "trackers/mlflow_metric_reader.h"
#include "trackers/wandb_log_reader.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

// "loss 1=0.5 2=0.25; time 1=100": what was found.
QString textOfFindings(Findings& findings) {
  std::string text;
  for (const auto& [series, samples] : findings.take()) {
    text += (text.empty() ? "" : "; ") + series;
    for (const storage::Sample& sample : samples)
      text += " " + std::to_string(sample.step) + "=" + QString::number(sample.value).toStdString();
  }
  for (const auto& [what, count] : findings.leftOut) text += "; " + std::to_string(count) + " " + what;
  return QString::fromStdString(text);
}

template <class Reader>
QString readAll(Reader reader, const std::string& bytes, std::size_t piece = 1 << 16) {
  Findings findings;
  for (std::size_t i = 0; i < bytes.size(); i += piece)
    reader.feed(std::string_view(bytes).substr(i, piece), findings);
  reader.end(findings);
  const QString trouble = QString::fromStdString(reader.trouble());
  return textOfFindings(findings) + (trouble.isEmpty() ? "" : "; " + trouble);
}

QString readEvents(const std::string& bytes) { return readAll(EventFileReader(), bytes); }
QString readCsv(const std::string& text) { return readAll(CsvSeriesReader(), text); }

}  // namespace

class TestTrackers : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scalarsOfBothForms() {
    const std::string bytes = eventRecord(doubleField(1, 1.7e9) + bytesField(3, "brain.Event:2")) +
                              simpleEvent(1, 1.7e9, "loss", 0.5f) + tensorEvent(2, 1.7e9, "loss", 0.25f) +
                              simpleEvent(2, 1.7e9, "acc", NAN);
    const QString expected = "acc 2=nan; loss 1=0.5 2=0.25; time 1=1.7e+09 2=1.7e+09";
    QCOMPARE(readEvents(bytes), expected);
    QCOMPARE(readAll(EventFileReader(), bytes, 1), expected);
  }

  void hyperparametersOfTensorBoard() {
    Findings findings;
    EventFileReader().feed(hparamsEvent("lr", 0.1) + hparamsEvent("layers", 3), findings);
    QCOMPARE(findings.run.hyperparameters,
             (std::map<std::string, std::string>{{"layers", "3"}, {"lr", "0.1"}}));
  }

  void badEventFiles() {
    const std::string good = simpleEvent(1, 1, "loss", 0.5f), next = simpleEvent(2, 2, "loss", 0.25f);
    VERIFY_HOLDS(readEvents(good + next.substr(0, next.size() - 3)), "loss 1=0.5", "it ends within a record");
    std::string damaged = good + next;
    damaged[good.size() + 20] ^= 1;  // within the data: the next record is found all the same
    QCOMPARE(readEvents(damaged + simpleEvent(3, 3, "loss", 0.125f)),
             "loss 1=0.5 3=0.125; time 1=1 3=3; 1 records with a wrong checksum");
    damaged = good + next;
    damaged[good.size()] ^= 1;  // the length
    VERIFY_HOLDS(readEvents(damaged), "loss 1=0.5",
                 "damaged at byte " + QString::number(good.size()) + ", and not read from there on");
    VERIFY_HOLDS(readEvents("a text that is not an event file"), "it is not an event file of TensorBoard");
    std::string absurd;
    protocol::put(absurd, ~std::uint64_t{0});
    protocol::put(absurd, protocol::masked_crc32c(absurd));
    VERIFY_HOLDS(readEvents(good + absurd), "damaged at byte");
    QCOMPARE(readEvents(simpleEvent(-1, 1, "a", 1) + simpleEvent(INT64_MAX, 1, "a", 1) +
                        simpleEvent(5, 1e300, "a\xff\n", 1) + simpleEvent(4, 9, "a\xff\n", 1)),
             "a\uFFFD  5=1; time 4=9; 1 values at a step before one that their series had already; 2 values "
             "at a step "
             "below 0 or beyond 2^53");
  }

  void aLongRecordIsPassedOver() {
    const std::string image = eventRecord(std::string(20u << 20, 'x'));
    QCOMPARE(readEvents(simpleEvent(1, 1, "a", 1) + image + simpleEvent(2, 2, "a", 2)),
             "a 1=1 2=2; time 1=1 2=2; 1 records of over 16 MiB");
  }

  void csvWithItsColumns() {
    QCOMPARE(readCsv("Step,Wall time,loss,note\n10,100,0.5,good\n20,101,,\n30.0,102,nan,\n"),
             "loss 10=0.5 30=nan; time 10=100 20=101 30=102; 1 cells that are not numbers");
    QCOMPARE(readCsv("\xEF\xBB\xBF\"a,b\"\r\n1\r\n2\r\n3"), "a,b 1=1 2=2 3=3");
    QCOMPARE(readCsv("series,generation,step,value\nloss,0,1,2\nacc,0,1,0.5\n"), "acc 1=0.5; loss 1=2");
    QCOMPARE(
        readCsv("step,a\n1,2,3\nx,1\n2,\"1\n"),
        "; 1 rows whose step is not a whole number; 2 rows with more or fewer cells than the first line");
    VERIFY_HOLDS(readCsv(""), "it has no line that names the columns");
  }

  void mlflowsMetrics() {
    QCOMPARE(
        readAll(MlflowMetricReader("val/loss"), "1700000000000 0.5 1\n1700000001000 nan 2\nx y z\n"),
        "time 1=1.7e+09 2=1.7e+09; val/loss 1=0.5 2=nan; 1 lines that are not a time, a value and a step");
    QCOMPARE(readAll(MlflowMetricReader("a"), "1000 5\n2000 6\n"), "a 0=5 1=6; time 0=1 1=2");
  }

  void wandbsLog() {
    WandbLog log;
    log.add(bytesField(
        17, bytesField(1, "abc123") + bytesField(3, "mnist") + bytesField(8, "sunny-sky-3") +
                bytesField(10, "paper") +
                bytesField(4, WandbLog::item("lr", "0.1") + WandbLog::item("net", R"({"depth":3})"))));
    log.add(bytesField(2, WandbLog::item("loss", "0.5") + WandbLog::item("_timestamp", "1700000000.5") +
                              WandbLog::item("long", "\"" + std::string(100'000, 'x') + "\"") +
                              bytesField(2, varintField(1, 7))));
    log.add(bytesField(2, WandbLog::item("loss", "NaN") + WandbLog::item("_step", "8") +
                              WandbLog::item("val", R"({"acc":0.75,"best":"Infinity"})")));
    log.add(bytesField(18, varintField(1, 0)));
    Findings findings;
    WandbLogReader reader;
    for (const char byte : log.bytes) reader.feed({&byte, 1}, findings);
    QCOMPARE(reader.trouble(), std::string());
    QCOMPARE(findings.run.name, std::string("sunny-sky-3"));
    QCOMPARE(findings.run.group, std::string("mnist"));
    QVERIFY(findings.run.state == protocol::RunState::finished);
    QCOMPARE(findings.run.hyperparameters,
             (std::map<std::string, std::string>{{"lr", "0.1"}, {"net.depth", "3"}}));
    QCOMPARE(
        textOfFindings(findings),
        "loss 7=0.5 8=nan; time 7=1.7e+09; val.acc 8=0.75; val.best 8=inf; 1 images, histograms, tables and "
        "other values that are not numbers");
  }

  // The next block of 32 KiB is read.
  void aDamagedBlockOfWandbsLogIsPassedOver() {
    WandbLog log;
    for (int step = 0; log.bytes.size() < 100'000; ++step)
      log.add(bytesField(
          2, WandbLog::item("loss", "1") + bytesField(2, varintField(1, static_cast<unsigned>(step)))));
    std::string damaged = log.bytes;
    damaged[40'000] ^= 1;
    const QString all = readAll(WandbLogReader(), log.bytes), rest = readAll(WandbLogReader(), damaged);
    VERIFY_HOLDS(rest, "1 damaged blocks of the log");
    QVERIFY(rest.size() < all.size() && rest.size() > all.size() / 3);
    VERIFY_HOLDS(readAll(WandbLogReader(), "something else"), "it is not a log of W&B");
    VERIFY_HOLDS(readAll(WandbLogReader(), log.bytes.substr(0, 50'003)), "it ends within a record");
  }
};

BATCHSCOPE_TEST(TestTrackers)
#include "test_trackers.moc"
