// SPDX-License-Identifier: Apache-2.0
//
// What a program prints, followed in its logs: through restarts, line by line, and as a terminal may show it.
#include <QTemporaryDir>

#include "follow/replica_output.h"
#include "rows.h"
#include "test_case.h"
#include "text/program_text.h"
#include "text_files.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

constexpr char kRun[] = "abcd1234";

}  // namespace

class TestReplicaOutput : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    qputenv("BATCHSCOPE_DB", folder_->filePath("runs.db").toUtf8());
  }

  void showsALineAsATerminalDoes_data() {
    const auto row = testing::columns<QByteArray, QByteArray>({"printed", "shown"});
    row("plain", "loss 0.5", "loss 0.5");
    row("progress bar", "\r 10 %\r 20 %\r 30 %", " 30 %");
    row("bar that is being drawn", " 10 %\r", " 10 %");
    row("line of Windows", "done\r", "done");
    row("cleared bar", "\r 99 %\r      \rdone", "done");
    row("colours", "\x1b[1;31mred\x1b[0m and \x1b[?25lblack", "red and black");
    row("title", "\x1b]0;mine\x07text\x1b]8;;http://a\x1b\\link", "textlink");
    row("half a sequence", "text\x1b[3", "text");
    row("half an escape", "text\x1b", "text");
    row("tabs", "a\tbb\tccc", "a       bb      ccc");
    row("wide letters and tabs", "漢字\t.", "漢字    .");
    row("bell",
        "a\x07"
        "b",
        "a b");
    row("other bytes", "a\xff", "a\xEF\xBF\xBD");
    row("direction",
        "a\xE2\x80\xAE"
        "b",
        "a b");
    row("nothing", "", "");
  }
  void showsALineAsATerminalDoes() {
    QFETCH(QByteArray, printed);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(shownLine(printed.toStdString())), shown);
  }

  void handsOutLinesAsTheyAreCompleted() {
    ReplicaOutput output(kRun, {}, ReplicaOutput::Flood::isKept);
    QCOMPARE(output.read(), "");
    print(0, "first\nsec");
    QCOMPARE(output.read(), "first\n");
    QCOMPARE(output.unfinished(), "sec");
    print(0, "ond\n1 %\r2 %");
    QCOMPARE(output.read(), "second\n");
    QCOMPARE(output.unfinished(), "2 %");
    QVERIFY(output.hasGrown());
    QCOMPARE(output.read(), "");
    QVERIFY(!output.hasGrown());
    QCOMPARE(output.unfinished(), "2 %");
  }

  void goesOnWithTheNextGeneration() {
    ReplicaOutput output(kRun, {}, ReplicaOutput::Flood::isKept);
    print(0, "before\nhalf");
    print(0, "another replica\n", 1);
    QCOMPARE(output.read(), "before\n");
    print(2, "after\n");
    QCOMPARE(output.read(), "half\nafter\n");
    QCOMPARE(output.unfinished(), "");
  }

  void beginsWhereItIsTold() {
    QCOMPARE(endOfOutput(kRun).generation, 0);
    print(0, "old\n");
    print(1, "older\n");
    print(1, "another replica, with more to say\n", 1);
    ReplicaOutput output(kRun, endOfOutput(kRun), ReplicaOutput::Flood::isKept);
    QCOMPARE(output.read(), "");
    print(1, "new\n");
    QCOMPARE(output.read(), "new\n");
    print(2, "newer\n");
    QCOMPARE(output.read(), "newer\n");
  }

  // Ten megabytes at once.
  void leavesOutAFloodOnATerminalAlone() {
    ReplicaOutput shown(kRun, {}, ReplicaOutput::Flood::isLeftOut),
        kept(kRun, {}, ReplicaOutput::Flood::isKept);
    const std::string line = std::string(99, 'x') + '\n';
    std::string flood;
    while (flood.size() < 10'000'000) flood += line;
    print(0, flood);
    const std::string some = shown.read();
    QVERIFY2(some.starts_with("[10.0 MB of output left out; all of it: batchscope logs abcd1234]\n"),
             some.substr(0, 100).c_str());
    QVERIFY(some.size() < 20'000 && some.ends_with('\n' + line));
    std::string all;
    do all += kept.read();
    while (kept.hasGrown());
    QVERIFY(all == flood);
  }

 private:
  static void print(int generation, const std::string& text, int rank = 0) {
    const auto log = protocol::run_paths(kRun).log_file(generation, rank);
    testing::write_file(log, testing::contents(log) + text);
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

BATCHSCOPE_TEST(TestReplicaOutput)
#include "test_replica_output.moc"
