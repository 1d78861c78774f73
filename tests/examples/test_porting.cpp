// SPDX-License-Identifier: Apache-2.0
//
// README claims that ten lines make a LibTorch loop elastic, and shows them. Both are read off the two
// programs in examples/porting.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTest>

namespace {

QString source(const QString& path) { return QDir(qEnvironmentVariable("BATCHSCOPE_SOURCE")).filePath(path); }

QString contents(const QString& path) {
  QFile file(source(path));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// The lines of a unified difference with all context, without its header.
QStringList difference() {
  QProcess diff;
  diff.start("diff",
             {"-U", "1000", source("examples/porting/plain.cpp"), source("examples/porting/elastic.cpp")});
  diff.waitForFinished();
  return QString::fromUtf8(diff.readAllStandardOutput()).split('\n').mid(3);
}

}  // namespace

class PortingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ten_lines_make_the_loop_elastic() {
    const QStringList lines = difference();
    QCOMPARE(lines.filter(QRegularExpression("^\\+")).size(), 10);  // six of them in place of
    QCOMPARE(lines.filter(QRegularExpression("^-")).size(), 6);
    QVERIFY(contents("README.md").contains("Ten lines"));
  }

  void nothing_else_in_the_elastic_program_knows_the_engine() {
    // Names of the example's own data and network apart, what is elastic is in the changed lines.
    for (const QString& line : contents("examples/porting/plain.cpp").split('\n'))
      QVERIFY2(!line.contains("batchscope::") || line.contains("batchscope::digits::"), qPrintable(line));
  }

  void the_readme_shows_the_real_difference() {
    QStringList shown = difference();
    while (!shown.isEmpty() && !shown.first().contains("int main")) shown.removeFirst();
    const int end = int(shown.indexOf(QRegularExpression("^ *torch::NoGradGuard.*")));
    QVERIFY(end > 0);
    const QString block = "```diff\n" + shown.mid(0, end - 1).join('\n') + "\n```";
    QVERIFY2(contents("README.md").contains(block), qPrintable("README.md should contain\n" + block));
  }
};

QTEST_APPLESS_MAIN(PortingTest)
#include "test_porting.moc"
