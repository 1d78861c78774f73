// SPDX-License-Identifier: Apache-2.0
//
// The command that starts the agents of several nodes, with a script in the place of ssh.
#include <QProcess>
#include <QTemporaryDir>
#include <filesystem>

#include "rows.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

namespace fs = std::filesystem;

class TestEachNode : public QObject {
  Q_OBJECT

  struct Answer {
    int code = -1;
    QStringList lines;  // sorted
    QString complaints;
  };

  static QString write_script(const QTemporaryDir& folder, const std::string& script) {
    const fs::path by = folder.filePath("by").toStdString();
    batchscope::testing::write_file(by, "#!/bin/sh\n" + script + "\n");
    fs::permissions(by, fs::perms::owner_all);
    return QString::fromStdString(by);
  }

  // The script finds the host in $1.
  static Answer ask(const std::string& script, const QStringList& nodes, const QByteArray& input = {}) {
    const QTemporaryDir folder;
    QProcess each;
    each.start(BATCHSCOPE_TEST_BIN "/batchscope-node",
               QStringList{"each", "--by", write_script(folder, script)} + nodes);
    each.write(input);
    each.closeWriteChannel();
    if (!each.waitForFinished() || each.exitStatus() != QProcess::NormalExit) return {};
    Answer answer{each.exitCode(),
                  QString::fromUtf8(each.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts),
                  QString::fromUtf8(each.readAllStandardError())};
    answer.lines.sort();
    return answer;
  }

 private Q_SLOTS:
  void eachGetsTheWholeInputAndIsHeard() {
    const Answer answer = ask("echo \"$1 got $(cat | tr '\\n' ,)\"", {"n2=host2", "n3"}, "welcome\nmore\n");
    QCOMPARE(answer.lines, QStringList({"host2 got welcome,more,", "n3 got welcome,more,"}));
    QCOMPARE(answer.code, 0);
    QCOMPARE(answer.complaints, QString());
  }

  void anAgentIsCalledByTheNodesName() {
    const QString line = ask("echo \"$*\"", {"n2=host2"}).lines.value(0);
    QVERIFY2(line.startsWith("host2 /") && line.endsWith("/batchscope-node serve --name n2"),
             qPrintable(line));
  }

  // The input does not end with its first byte.
  void theInputIsPassedOnAsItComes() {
    const QTemporaryDir folder;
    const QString by = write_script(folder, "head -c 1 > /dev/null; echo one; cat | wc -c");
    QProcess each;
    each.start(BATCHSCOPE_TEST_BIN "/batchscope-node", {"each", "--by", by, "n2"});
    each.write("x");
    QVERIFY(each.waitForReadyRead(20000));
    QCOMPARE(each.readLine(), QByteArray("one\n"));
    each.write("rest");
    each.closeWriteChannel();
    QVERIFY(each.waitForFinished());
    QCOMPARE(each.readAll().trimmed(), QByteArray("4"));
  }

  // More than a pipe holds.
  void whoDoesNotReadHoldsNobodyUp() {
    const Answer answer = ask("[ $1 = deaf ] || wc -c", {"deaf", "n3"}, QByteArray(1'000'000, 'x'));
    QCOMPARE(answer.lines.value(0).trimmed(), QString("1000000"));
    QCOMPARE(answer.code, 0);
  }

  // No offer is longer.
  void linesOfAMegabyteArePassedOn() {
    const auto said = [](int bytes) {
      return ask("head -c $1 /dev/zero | tr '\\0' x; echo", {QString::number(bytes)});
    };
    QCOMPARE(said(1 << 20).lines.value(0).size(), 1 << 20);
    const Answer longer = said((1 << 20) + 1);
    QVERIFY(longer.code > 0 && longer.lines.isEmpty());
    VERIFY_HOLDS(longer.complaints, QStringLiteral("a line of over 1048576 bytes"));
  }

  // Both are named, whichever is the code.
  void theFirstFailureIsTheCode_data() {
    const auto row = batchscope::testing::columns<QStringList, int>({"nodes", "code"});
    row("none", {"good", "good"}, 0);
    row("an exit", {"good", "exits"}, 3);
    row("a signal", {"good", "dies"}, 137);
    row("a late one", {"late"}, 4);
    row("both", {"exits", "dies"}, 3);
    row("the other way round", {"dies", "exits"}, 137);
  }
  void theFirstFailureIsTheCode() {
    QFETCH(QStringList, nodes);
    const Answer answer =
        ask("case $1 in exits) exit 3;; dies) kill -9 $$;; late) exec >&-; sleep 0.2; exit 4;; esac", nodes);
    QTEST(answer.code, "code");
    for (const auto& [node, code] : {std::pair("exits", "3"), std::pair("dies", "137")})
      QCOMPARE(answer.complaints.contains(
                   QString("the command for node %1 ended with exit code %2\n").arg(node, code)),
               nodes.contains(node));
    QVERIFY(!answer.complaints.contains("good"));
  }
};

BATCHSCOPE_TEST(TestEachNode)
#include "test_each_node.moc"
